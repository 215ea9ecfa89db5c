import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

private final class Person: Model {
    let id = Field<String>()

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

@Suite struct LateReceiptTests {
    @Test func `a deletion whose receipt is late does not forget who came after`() async throws {
        let store = LateStore()
        let person = try await store.create(Person("p1")).value
        store.late.isHolding = true
        let deletion: Promise = store.delete(person)
        store.late.isHolding = false
        let other = try await store.create(Person("p1")).value
        store.late.release()
        _ = try await deletion.value
        try await expect(store.lookup(Person.self, identifier: "p1").value === other)
        withExtendedLifetime(other) {}
    }
}

/// A store that makes a write at once, but may report so later.
private final class LateStore: RecordModelStore {
    let late = LateRecords()
    let session = StoreSession()

    var records: any RecordStore { late }
}

// Safe: one test uses it, from one task.
private final class LateRecords: RecordStore, @unchecked Sendable {
    var isHolding = false
    private let memory = MemoryRecordStore()
    private var held: [@Sendable () -> Void] = []

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if !isHolding { return memory.perform(writes) }
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let result = Result<[RecordReceipt], any Error> { [memory] in try memory.apply(writes) }
        held.append { resolver.resolve(result) }
        return promise
    }

    func release() {
        for answer in held { answer() }
        held = []
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        memory.fetch(query, of: schema)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        memory.record(identifier, of: schema)
    }
}
