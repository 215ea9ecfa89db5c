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

    convenience init(_ id: Int, _ name: String) {
        self.init()
        self.id.value = id
        self.name.value = name
    }
}

struct LiveQueryTests {
    @Test func `commits that come while nobody asks are reported together`() async throws {
        let store = MemoryModelStore()
        let results = store.observe(Person.self, orderBy: .ascending(\.name)).makeAsyncIterator()
        let first = try await results.next()
        expect(first?.models.isEmpty == true && first?.isFirst == true)
        let people = (1...5).map { Person($0, "n\($0)") }
        for person in people { _ = try await store.create(person).value }
        people[0].name.value = "z"
        _ = try await store.update(people[0]).value
        _ = try await store.delete(people[1]).value
        let second = try #require(try await results.next())
        expect(Array(second.models), equals: [people[2], people[3], people[4], people[0]])
        expect(!second.isFirst)
        var mirror: [Person] = []
        try second.change.apply(to: &mirror)
        expect(mirror, equals: Array(second.models))
    }

    @Test func `a store that reports no changes says so`() async throws {
        let store = HeldStore()
        await #expect(throws: StoreError.self) {
            for try await _ in store.observe(Person.self) {}
        }
    }

    @Test func `edits that take a model away and bring another one have their places`() async throws
    {
        let store = MemoryModelStore()
        let people = (1...4).map { Person($0, "n\($0)") }
        _ = try await store.create(people).value
        let results = store.observe(Person.self, orderBy: .ascending(\.name), limit: 3)
            .makeAsyncIterator()
        try await expect(results.next().map { Array($0.models) }, equals: Array(people[0..<3]))
        _ = try await store.delete(people[0]).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: Array(people[1..<4]))
        expect(next.edits, equals: [.remove(people[0], at: 0), .insert(people[3], at: 2)])
    }

    @Test(arguments: [false, true], [5, 60])
    func `a batch is reported by what is shown before and after it`(
        _ isWindow: Bool,
        _ count: Int
    ) async throws {
        let store = MemoryModelStore()
        let people = (0..<100).map { Person($0, "a") }
        _ = try await store.create(people).value
        let results =
            isWindow
            ? store.observe(Person.self, where: \.name == "a", window: 0..<2).makeAsyncIterator()
            : store.observe(Person.self, where: \.name == "a", limit: 2).makeAsyncIterator()
        _ = try await results.next()
        for person in people[..<count] { person.name.value = "b" }
        try await store.perform(people[..<count].map { .update($0) }).value
        let next = try #require(try await results.next())
        let (old, new) = (Array(people[..<2]), Array(people[count..<(count + 2)]))
        expect(Array(next.models), equals: new)
        expect(ArrayEdit.problem(in: next.edits, from: old, to: new, most: 1), equals: nil)
    }

    @Test func `what a batch moves within a list with a limit is moved`() async throws {
        let store = MemoryModelStore()
        let people = (0..<5).map { Person($0, "n\($0)") }
        _ = try await store.create(people).value
        let results = store.observe(Person.self, orderBy: .ascending(\.name), limit: 3)
            .makeAsyncIterator()
        _ = try await results.next()
        people[0].name.value = "n25"
        try await store.perform([.update(people[0]), .delete(people[1])]).value
        let next = try #require(try await results.next())
        expect(
            next.edits,
            equals: [
                .remove(people[1], at: 1), .move(people[0], from: 0, to: 1),
                .insert(people[3], at: 2),
            ]
        )
    }

    @Test func `after an error comes what holds again, once there is a commit`() async throws {
        let store = FailingStore(MemoryModelStore())
        let live = store.observe(Person.self, where: \.id < 10, orderBy: .ascending(\.id))
        let results = live.makeAsyncIterator()
        _ = try await results.next()
        let away = StoreError.unavailable("away", .notApplied)
        store.script = [.fail(away, on: .read)]
        _ = try await store.create(Person(11, "of no concern")).value
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        _ = try await store.create(Person(12, "of no concern")).value
        // It would wait for ever if that were no result.
        let same = try #require(try await results.next())
        expect(same.models.isEmpty && same.edits.isEmpty && !same.isFirst)
        store.script = [.fail(away, on: .read)]
        let people = [Person(1, "a"), Person(2, "b")]
        _ = try await store.create(people[0]).value
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        // The commit that has failed is not tried again by itself.
        let later = Task {
            try await Task.sleep(for: .milliseconds(20))
            _ = try await store.create(people[1]).value
        }
        try await expect(results.next().map { Array($0.models) }, equals: people)
        try await later.value
    }

    @Test func `a store that is closed ends its live queries with an error`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let results = store.observe(Person.self).makeAsyncIterator()
        _ = try await results.next()
        _ = try await store.create(Person(1, "a")).value
        try await store.close().value
        await #expect(throws: StoreError.self) { _ = try await results.next() }
        try await expect(results.next() == nil)
    }

    @Test func `a live query that waits ends when its store is closed`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let received = Log<Int>()
        let task = Task {
            for try await result in store.observe(Person.self) { received.add(result.models.count) }
        }
        while received.entries.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try await store.close().value
        await #expect(throws: StoreError.self) { try await task.value }
    }

    @Test func `a list and a deletion of all are reported`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let results = store.observe(Person.self).makeAsyncIterator()
        _ = try await results.next()
        let people = [Person(1, "a"), Person(2, "b")]
        _ = try await store.saveList(Person.self, people).value
        try await expect(results.next().map { Array($0.models) }, equals: people)
        try await store.deleteAll().value
        try await expect(results.next().map { Array($0.models) }, equals: [])
        try await store.restorePreviousVersion().value
        try await expect(results.next()?.models.count, equals: 2)
    }

    @Test @MainActor func `results come on the main actor`() async throws {
        let store = MemoryModelStore()
        let person = try await store.create(Person(1, "a")).value
        var names: [String?] = []
        let observation = store.observe(Person.self).onMain.observe { result in
            names = (try? result.get().models.map(\.name.value)) ?? ["an error"]
        }
        while names != ["a"] { try await Task.sleep(for: .milliseconds(1)) }
        person.name.value = "b"
        _ = try await store.update(person).value
        while names != ["b"] { try await Task.sleep(for: .milliseconds(1)) }
        observation.cancel()
        observation.cancel()
        let others = store.observe(Person.self).makeAsyncIterator()
        _ = try await others.next()
        person.name.value = "c"
        _ = try await store.update(person).value
        try await expect(others.next()?.models.map(\.name.value), equals: ["c"])
        try await Task.sleep(for: .milliseconds(20))
        expect(names, equals: ["b"])
    }

    @Test func `what nobody observes any more is not kept`() async throws {
        let store = MemoryModelStore()
        weak var model: Person?
        do {
            let person = try await store.create(Person(1, "a")).value
            model = person
            let results = store.observe(Person.self).makeAsyncIterator()
            try await expect(results.next().map { Array($0.models) }, equals: [person])
        }
        expect(model, equals: nil)
    }

    @Test func `what was deleted and made anew since is reported, whatever its revision`()
        async throws
    {
        let store = MemoryModelStore()
        let person = try await store.create(Person(1, "Ada")).value
        let results = store.observe(Person.self).makeAsyncIterator()
        try await expect(results.next().map { Array($0.models) }, equals: [person])
        try await store.transaction { transaction in
            try transaction.delete(person)
            person.name.value = "Eve"
            try transaction.create(person)
        }.value
        // That is reported in any case.
        let other = try await store.create(Person(2, "Bob")).value
        let next = try #require(try await results.next())
        expect(Array(next.models), equals: [person, other])
        expect(next.updated, equals: [person])
    }
}
