import ModelKitFields
public import ModelKitModels

/// Records in memory, in the order of their creation.
///
/// ```swift
/// let records = MemoryRecordStore()
/// try records.apply([RecordWrite(.create("p1", ["name": "Bob"]), of: Person.schema)])
/// ```
// Safe: the tables are guarded by the lock.
public final class MemoryRecordStore: RecordStore, @unchecked Sendable {
    private let lock = Lock()
    private var tables = RecordTables()

    public init() {}

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        .attempt { try apply(writes) }
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

    /// Makes all writes, or none of them.
    @discardableResult
    public func apply(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        lock.lock()
        defer { lock.unlock() }
        return try tables.apply(writes)
    }
}
