import ModelKitModels

/// The records of several types, as a value.
struct RecordTables: Sendable {
    private(set) var tables: [String: MemoryTable] = [:]

    /// The records of a type; an empty table if there are none yet.
    func table(of schema: ModelSchema) throws(StoreError) -> MemoryTable {
        guard let table = tables[schema.name] else { return try MemoryTable(of: schema) }
        try schema.check(isOf: table.schema)
        return table
    }

    /// Puts a table in the place of that of its type.
    mutating func put(_ table: MemoryTable) { tables[table.schema.name] = table }

    /// Makes all writes, or none of them.
    mutating func apply(_ writes: [RecordWrite]) throws(StoreError) -> [RecordReceipt] {
        var changes: [(type: String, change: MemoryTable.Change)] = []
        var receipts: [RecordReceipt] = []
        do throws(StoreError) {
            for write in writes {
                let type = write.schema.name
                if tables[type]?.schema !== write.schema {
                    tables[type] = try table(of: write.schema)
                }
                guard let (receipt, change) = try tables[type]?.apply(write) else {
                    continue
                }
                changes.append((type, change))
                receipts.append(receipt)
            }
        } catch {
            for (type, change) in changes.reversed() { tables[type]?.undo(change) }
            throw error
        }
        return receipts
    }
}
