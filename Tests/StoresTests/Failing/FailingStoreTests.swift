import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let name = Field<String>()

    convenience init(_ id: String, _ name: String) {
        self.init()
        self.id.value = id
        self.name.value = name
    }
}

struct FailingStoreTests {
    private let offline = StoreError.unavailable("offline", .notApplied)

    @Test(arguments: StoreContract.cases)
    func `a store without a script keeps the contract`(_ part: StoreContract.Case) async throws {
        try await part.run { FailingStore(MemoryModelStore()) }
    }

    @Test func `a step is for the first use that it fits`() async throws {
        let store = FailingStore(MemoryModelStore())
        store.script = [.fail(offline, on: .read), .pass(on: .write), .fail(offline, on: .write)]
        let person = try await store.create(Person("a", "Ada")).value
        person.name.value = "Eve"
        await #expect(throws: offline) { try await store.update(person).value }
        _ = try await store.update(person).value
        await #expect(throws: offline) { try await store.list(Person.self).value }
        try await expect(store.list(Person.self).value, equals: [person])
        expect(store.script.isEmpty)
        expect([store.count(of: .write), store.count(of: .read)], equals: [3, 2])
    }

    @Test func `a lost answer leaves the write, and the next one meets it`() async throws {
        let memory = MemoryModelStore()
        let store = FailingStore(memory)
        let person = try await store.create(Person("a", "Ada")).value
        store.script = [.loseAnswer(on: .write, of: "Person")]
        person.name.value = "Eve"
        do {
            _ = try await store.update(person).value
            Issue.record("the answer was not lost")
        } catch let error as StoreError {
            expect(error.outcome, equals: .unknown)
        }
        try expect(memory.listImmediately(Person.self).map(\.name.value), equals: ["Eve"])
        // It is not known to be there, so that it is not written over.
        await #expect(throws: StoreError.self) { try await store.update(person).value }
        try await expect(store.lookup(Person.self, identifier: "a").value === person)
        _ = try await store.update(person).value
    }

    @Test func `a delay is slept by the clock, and can be cancelled`() async throws {
        let clock = ManualClock()
        let store = FailingStore(MemoryModelStore(), clock: clock)
        store.script = [.delay(.seconds(5), on: .write), .delay(.seconds(5), on: .write)]
        let creation: Promise = store.create(Person("a", "Ada"))
        await clock.wait(for: 1)
        expect(creation.result == nil)
        clock.advance(by: .seconds(5))
        _ = try await creation.value
        let dropped: Promise = store.create(Person("b", "Bob"))
        await clock.wait(for: 1)
        dropped.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await dropped.value }
        clock.advance(by: .seconds(5))
        try await expect(store.list(Person.self).value.count, equals: 1)
    }

    @Test func `what is held goes on when its promise says so, or fails`() async throws {
        let store = FailingStore(MemoryModelStore())
        let (gate, resolver) = Promise<Void>.withResolvers()
        let broken = Promise<Void>.withResolvers()
        store.script = [.hold(until: gate, on: .transaction), .hold(until: broken.promise)]
        let transaction = store.transaction { try $0.create(Person("a", "Ada")) }
        let list: Promise = store.list(Person.self)
        expect(transaction.result == nil)
        resolver.fulfill()
        try await transaction.value
        broken.resolver.reject(offline)
        await #expect(throws: offline) { try await list.value }
        expect(store.count(of: .transaction), equals: 1)
    }

    private final class Team: Model {
        let id = Field<String>()
        let name = Field<String>()
        let parent = ModelField<Team>(foreignKey: true)

        convenience init(_ name: String) {
            self.init()
            self.name.value = name
        }
    }

    @Test(arguments: [false, true])
    func `a creation whose answer is lost is not made twice`(_ isSaved: Bool) async throws {
        let memory = MemoryModelStore()
        let store = FailingStore(memory)
        store.script = [.fail(offline, on: .write), .loseAnswer(on: .write)]
        let team = Team("a")
        func create() -> Promise<Team> { isSaved ? store.save(team) : store.create(team) }
        await #expect(throws: offline) { try await create().value }
        expect(team.identifier, equals: nil)
        await #expect(throws: StoreError.self) { try await create().value }
        let identifier = try #require(team.identifier)
        await #expect(throws: StoreError.alreadyExists(type: "Team", identifier: identifier)) {
            try await create().value
        }
        try expect(memory.listImmediately(Team.self).map(\.identifier), equals: [identifier])
        try await expect(
            store.lookup(Team.self, identifier: identifier).value.name.value,
            equals: "a"
        )
    }

    @Test func `nor is a batch, or a transaction`() async throws {
        let memory = MemoryModelStore()
        let store = FailingStore(memory)
        store.script = [.loseAnswer(on: .write), .loseAnswer(on: .transaction)]
        let (parent, child, other) = (Team("parent"), Team("child"), Team("other"))
        child.parent.value = parent
        await #expect(throws: StoreError.self) {
            try await store.perform([.create(child), .create(parent)]).value
        }
        let identifiers = [child, parent].map(\.identifier)
        expect(!identifiers.contains(nil))
        try expect(memory.listImmediately(Team.self).map(\.identifier), equals: identifiers)
        await #expect(throws: StoreError.self) {
            try await store.transaction { try $0.create(other) }.value
        }
        expect(other.identifier != nil)
        try expect(memory.listImmediately(Team.self).last?.identifier, equals: other.identifier)
        // What is sure not to be there has none.
        let refused = Team("refused")
        store.script = [.fail(offline, on: .transaction)]
        await #expect(throws: offline) {
            try await store.transaction { try $0.create(refused) }.value
        }
        expect(refused.identifier, equals: nil)
    }

    @Test(.timeLimit(.minutes(10))) func `a clock is waited for until enough sleep`() async throws {
        let clock = ManualClock()
        let sleeps = (1...2).map { second in
            Promise<Void> { try await clock.sleep(for: .seconds(second)) }
        }
        await clock.wait(for: 2)
        await clock.wait(for: 1)
        clock.advance(by: .seconds(1))
        try await sleeps[0].value
        sleeps[1].cancel()
        await clock.wait(for: 0)
    }
}
