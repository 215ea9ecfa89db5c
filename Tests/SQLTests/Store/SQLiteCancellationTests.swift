import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteCancellationTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private static let people = First.Person.schema
    private static let cancelled = StoreError.cancelled(.notApplied)

    private static func create(_ id: String) -> RecordWrite {
        RecordWrite(.create(.string(id), ["name": "Ada"]), of: people)
    }

    /// Waits until what was asked for has begun, as well as that can be known.
    private func begin() async throws { try await Task.sleep(for: .milliseconds(30)) }

    @Test(arguments: [0, 1])
    func `a read that has begun is stopped, and the connection is free`(_ readers: Int) async throws
    {
        let store = try SQLiteModelStore(path: path, readers: readers)
        _ = try await store.records.perform([Self.create("a")]).value
        let endless = try EndlessPeople(path)
        let read = store.records.fetch(RecordQuery(), of: Self.people)
        try await begin()
        read.cancel()
        await #expect(throws: Self.cancelled) { try await read.value }
        try endless.stop()
        let record = try await store.records.record("a", of: Self.people).value
        expect(record?.identifier, equals: "a")
        // Closing waits for whatever still runs.
        try await store.close().value
    }

    @Test func `a task that is cancelled stops the read that it waits for`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        let endless = try EndlessPeople(path)
        let task = Task { try await store.records.fetch(RecordQuery(), of: Self.people).value }
        try await begin()
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        try endless.stop()
        try await store.close().value
    }

    @Test(arguments: [true, false])
    func `a task that is cancelled at any moment knows whether its write was made`(_ isFile: Bool)
        async throws
    {
        let store = try SQLiteModelStore(path: isFile ? path : ":memory:")
        var made = 0
        for number in 0..<600 {
            let person = First.Person()
            person.id.value = "\(number)"
            let task = Task { try await store.create(person).value }
            for _ in 0..<(number % 40) { await Task.yield() }
            if number.isMultiple(of: 2) { usleep(UInt32(number % 97)) }
            task.cancel()
            var isMade = true
            do {
                _ = try await task.value
            } catch {
                // The store is here, so that it always knows.
                expect(error as? StoreError, equals: Self.cancelled, "\(error)")
                isMade = false
            }
            let record = try await store.records.record(.string("\(number)"), of: Self.people).value
            expect((record != nil), equals: isMade)
            if isMade { made += 1 }
        }
        expect(made > 0)
    }

    @Test func `a list that is cancelled stops its read`() async throws {
        let store = try SQLiteModelStore(path: path, readers: 1)
        _ = try await store.records.perform([Self.create("a")]).value
        let endless = try EndlessPeople(path)
        let list: Promise = store.list(First.Person.self)
        try await begin()
        list.cancel()
        try endless.stop()
        try await expect(store.list(First.Person.self).value.count, equals: 1)
        try await store.close().value
    }

    @Test func `a read that waits is dropped`() async throws {
        let store = try SQLiteModelStore(path: path, readers: 1)
        _ = try await store.records.perform([Self.create("a")]).value
        let endless = try EndlessPeople(path)
        let first = store.records.fetch(RecordQuery(), of: Self.people)
        let second = store.records.fetch(RecordQuery(), of: Self.people)
        second.cancel()
        await #expect(throws: Self.cancelled) { try await second.value }
        try await begin()
        first.cancel()
        try endless.stop()
        try await store.close().value
    }

    @Test func `a write that has begun is not cancelled`() async throws {
        let store = try SQLiteModelStore(path: path)
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let write = store.records.transaction { transaction in
            begun.signal()
            gate.wait()
            try transaction.perform([Self.create("a")])
        }
        try Thread.run { Result { begun.wait() } }
        write.cancel()
        expect(!write.isSettled)
        gate.signal()
        try await write.value
        try await expect(store.records.record("a", of: Self.people).value != nil)
    }

    @Test func `writes that wait are dropped, and those after them are made`() async throws {
        let store = try SQLiteModelStore(path: path)
        let gate = DispatchSemaphore(value: 0)
        let first = store.records.transaction { _ in gate.wait() }
        let writes = ["a", "b", "c"].map { store.records.perform([Self.create($0)]) }
        let transaction = store.records.transaction { _ in Issue.record("it was cancelled") }
        writes[1].cancel()
        transaction.cancel()
        gate.signal()
        _ = try await first.value
        await #expect(throws: Self.cancelled) { try await writes[1].value }
        await #expect(throws: Self.cancelled) { try await transaction.value }
        let records = try await store.records.fetch(RecordQuery(), of: Self.people).value
        expect(records.map(\.identifier), equals: ["a", "c"])
    }

    @Test(arguments: [0, 1])
    func `a page that is stopped at its end keeps no transaction open`(_ readers: Int) async throws
    {
        let library = try InterruptedStatement.library
        let store = try SQLiteModelStore(path: path, readers: readers, library: library)
        _ = try await store.records.perform(["a", "b"].map { Self.create($0) }).value
        InterruptedStatement.interrupt("RELEASE", of: path)
        let page = RecordQuery(order: [RecordQuery.Order("id")], limit: 1)
        let records = try await store.records.fetch(page, of: Self.people).value
        expect(records.map(\.identifier), equals: ["a"])
        expect(InterruptedStatement.isDone(path))
        _ = try await store.records.perform([Self.create("c")]).value
        try await expect(store.records.fetch(RecordQuery(), of: Self.people).value.count, equals: 3)
    }

    @Test(arguments: [0, 1])
    func `stopping a read never stops the one after it`(_ readers: Int) async throws {
        let store = try SQLiteModelStore(path: path, readers: readers)
        let writes = (0..<300).map { Self.create("\($0)") }
        _ = try await store.records.perform(writes).value
        var outcomes: [Bool: Int] = [:]
        for round in 0..<300 {
            let first = store.records.fetch(RecordQuery(), of: Self.people)
            let second = store.records.fetch(RecordQuery(), of: Self.people)
            let end = ContinuousClock.now + .microseconds(round % 100 * 12)
            while ContinuousClock.now < end {}
            first.cancel()
            do {
                try await expect(first.value.count, equals: 300)
                outcomes[true, default: 0] += 1
            } catch {
                expect(error as? StoreError, equals: Self.cancelled, "\(error)")
                outcomes[false, default: 0] += 1
            }
            try await expect(second.value.count, equals: 300)
        }
        expect(outcomes[false] ?? 0 > 0)
    }
}
