import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<Int>()

    convenience init(_ id: Int) {
        self.init()
        self.id.value = id
    }
}

private final class Town: Model {
    let id = Field<Int>()
}

private final class Coded: Model {
    let id = Field<Int>()
    let code = Field<Int>().transform(
        with: FieldTransformer(
            kind: .string,
            export: { .string(String($0)) },
            import: { _ in 0 }
        )
    )
}

private class Animal: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    override class var subclasses: [ModelObject.Type] { [Dog.self] }
}

private final class Dog: Animal, @unchecked Sendable {}

/// A store whose commits say only the names of their types.
private final class NamingStore: RecordModelStore {
    let session = StoreSession()
    let records: any RecordStore = NamingRecords()
}

private final class NamingRecords: RecordStore {
    private let memory = MemoryRecordStore()
    private let observers = RecordObservers()

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        memory.perform(writes).map { [observers] receipts in
            let changes = writes.map {
                RecordChanges.Change(type: $0.schema.name, identifier: nil)
            }
            observers.notify(RecordChanges(changes))
            return receipts
        }
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        memory.fetch(query, of: schema)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        memory.record(identifier, of: schema)
    }

    func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        observers.add(handler)
    }
}

struct LiveValueTests {
    /// Iterates in a task of its own, and waits for the first value.
    private func observing(
        _ live: LiveValue<Int>,
        _ values: Log<Int>
    ) async throws -> Task<[Int?], any Error> {
        let task = Task {
            let iterator = live.makeAsyncIterator()
            while let value = try await iterator.next() { values.add(value) }
            return [try await iterator.next()]
        }
        try await wait(until: { !values.entries.isEmpty })
        return task
    }

    private func wait(until isDone: () -> Bool) async throws {
        while !isDone() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `an iteration that is cancelled while it waits ends without an error`()
        async throws
    {
        let values = Log<Int>()
        let task = try await observing(MemoryModelStore().observe(count: Person.self), values)
        task.cancel()
        try await expect(task.value, equals: [nil])
        expect(values.entries, equals: [0])
    }

    @Test func `a store that is closed ends its live values with an error`() async throws {
        let directory = try Directory()
        let store = try ArchiveModelStore(directory: directory.path)
        let live = store.observe(count: Person.self)
        let asked = live.makeAsyncIterator()
        _ = try await asked.next()
        let waiting = try await observing(live, Log<Int>())
        try await store.close().value
        await #expect(throws: StoreError.self) { try await waiting.value }
        await #expect(throws: StoreError.self) { try await asked.next() }
        try await expect(asked.next() == nil)
    }

    @Test func `only a commit that may change the value has it computed anew`() async throws {
        let store = FailingStore(MemoryModelStore())
        let values = Log<Int>()
        let live = store.observe(count: Person.self, where: \.id < 10)
        let task = try await observing(live, values)
        _ = try await store.create(Town()).value
        try await Task.sleep(for: .milliseconds(20))
        expect(store.count(of: .read), equals: 1)
        _ = try await store.create(Person(11)).value
        try await wait(until: { store.count(of: .read) == 2 })
        _ = try await store.create(Person(1)).value
        try await wait(until: { values.entries.count == 2 && store.count(of: .read) == 3 })
        expect(values.entries, equals: [0, 1])
        task.cancel()
        _ = try await task.value
    }

    @Test func `what one commit writes twice counts once`() async throws {
        let store = MemoryModelStore()
        let people = [Person(1), Person(2), Person(3)]
        _ = try await store.create(people).value
        let counts = store.observe(count: Person.self).makeAsyncIterator()
        try await expect(counts.next(), equals: 3)
        let sums = store.observe(sum: \.id, of: Person.self).makeAsyncIterator()
        try await expect(sums.next(), equals: 6)
        try await store.transaction { transaction in
            try transaction.delete(people[1])
            try transaction.create(people[1])
            try transaction.delete(people[2])
            try transaction.create(Person(10))
            try transaction.create(Person(20))
        }.value
        try await expect(counts.next(), equals: 4)
        try await expect(sums.next(), equals: 33)
    }

    @Test func `a value that cannot be is an error until it can be again`() async throws {
        let store = MemoryModelStore()
        let most = Person(.max)
        _ = try await store.create(most).value
        let sums = store.observe(sum: \.id, of: Person.self).makeAsyncIterator()
        try await expect(sums.next(), equals: .max)
        let one = try await store.create(Person(1)).value
        await #expect(throws: StoreError.self) { try await sums.next() }
        _ = try await store.delete(one).value
        try await expect(sums.next(), equals: .max)
        _ = try await store.create(one).value
        await #expect(throws: StoreError.self) { try await sums.next() }
        _ = try await store.delete(most).value
        try await expect(sums.next(), equals: 1)
        _ = try await store.delete(one).value
        try await expect(sums.next(), equals: 0)
    }

    @Test func `a store that fails is asked again after the next commit`() async throws {
        let store = FailingStore(MemoryModelStore())
        let counts = store.observe(count: Person.self).makeAsyncIterator()
        try await expect(counts.next(), equals: 0)
        store.script = [.fail(.unavailable("away", .notApplied), on: .read)]
        _ = try await store.create(Person(1)).value
        await #expect(throws: StoreError.self) { try await counts.next() }
        _ = try await store.create(Person(2)).value
        try await expect(counts.next(), equals: 2)
    }

    @Test func `a commit that fails is tried once, also where nobody waited for it`() async throws {
        let store = FailingStore(MemoryModelStore())
        let (reads, log) = (Log<String>(), Log<String>())
        let task = Task {
            let counts = store.observe(count: Person.self).makeAsyncIterator()
            while true {
                do {
                    guard let count = try await counts.next() else { return }
                    log.add("\(count)")
                } catch {
                    log.add("error")
                }
                // It is busy until it may read on.
                let read = log.entries.count
                try await wait(until: { reads.entries.count >= read })
            }
        }
        try await wait(until: { log.entries.count == 1 })
        store.script = [.fail(.unavailable("away", .notApplied), on: .read)]
        _ = try await store.create(Person(1)).value
        reads.add("the error")
        try await wait(until: { log.entries.count == 2 })
        reads.add("nothing yet")
        try await Task.sleep(for: .milliseconds(20))
        _ = try await store.create(Person(2)).value
        try await wait(until: { log.entries.count == 3 })
        expect(log.entries, equals: ["0", "error", "2"])
        task.cancel()
        _ = await task.result
    }

    @Test func `what can never be answered is an error, and the end`() async throws {
        let counting = FailingStore(MemoryModelStore())
        counting.script = [.fail(.unsupported("only counts"), on: .read)]
        let aggregate = RecordAggregate(.sum("nothing"))
        let values: [LiveValue<Int>] = [
            MemoryModelStore().observe(sum: \.code, of: Coded.self),
            MemoryModelStore().observe(Person.self, totals: aggregate) { _ in 0 },
            counting.observe(sum: \.id, of: Person.self),
            HeldStore().observe(count: Person.self),
        ]
        for live in values {
            let iterator = live.makeAsyncIterator()
            await #expect(throws: StoreError.self) { try await iterator.next() }
            try await expect(iterator.next() == nil)
        }
    }

    @Test func `a commit that says only the name of another type has nothing asked`() async throws {
        let store = FailingStore(NamingStore())
        let values = Log<Int>()
        let task = try await observing(store.observe(count: Animal.self), values)
        let reads = store.count(of: .read)
        _ = try await store.create(Town()).value
        try await Task.sleep(for: .milliseconds(20))
        expect(store.count(of: .read), equals: reads)
        _ = try await store.create(Dog()).value
        try await wait(until: { values.entries.count == 2 })
        expect(values.entries, equals: [0, 1])
        task.cancel()
        _ = try await task.value
    }
}
