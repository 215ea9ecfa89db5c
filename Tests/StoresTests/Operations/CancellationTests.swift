import Dispatch
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()
    let name = Field<String>()

    convenience init(_ id: String, _ name: String? = nil) {
        self.init()
        self.id.value = id
        if let name { self.name.value = name }
    }
}

private final class Team: Model {
    let id = Field<String>()
    let parent = ModelField<Team>(foreignKey: true)
}

private final class Tree: Model {
    let id = Field<String>()
    let parts = ModelField<Tree>(foreignKey: true, cascadeDelete: true)*
}

/// A store whose writes wait to be begun and to be ended; they say whether they have begun.
private final class StagedStore: RecordModelStore {
    let staged = StagedRecords()
    let session = StoreSession(events: nil, ordersReads: true)

    var records: any RecordStore { staged }
}

// Safe: the list is guarded by the lock.
private final class StagedRecords: RecordStore, @unchecked Sendable {
    private struct Job {
        let begin: @Sendable () -> Bool
        let end: @Sendable () -> Void
    }

    let memory = MemoryRecordStore()
    private let lock = Lock()
    private var waiting: [Job] = []
    private var running: Job?

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        let job = Job(begin: gate.begin) { [memory] in resolver.follow(memory.perform(writes)) }
        lock.withLock { waiting.append(job) }
        return promise
    }

    /// How many writes wait.
    var count: Int { lock.withLock { waiting.count } }

    /// Begins the oldest write that waits.
    func begin() {
        let job = lock.withLock { waiting.isEmpty ? nil : waiting.removeFirst() }
        if let job, job.begin() { lock.withLock { running = job } }
    }

    func end() { lock.withLock { running.take() }?.end() }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        memory.fetch(query, of: schema)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        memory.record(identifier, of: schema)
    }
}

struct CancellationTests {
    private let store = StagedStore()

    private func names() throws -> [AttributeValue?] {
        let found = try #require(store.staged.memory.fetch(RecordQuery(), of: Person.schema).result)
        return try found.get().map { $0.values["name"] }
    }

    @Test func `a write that has not begun is not done`() async throws {
        let creation: Promise = store.create(Person("a", "Ada"))
        creation.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await creation.value }
        store.staged.begin()
        store.staged.end()
        try expect(names().isEmpty)
    }

    @Test func `a write that has begun goes on, is noted, and who cancels it gets its outcome`()
        async throws
    {
        let person = Person("a", "Ada")
        let creation: Promise = store.create(person)
        store.staged.begin()
        creation.cancel()
        expect(creation.result == nil, "the store will know its outcome")
        store.staged.end()
        try await expect(creation.value === person)
        try expect(names(), equals: ["Ada"])
        person.name.value = "Eve"
        let update: Promise = store.update(person)
        store.staged.begin()
        store.staged.end()
        _ = try await update.value
        try expect(names(), equals: ["Eve"])
    }

    @Test
    func `a write that waits for another one of its model is not done, and lets others go on`()
        async throws
    {
        let person = Person("a", "Ada")
        let creation: Promise = store.create(person)
        person.name.value = "Bob"
        let second: Promise = store.update(person)
        person.name.value = "Cy"
        let third: Promise = store.update(person)
        second.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await second.value }
        for _ in 0..<2 {
            store.staged.begin()
            store.staged.end()
        }
        _ = try await creation.value
        _ = try await third.value
        try expect(names(), equals: ["Cy"])
    }

    @Test func `who no longer waits for all writes stops none, and changes no order`() async throws
    {
        let person = Person("a", "Ada")
        let creation: Promise = store.create(person)
        store.session.settled().cancel()
        person.name.value = "Bob"
        let update: Promise = store.update(person)
        expect(store.staged.count, equals: 1, "the creation alone has been sent")
        for _ in 0..<2 {
            store.staged.begin()
            store.staged.end()
        }
        _ = try await creation.value
        _ = try await update.value
        try expect(names(), equals: ["Bob"])
    }

    @Test func `a batch that is cancelled before its turn gives no identifiers`() async throws {
        let person = Person("a", "Ada")
        let creation: Promise = store.create(person)
        let (parent, child) = (Team(), Team())
        child.parent.value = parent
        let batch: Promise = store.perform([.create(child), .create(parent), .update(person)])
        expect(parent.id.value != nil)
        batch.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await batch.value }
        expect(parent.id.value, equals: nil)
        let refused: Promise = store.perform([.save(person), .update(person)])
        await #expect(throws: StoreError.self) { try await refused.value }
        store.staged.begin()
        store.staged.end()
        _ = try await creation.value
        expect(parent.id.value, equals: nil)
        let other: Promise = store.create(parent)
        let both: Promise = store.perform([.save(parent), .create(child)])
        await #expect(throws: StoreError.self, "the parent has no identifier yet") {
            try await both.value
        }
        store.staged.begin()
        store.staged.end()
        _ = try await other.value
    }

    @Test func `a batch that is refused in the body of a transaction gives no identifiers`() throws
    {
        let store = MemoryModelStore()
        try store.transaction { _ in
            let (parent, child) = (Team(), Team())
            child.parent.value = parent
            let batch: Promise = store.perform([.create(child), .create(parent)])
            #expect(throws: StoreError.self) { try batch.result?.get() }
            expect(parent.id.value, equals: nil)
        }.wait()
    }

    @Test(arguments: [false, true])
    func `a deletion that has read is cancelled as other writes are`(_ begins: Bool) async throws {
        let memory = store.staged.memory
        try memory.apply([
            RecordWrite(.create("1", ["parts": ["2"]]), of: Tree.schema),
            RecordWrite(.create("2", [:]), of: Tree.schema),
        ])
        let tree = try await store.lookup(Tree.self, identifier: "1").value
        let deletion: Promise = store.delete(tree)
        expect(store.staged.count, equals: 1, "what goes with it was read")
        if begins { store.staged.begin() }
        deletion.cancel()
        expect((deletion.result == nil), equals: begins)
        if !begins { store.staged.begin() }
        store.staged.end()
        if begins {
            _ = try await deletion.value
        } else {
            await #expect(throws: StoreError.cancelled(.notApplied)) { try await deletion.value }
        }
        let left = try await memory.fetch(RecordQuery(), of: Tree.schema).value
        expect(left.count, equals: (begins ? 0 : 2))
    }

    @Test func `lists of models are cancelled as one is`() async throws {
        for begins in [false, true] {
            let store = StagedStore()
            let creation: Promise = store.create([Person("a"), Person("b")])
            if begins { store.staged.begin() }
            creation.cancel()
            store.staged.end()
            if begins {
                try await expect(creation.value.count, equals: 2)
            } else {
                await #expect(throws: StoreError.cancelled(.notApplied)) {
                    try await creation.value
                }
            }
        }
    }

    @Test func `a read that takes too long has changed nothing`() async throws {
        let person = Person("a")
        let creation: Promise = store.create(person)
        person.name.value = "Bob"
        let update: Promise = store.update(person)
        let list: Promise = store.with(deadline: .milliseconds(5)).list(Person.self)
        await #expect(throws: StoreError.timedOut(.notApplied)) { try await list.value }
        for _ in 0..<2 {
            store.staged.begin()
            store.staged.end()
        }
        _ = try await creation.value
        _ = try await update.value
    }

    @Test func `a task that is cancelled gets the outcome of its write`() async throws {
        for begins in [false, true] {
            let store = StagedStore()
            let creation: Promise = store.create(Person("a"))
            if begins { store.staged.begin() }
            let task = Task { try await creation.value }
            task.cancel()
            if begins {
                for _ in 0..<100 { await Task.yield() }
                store.staged.end()
                try await expect(task.value.id.value, equals: "a")
            } else {
                await #expect(throws: StoreError.cancelled(.notApplied)) { try await task.value }
            }
        }
    }

    @Test func `a task that is cancelled while others wait for its write stops nothing`()
        async throws
    {
        let creation: Promise = store.create(Person("a", "Ada"))
        creation.observe { _ in }
        let task = Task { try await creation.value }
        task.cancel()
        await #expect(throws: StoreError.cancelled(.unknown)) { try await task.value }
        store.staged.begin()
        store.staged.end()
        _ = try await creation.value
        try expect(names(), equals: ["Ada"])
    }

    @Test func `the end of a write is not undone by cancelling it afterwards`() async throws {
        let creation: Promise = store.create(Person("a", "Ada"))
        store.staged.begin()
        store.staged.end()
        creation.cancel()
        try await expect(creation.value.name.value, equals: "Ada")
    }

    @Test(arguments: [false, true])
    func `what takes too long fails with its outcome`(hasBegun: Bool) async throws {
        let person = Person("a", "Ada")
        let creation: Promise = store.with(deadline: .seconds(2)).create(person)
        if hasBegun { store.staged.begin() }
        await #expect(throws: StoreError.timedOut(hasBegun ? .unknown : .notApplied)) {
            try await creation.value
        }
        store.staged.begin()
        store.staged.end()
        try expect(names(), equals: (hasBegun ? ["Ada"] : []))
    }

    @Test func `what is asked for after its deadline is not begun`() async throws {
        let late = MemoryModelStore().with(deadline: .zero)
        await #expect(throws: StoreError.timedOut(.notApplied)) {
            try await late.create(Person("a", "Ada")).value
        }
        await #expect(throws: StoreError.timedOut(.notApplied)) {
            try await late.list(Person.self).value
        }
        await #expect(throws: StoreError.timedOut(.notApplied)) {
            try await late.transaction { _ in Issue.record("it has begun") }.value
        }
        try await expect(late.with(deadline: nil).list(Person.self).value.count, equals: 0)
    }

    @Test func `what is done in time is not touched by its deadline`() async throws {
        let quick = MemoryModelStore().with(deadline: .seconds(600))
        let person = try await quick.create(Person("a", "Ada")).value
        let held: Promise = store.with(deadline: .seconds(600)).create(Person("b", "Bob"))
        store.staged.begin()
        store.staged.end()
        _ = try await held.value
        try await expect(quick.lookup(Person.self, identifier: "a").value === person)
        try await expect(quick.list(Person.self).value, equals: [person])
    }

    @Test func `writes behind a transaction in memory can be cancelled`()
        async throws
    {
        let store = MemoryModelStore()
        let inside = Promise<Void>.withResolvers(), over = DispatchSemaphore(value: 0)
        let done = Promise<Void>.withResolvers()
        // On a thread of its own, as it waits.
        DispatchQueue(label: "transaction").async {
            done.resolver.follow(
                store.transaction { transaction in
                    inside.resolver.fulfill()
                    over.wait()
                    try transaction.create(Person("a", "Ada"))
                }
            )
        }
        try await inside.promise.value
        let dropped: Promise = store.create(Person("b")), made: Promise = store.create(Person("c"))
        expect(dropped.result == nil)
        try expect(store.listImmediately(Person.self).isEmpty)
        dropped.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await dropped.value }
        over.signal()
        try await done.promise.value
        _ = try await made.value
        try expect(store.listImmediately(Person.self).map(\.id.value), equals: ["a", "c"])
    }

    /// A store whose reads wait for ever.
    private struct Endless: RecordModelStore {
        let session: StoreSession
        let records: any RecordStore = EndlessRecords()
    }

    private struct EndlessRecords: RecordStore {
        func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> { .value([]) }

        func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
            let (promise, resolver) = Promise<[Record]>.withResolvers()
            resolver.onCancel { withExtendedLifetime(resolver) {} }
            return promise
        }

        func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
            fetch(RecordQuery(), of: schema).map(\.first)
        }
    }

    @Test(arguments: [false, true])
    func `a read that is cancelled fails as all in a store does`(_ hasEvents: Bool) async throws {
        let events = hasEvents ? StoreEvents { _ in } : nil
        let store = Endless(session: StoreSession(events: events))
        func expect<Value>(_ read: Promise<Value>) async {
            read.cancel()
            await #expect(throws: StoreError.cancelled(.notApplied)) { try await read.value }
        }
        await expect(store.list(Person.self))
        await expect(store.page(Person.self, limit: 1))
        await expect(store.lookup(Person.self, identifier: "a"))
        let list: Promise = store.list(Person.self)
        let task = Task { try await list.value }
        while list.result == nil {
            task.cancel()
            await Task.yield()
        }
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await task.value }
    }

    @Test func `writes that were asked for independently each report their outcomes`()
        async throws
    {
        let people = ["a", "b", "c"].map { Person($0) }
        let first: Promise = store.create(people[2])
        let writes: Promise = store.perform(independently: people.map { .save($0) })
        store.staged.begin()
        store.staged.end()
        _ = try await first.value
        // The save of what is known by then has nothing to write.
        store.staged.begin()
        writes.cancel()
        expect(!writes.isSettled, "one has begun")
        store.staged.end()
        let errors = try await writes.value.map { outcome -> StoreError? in
            if case .failure(let error) = outcome { error as? StoreError } else { nil }
        }
        expect(errors, equals: [nil, .cancelled(.notApplied), nil])
        expect(store.staged.count, equals: 1)
    }
}
