import ModelKitFields
import ModelKitModels
import ModelKitStores
import Testing

/// A store in memory whose writes are made when the test says so.
final class HeldStore: RecordModelStore {
    let held = HeldRecords()
    let session = StoreSession()

    var records: any RecordStore { held }

    /// Makes the oldest write that waits, and reports its outcome.
    func release() { held.release() }
}

// Safe: the list is guarded by the lock.
final class HeldRecords: RecordStore, @unchecked Sendable {
    let memory = MemoryRecordStore()

    private let lock = Lock()
    private var waiting: [@Sendable () -> Void] = []

    var count: Int { lock.withLock { waiting.count } }

    func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        lock.withLock {
            waiting.append { [memory] in
                resolver.follow(memory.perform(writes))
            }
        }
        return promise
    }

    func release() {
        let first = lock.withLock { waiting.isEmpty ? nil : waiting.removeFirst() }
        first?()
    }

    func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        memory.fetch(query, of: schema)
    }

    func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        memory.record(identifier, of: schema)
    }
}

extension MemoryRecordStore {
    /// Makes writes, where no transaction is under way.
    @discardableResult
    func apply(_ writes: [RecordWrite]) throws -> [RecordReceipt] {
        try #require(perform(writes).result).get()
    }
}
