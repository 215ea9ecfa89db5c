import ModelKitFields
public import ModelKitModels

/// Records in memory, in the order of their creation.
///
/// ```swift
/// let records = MemoryRecordStore()
/// let write = RecordWrite(.create("p1", ["name": "Bob"]), of: Person.schema)
/// let receipts = try await records.perform([write]).value
/// ```
///
/// Promises are settled when they are returned, unless a transaction is under way: writes come after it,
/// and are made on its thread.
// Safe: the tables are guarded by the lock.
public final class MemoryRecordStore: RecordStore, @unchecked Sendable {
    private let lock = Lock()
    private var tables = RecordTables()
    private let writers = WriterQueue()
    private let observers = RecordObservers()
    private let body = TransactionBody()

    public init() {}

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        write { [self] in
            let receipts = try apply(writes)
            observers.notify(RecordChanges(writes, receipts))
            return receipts
        }
    }

    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        write { [self] in
            let before = lock.withLock { tables }
            let (result, after, changes) = try self.body.run {
                try TablesTransaction.run(before, body)
            }
            // Nobody else has written meanwhile; what is replaced is freed after the lock.
            lock.withLock { tables = after }
            observers.notify(changes)
            return result
        }
    }

    public func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        observers.add(handler)
    }

    /// Makes a change when no other one is under way.
    private func write<Value: Sendable>(
        _ change: @escaping @Sendable () throws -> Value
    ) -> Promise<Value> {
        if let refusal = body.refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let begun = Begun()
        writers.run {
            if begun.begin() { resolver.resolve(Result { try change() }) }
        }
        if !promise.isSettled { begun.decide(resolver) }
        return promise
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        .attempt { try find(query, of: schema) }
    }

    func find(_ query: RecordQuery, of schema: ModelSchema) throws(StoreError) -> [Record] {
        // The tables are copied under the lock (one reference) and searched outside; a write meanwhile
        // copies no more than the pieces that it changes.
        try lock.withLock { tables }.answer(query, of: schema)
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        .attempt { try find(identifier, of: schema) }
    }

    func find(_ identifier: Identifier, of schema: ModelSchema) throws(StoreError) -> Record? {
        lock.lock()
        defer { lock.unlock() }
        return try tables.table(of: schema)[identifier]
    }

    private func apply(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        lock.lock()
        defer { lock.unlock() }
        return try tables.apply(writes)
    }
}
