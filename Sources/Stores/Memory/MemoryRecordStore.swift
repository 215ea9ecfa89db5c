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
    private var tables: [String: MemoryTable] = [:]

    public init() {}

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        .attempt { try apply(writes) }
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        .attempt {
            try query.check(of: schema)
            // The list is copied under the lock (one reference) and searched outside.
            let rows = try lock.withLock { try table(of: schema).rows }
            return query.answer(from: rows.lazy.compactMap { $0 })
        }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        .attempt { try find(identifier, of: schema) }
    }

    func find(_ identifier: Identifier, of schema: ModelSchema) throws(StoreError) -> Record? {
        lock.lock()
        defer { lock.unlock() }
        return try table(of: schema)[identifier]
    }

    /// The records of a type; an empty table if there are none yet.
    private func table(of schema: ModelSchema) throws(StoreError) -> MemoryTable {
        guard let table = tables[schema.name] else { return try MemoryTable(of: schema) }
        try schema.check(isOf: table.schema)
        return table
    }

    /// Makes all writes, or none of them.
    @discardableResult
    public func apply(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        lock.lock()
        defer { lock.unlock() }
        var changes: [(type: String, change: MemoryTable.Change)] = []
        var receipts: [RecordReceipt] = []
        do throws(StoreError) {
            for write in writes {
                let type = write.schema.name
                if tables[type]?.schema !== write.schema {
                    tables[type] = try table(of: write.schema)
                }
                guard let (receipt, change) = try tables[type]?.apply(write.action) else {
                    continue
                }
                changes.append((type, change))
                receipts.append(receipt)
            }
        } catch {
            for (type, change) in changes.reversed() { tables[type]?.undo(change) }
            throw error
        }
        for type in Set(changes.map(\.type)) { tables[type]?.compact() }
        return receipts
    }
}
