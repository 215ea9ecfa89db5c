import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let rank = Field<Int>()

    convenience init(_ id: Int, _ name: String? = nil, rank: Int? = nil) {
        self.init()
        (self.id.value, self.name.value, self.rank.value) = (id, name, rank)
    }
}

private class Animal: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    override class var subclasses: [ModelObject.Type] { [Dog.self] }
}

private final class Dog: Animal, @unchecked Sendable {}

struct LiveWindowTests {
    /// People with the identifiers below a number, and a window on them by identifier.
    private func people(
        _ count: Int,
        in store: any ModelStore = MemoryModelStore(),
        _ window: Range<Int>
    ) async throws -> (store: any ModelStore, people: [Person], window: LiveWindow<Person>) {
        let people = (0..<count).map { Person($0) }
        _ = try await store.create(people).value
        let live = store.observe(Person.self, orderBy: .ascending(\.id), window: window)
        return (store, people, live)
    }

    @Test func `a window shows what is at its places, and how many there are`() async throws {
        let (store, people, window) = try await people(10, 2..<5)
        let results = window.makeAsyncIterator()
        let first = try #require(try await results.next())
        expect(Array(first.models), equals: Array(people[2..<5]))
        expect(first.isFirst && first.range == 2..<5 && first.total == 10)
        expect(first.edits, equals: [.reset(Array(people[2..<5]))])

        _ = try await store.delete(people[0]).value
        let second = try #require(try await results.next())
        expect(Array(second.models), equals: Array(people[3..<6]))
        expect(second.edits, equals: [.remove(people[2], at: 0), .insert(people[5], at: 2)])
        expect(second.range == 2..<5 && second.total == 9)

        _ = try await store.delete(people[9]).value
        let third = try #require(try await results.next())
        expect(third.edits.isEmpty && third.updated.isEmpty && third.total == 8)
        expect(Array(third.models), equals: Array(second.models))
    }

    @Test(
        arguments: [
            (3..<6, 3..<6), (0..<4, 0..<4), (8..<12, 8..<10), (20..<30, 10..<10),
            (-5..<2, 0..<2), (0..<Int.max, 0..<10), (4..<4, 4..<4),
            (Int.max - 1..<Int.max, 10..<10), (-9 ..< -3, 0..<0),
        ]
    )
    func `a window is moved, and shows as much as there is`(
        _ asked: Range<Int>,
        _ range: Range<Int>
    ) async throws {
        let (_, people, window) = try await people(10, 2..<5)
        let results = window.makeAsyncIterator()
        var mirror = Array(try #require(try await results.next()).models)
        window.show(asked)
        if asked == 2..<5 { return }
        let next = try #require(try await results.next())
        expect(next.range, equals: range)
        expect(Array(next.models), equals: Array(people[range]))
        for edit in next.edits { try edit.apply(to: &mirror) }
        expect(mirror, equals: Array(people[range]))
    }

    @Test func `the last of several moves counts, in the next result`() async throws {
        let (store, people, window) = try await people(500, 0..<10)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        for start in stride(from: 0, to: 400, by: 7) { window.show(start..<(start + 10)) }
        _ = try await store.delete(people[0]).value
        window.show(300..<305)
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: Array(people[301..<306]))
        expect(next.range == 300..<305 && next.total == 499)
        expect(window.range, equals: 300..<305)
    }

    @Test func `a place beyond the end is filled when models come`() async throws {
        let (store, _, window) = try await people(1, 2..<4)
        let results = window.makeAsyncIterator()
        try await expect(results.next()?.range, equals: 1..<1)
        let new = [Person(5), Person(6), Person(7), Person(8)]
        _ = try await store.create(new).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: [new[1], new[2]])
        expect(next.range == 2..<4 && next.total == 5)
    }

    @Test func `an update that moves nothing in sight wakes nobody`() async throws {
        let pages = Log<String>()
        let store = MemoryModelStore(
            events: StoreEvents { event in
                if event.operation == .page || event.operation == .refetch { pages.add("\(event)") }
            }
        )
        let (_, people, window) = try await people(1_000, in: store, 500..<510)
        let results = Log<Range<Int>>()
        let observation = window.observe {
            if let result = try? $0.get() { results.add(result.range) }
        }
        while results.entries.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        for person in people[..<400] + people[600...] {
            person.name.value = "n"
            _ = try await store.update(person).value
        }
        people[505].name.value = "seen"
        _ = try await store.update(people[505]).value
        while results.entries.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        expect(results.entries, equals: [500..<510, 500..<510])
        expect(pages.entries, equals: [])
        observation.end()
    }

    @Test func `rows are asked for as soon as those that are held do not suffice`() async throws {
        let pages = Log<String>()
        let store = MemoryModelStore(
            events: StoreEvents { event in
                guard case .ended = event.phase else { return }
                if event.operation == .page || event.operation == .refetch {
                    pages.add(event.operation.rawValue)
                }
            }
        )
        let (_, people, window) = try await people(1_000, in: store, 500..<510)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        for index in 0..<160 {
            _ = try await store.delete(people[index]).value
            let next = try #require(try await results.next())
            expect(Array(next.models), equals: Array(people[(501 + index)..<(511 + index)]))
        }
        // 16 more are held on each side.
        expect(pages.entries, equals: Array(repeating: "page", count: 9))
    }

    @Test func `a commit of very many is asked for once`() async throws {
        let (store, people, window) = try await people(3, 1..<4)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        let more = (3..<10_500).map { Person($0) }
        _ = try await store.create(more).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: [people[1], people[2], more[0]])
        expect(next.total, equals: 10_500)
    }

    @Test func `a window moves while others write`() async throws {
        let (store, _, window) = try await people(2_000, 0..<20)
        let mirror = Log<[Int?]>()
        let observation = window.observe { result in
            guard let result = try? result.get() else { return }
            mirror.add(result.models.map(\.id.value) + [result.total])
        }
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for number in 0..<60 {
                        _ = try? await store.create(Person(-1 - writer - 3 * number)).value
                    }
                }
            }
            group.addTask {
                for number in 0..<60 {
                    window.show((number * 31)..<(number * 31 + 20))
                    await Task.yield()
                }
            }
        }
        window.show(170..<190)
        let expected: [Int?] = Array(-10..<10) + [2_180]
        let end = ContinuousClock.now + .seconds(600)
        while mirror.entries.last != expected, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(1))
        }
        expect(mirror.entries.last, equals: expected)
        observation.end()
    }

    @Test func `a window of several classes shows both`() async throws {
        let store = MemoryModelStore()
        let animals = (0..<40).map { number in
            let animal = number % 2 == 0 ? Animal() : Dog()
            animal.id.value = number
            return animal
        }
        _ = try await store.create(animals).value
        let window = store.observe(Animal.self, orderBy: .descending(\.id), window: 30..<35)
        let results = window.makeAsyncIterator()
        let first = try #require(try await results.next())
        expect(first.models.map(\.id.value), equals: [9, 8, 7, 6, 5])
        expect(first.total, equals: 40)
        window.show(0..<2)
        try await expect(results.next()?.models.map(\.id.value), equals: [39, 38])
    }

    @Test func `records elsewhere are read from the begin`() async throws {
        let store = FailingStore(MemoryModelStore())
        let (_, people, window) = try await people(100, in: store, 40..<43)
        let results = window.makeAsyncIterator()
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[40..<43]))
        _ = try await store.delete(people[3]).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: Array(people[41..<44]))
        expect(next.range == 40..<43 && next.total == 99)
        window.show(95..<200)
        let last = try #require(try await results.next())
        expect(Array(last.models), equals: Array(people[96...]))
        expect(last.range, equals: 95..<99)
    }

    @Test func `a query with a limit has no window`() async throws {
        let store = MemoryModelStore()
        let query = RecordQuery(limit: 5)
        let results = store.observe(Person.self, matching: query, window: 0..<3).makeAsyncIterator()
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        try await expect(results.next() == nil)
    }

    @Test func `a window ends when it is cancelled, and with its store`() async throws {
        let directory = try Directory()
        let archive = try ArchiveModelStore(directory: directory.path)
        let (store, _, window) = try await people(30, in: archive, 10..<12)
        let seen = Log<Int>()
        let tasks = (0..<2).map { _ in
            Task {
                for try await result in window { seen.add(result.total) }
            }
        }
        while seen.entries.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        tasks[0].cancel()
        try await tasks[0].value
        _ = try await store.create(Person(99)).value
        while seen.entries.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        try await archive.close().value
        await #expect(throws: StoreError.self) { try await tasks[1].value }
        expect(seen.entries, equals: [30, 30, 31])
    }

    @Test func `a page that fails is an error, and is tried again`() async throws {
        let store = FailingStore(MemoryModelStore())
        let (_, people, window) = try await people(100, in: store, 0..<3)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        store.script = [.fail(.unavailable("away", .notApplied), on: .read)]
        window.show(50..<52)
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        _ = try await store.delete(people[0]).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: Array(people[51..<53]))
    }
}
