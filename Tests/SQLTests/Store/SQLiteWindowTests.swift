import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct SQLiteWindowTests {
    private final class Person: Model {
        let id = Field<String>()
        let name = Field<String>()

        convenience init(_ number: Int) {
            self.init()
            (id.value, name.value) = ("\(20_000 + number)", "n")
        }
    }

    /// The same with a field that a file of before does not have.
    private final class NewPerson: Model {
        static var modelName: String { "Person" }
        let id = Field<String>()
        let name = Field<String>()
        let town = Field<String>()
    }

    private final class Town: Model {
        let id = Field<String>()
    }

    private func people(_ count: Int) -> [Person] { (0..<count).map { Person($0) } }

    @Test func `a window of a file moves while others write`() async throws {
        let directory = try TemporaryDirectory()
        try await moveWindowWhileOthersWrite(SQLiteModelStore(path: directory.file()))
    }

    @Test func `a window shows what another store of the file writes`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        let people = people(100)
        _ = try await store.create(people).value
        let window = store.observe(Person.self, orderBy: .ascending(\.id), window: 40..<43)
        let results = window.makeAsyncIterator()
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[40..<43]))
        let other = try SQLiteModelStore(path: path, sharing: .severalProcesses)
        _ = try await other.create(Person(-1)).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: Array(people[39..<42]))
        expect(next.total, equals: 101)
        // What this one writes is judged again.
        _ = try await store.delete(people[0]).value
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[40..<43]))
    }

    @Test func `a damaged row beside a window does not have every commit ask for a page`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let counter = RefetchCounter()
        let store = try SQLiteModelStore(path: path, events: counter.events)
        let people = people(100)
        _ = try await store.create(people).value
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE Person SET name = x'00' WHERE id = '20030'")
        connection.close()
        let window = store.observe(Person.self, orderBy: .ascending(\.id), window: 10..<15)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        for number in 0..<8 {
            _ = try await store.delete(people[number]).value
            let next = try #require(try await results.next())
            expect(Array(next.models), equals: Array(people[(11 + number)..<(16 + number)]))
            expect(next.total, equals: 99 - number)
        }
        expect(counter.count == 1 && counter.pages == 1, "\(counter.count), \(counter.pages)")
    }

    @Test func `a page that cannot be read is an error, and is tried again`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let store = try SQLiteModelStore(path: path)
        let people = people(200)
        _ = try await store.create(people).value
        let window = store.observe(Person.self, orderBy: .ascending(\.id), window: 0..<3)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        // A store looks for its file ten times a second.
        try await Task.sleep(for: .milliseconds(150))
        window.show(150..<152)
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        _ = try await store.delete(people[0]).value
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[151..<153]))
    }

    @Test func `a store that is closed while a window moves ends it`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        _ = try await store.create(people(2_000)).value
        let window = store.observe(Person.self, orderBy: .ascending(\.id), window: 0..<20)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        let iteration = Task {
            var start = 0
            while let result = try await results.next() {
                expect(result.models.count, equals: 20)
                start = (start + 700) % 1_900
                window.show(start..<(start + 20))
            }
        }
        window.show(100..<120)
        for _ in 0..<20 { await Task.yield() }
        try await store.close().value
        await #expect(throws: StoreError.self) { try await iteration.value }
    }

    @Test func `a window of a file that is only read does without what that lacks`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let writer = try SQLiteModelStore(path: path)
        _ = try await writer.create(people(100)).value
        try await writer.close().value
        let store = try SQLiteModelStore(path: path, access: .readOnly)
        let towns = store.observe(Town.self, window: 0..<10).makeAsyncIterator()
        try await expect(towns.next()?.total, equals: 0)
        let window = store.observe(
            NewPerson.self,
            where: \.town == nil,
            orderBy: .descending(\.id),
            window: 40..<42
        )
        let results = window.makeAsyncIterator()
        let first = try #require(try await results.next())
        expect(first.models.map(\.id.value), equals: ["20059", "20058"])
        expect(first.total, equals: 100)
        window.show(98..<200)
        try await expect(results.next()?.models.map(\.id.value), equals: ["20001", "20000"])
    }
}
