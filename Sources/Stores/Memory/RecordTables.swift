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

    /// Makes all writes and what follows from them, or nothing.
    mutating func apply(_ writes: [RecordWrite]) throws(StoreError) -> MadeRecords {
        var changes: [(type: String, change: MemoryTable.Change)] = []
        var made = MadeRecords(writes)
        do {
            for write in writes { made.receipts.append(try apply(write, noting: &changes)) }
            guard made.mayHaveEffects else { return made }
            try made.addEffects { query, schema in
                try tables[schema.name] == nil ? [] : answer(query, of: schema)
            } perform: {
                try apply($0, noting: &changes)
            }
            return made
        } catch {
            for (type, change) in changes.reversed() { tables[type]?.undo(change) }
            // Nothing else is thrown.
            throw error as? StoreError ?? .unsupported("\(error)")
        }
    }

    /// Makes what follows from the loss of records that were taken away otherwise; what throws leaves a part of it.
    ///
    /// - Parameters:
    ///   - made: The deletions.
    ///   - isKept: Whether a record stays as it is.
    /// - Throws: `.validation` for a record that needs one that is gone.
    mutating func addEffects(
        to made: inout MadeRecords,
        keeping isKept: (ModelSchema, Identifier) -> Bool
    ) throws(StoreError) {
        var changes: [(type: String, change: MemoryTable.Change)] = []
        do {
            try made.addEffects { query, schema in
                let found = try tables[schema.name] == nil ? [] : answer(query, of: schema)
                return found.filter { !isKept(schema, $0.identifier) }
            } perform: {
                try apply($0, noting: &changes)
            }
        } catch {
            // Nothing else is thrown.
            throw error as? StoreError ?? .unsupported("\(error)")
        }
    }

    private mutating func apply(
        _ write: RecordWrite,
        noting changes: inout [(type: String, change: MemoryTable.Change)]
    ) throws(StoreError) -> RecordReceipt {
        let type = write.schema.name
        if tables[type]?.schema !== write.schema { tables[type] = try table(of: write.schema) }
        guard let (receipt, change) = try tables[type]?.apply(write) else {
            throw .schema("there is no table of \(type)")
        }
        changes.append((type, change))
        return receipt
    }
}
