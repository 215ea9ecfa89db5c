import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import ScriptSupport
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

private final class Owner: Model {
    let id = Field<Int>()
    let name = Field<String>()
    let things = ModelField<Thing>(inverse: \.owner, cascadeDelete: true)*

    init() { linkFields() }

    convenience init(_ id: Int) {
        self.init()
        self.id.value = id
    }
}

private final class Thing: Model {
    let id = Field<Int>()
    let owner = ModelField<Owner>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ id: Int, of owner: Owner) {
        self.init()
        (self.id.value, self.owner.value) = (id, owner)
    }
}

private final class Picture: Model {
    enum Color: String, CaseIterable { case red }

    let id = Field<Int>()
    let color = EnumField<Color>()

    convenience init(_ id: Int) {
        self.init()
        (self.id.value, color.value) = (id, .red)
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
        expect(window.places, equals: 300..<305)
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

    @Test func `an update that moves nothing in sight makes no result, and asks for no page`()
        async throws
    {
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
        await eventually { !results.entries.isEmpty }
        for person in people[..<400] + people[600...] {
            person.name.value = "n"
            _ = try await store.update(person).value
        }
        people[505].name.value = "seen"
        _ = try await store.update(people[505]).value
        await eventually { results.entries.count >= 2 }
        expect(results.entries, equals: [500..<510, 500..<510])
        expect(pages.entries, equals: [])
        observation.cancel()
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
        try await moveWindowWhileOthersWrite(MemoryModelStore())
    }

    @Test func `many commits that nobody has taken are asked for once`() async throws {
        let counter = RefetchCounter()
        let store = MemoryModelStore(events: counter.events)
        let (_, people, window) = try await people(3, in: store, 1..<4)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        var more: [Person] = []
        for start in [3, 6_000] {
            let batch = (start..<(start + 5_997)).map { Person($0) }
            _ = try await store.create(batch).value
            more += batch
        }
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: [people[1], people[2], more[0]])
        expect(next.total, equals: 11_997)
        expect(counter.count == 1 && counter.pages == 0, "\(counter.count), \(counter.pages)")
    }

    @Test func `what is deleted with others leaves a window`() async throws {
        let store = MemoryModelStore()
        let owners = (0..<3).map { Owner($0) }
        _ = try await store.create(owners).value
        let things = (0..<60).map { Thing($0, of: owners[$0 % 3]) }
        _ = try await store.create(things).value
        let window = store.observe(Thing.self, orderBy: .ascending(\.id), window: 10..<14)
        let results = window.makeAsyncIterator()
        var mirror = Array(try #require(try await results.next()).models)
        _ = try await store.delete(owners[1]).value
        let next = try #require(try await results.next())
        expect(next.models.map(\.id.value), equals: [15, 17, 18, 20])
        expect(next.total, equals: 40)
        for edit in next.edits { try edit.apply(to: &mirror) }
        expect(mirror, equals: Array(next.models))
    }

    @Test(arguments: [true, false])
    func `a model that leaves a list with a limit, or a window, is as it is stored`(
        _ isWindow: Bool
    ) async throws {
        let store = MemoryModelStore()
        let people = (0..<60).map { Person($0, rank: $0) }
        _ = try await store.create(people).value
        let live =
            isWindow
            ? store.observe(Person.self, orderBy: .ascending(\.rank), window: 0..<3).live
            : store.observe(Person.self, orderBy: .ascending(\.rank), limit: 3)
        let results = live.makeAsyncIterator()
        _ = try await results.next()
        // By another session, of which this one's models know nothing else.
        let other = FailingStore(store)
        let theirs = try await other.lookup(Person.self, identifier: 1).value
        theirs.rank.value = 1_000
        _ = try await other.update(theirs).value
        try await expect(results.next()?.models.map(\.id.value), equals: [0, 2, 3])
        expect(people[1].rank.value, equals: 1_000)
    }

    @Test func `a record that is not shown and does not fit its model stops no window`()
        async throws
    {
        let store = MemoryModelStore()
        let pictures = (0..<100).map { Picture($0) }
        _ = try await store.create(pictures).value
        let window = store.observe(Picture.self, orderBy: .ascending(\.id), window: 40..<50)
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        try await spoil(55, in: store)
        _ = try await store.delete(pictures[0]).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: Array(pictures[41..<51]))
        expect(next.total, equals: 99)
        try await spoil(41, in: store)
        await #expect(throws: StoreError.self) { _ = try await results.next() }
    }

    @Test func `where damaged ones are left out, places are those of the others`() async throws {
        let store = MemoryModelStore()
        _ = try await store.create((0..<100).map { Picture($0) }).value
        try await spoil(5, in: store)
        let reports = Log<StoreError>()
        let skipping = store.skippingDamaged { reports.add($0) }
        let window = skipping.observe(Picture.self, orderBy: .ascending(\.id), window: 0..<10)
        let results = window.makeAsyncIterator()
        for (start, expected) in [(0, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]), (50, Array(51...60))] {
            window.show(start..<(start + 10))
            let next = try #require(try await results.next())
            expect(next.models.map(\.id.value), equals: expected)
            expect(next.range, equals: start..<(start + 10))
            expect(next.total, equals: 99)
        }
        // Once each time.
        expect(reports.entries.count, equals: 2)
    }

    /// Gives the record of a picture a color that its model does not know.
    private func spoil(_ id: Int64, in store: MemoryModelStore) async throws {
        let write = RecordWrite(
            .update(.int(id), ["color": "mauve"], revision: nil),
            of: Picture.schema
        )
        _ = try await store.records.perform([write]).value
    }

    @Test func `a move within what is held asks for nothing, also where others are looked at`()
        async throws
    {
        let store = FailingStore(MemoryModelStore())
        let owner = Owner(1)
        _ = try await store.create(owner).value
        _ = try await store.create((0..<60).map { Thing($0, of: owner) }).value
        let window = store.observe(
            Thing.self,
            where: .has(\.owner, \.name == nil),
            orderBy: .ascending(\.id),
            window: 20..<30
        )
        let results = window.makeAsyncIterator()
        _ = try await results.next()
        let reads = store.count(of: .read)
        window.show(22..<32)
        try await expect(results.next()?.models.map(\.id.value), equals: Array(22..<32))
        expect(store.count(of: .read), equals: reads)
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
        await eventually { seen.entries.count >= 2 }
        tasks[0].cancel()
        try await tasks[0].value
        _ = try await store.create(Person(99)).value
        await eventually { seen.entries.count >= 3 }
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
