import ModelKitModels

/// The records of a group: tables of the types that are in use, and of others what the file holds.
struct ArchiveState: Sendable {
    private(set) var tables = RecordTables()
    private(set) var others: ArchiveContents

    init(_ contents: ArchiveContents) { others = contents }

    /// What the file is to hold.
    var contents: ArchiveContents {
        var contents = others
        for (name, table) in tables.tables { contents.tables[name] = table.archived }
        return contents
    }

    /// What no other group has; nil until it is asked for.
    var identity: String? {
        get { others.identity }
        set { others.identity = newValue }
    }

    /// The records of a type.
    mutating func table(of schema: ModelSchema) throws(StoreError) -> MemoryTable {
        try open(schema)
        return try tables.table(of: schema)
    }

    /// The answer to a query.
    mutating func answer(
        _ query: RecordQuery,
        of schema: ModelSchema
    ) throws(StoreError) -> [Record] {
        try query.check(of: schema)
        for schema in [schema] + (query.filter?.partners(of: schema) ?? []) { try open(schema) }
        return try tables.answer(query, of: schema)
    }

    /// Makes all writes, or none of them.
    mutating func apply(_ writes: [RecordWrite]) throws(StoreError) -> MadeRecords {
        for write in writes {
            try open(write.schema)
            guard write.isDeletion else { continue }
            for schema in write.schema.typesOfEffects { try open(schema) }
        }
        return try tables.apply(writes)
    }

    /// Puts a table in the place of that of its type.
    mutating func put(_ table: MemoryTable) throws(StoreError) {
        try open(table.schema)
        tables.put(table)
    }

    /// Forgets all records of a type, or of all types; the numbers that were used stay used.
    mutating func removeAll(_ schema: ModelSchema? = nil) throws(StoreError) {
        if let schema {
            tables.put(try table(of: schema).emptied)
            return
        }
        for (_, table) in tables.tables {
            tables.put(table.emptied)
        }
        for name in others.tables.keys {
            let revisions = others.tables[name]?.records.map(\.revision) ?? []
            others.tables[name]?.lastRevision.raise(to: revisions.max() ?? 0)
            if others.tables[name]?.dictionaries.isEmpty == false {
                others.tables[name]?.lastRevision.raise(to: 1)
            }
            others.tables[name]?.records = []
            others.tables[name]?.dictionaries = []
        }
    }

    /// Makes what follows where records of some tables of before are gone, as if each had been deleted.
    ///
    /// - Parameters:
    ///   - before: The tables.
    ///   - isKept: Whether a record stays as it is.
    /// - Returns: What was written.
    /// - Throws: `.validation` for a record that needs one that is gone.
    mutating func makeEffects(
        ofMissing before: [MemoryTable],
        keeping isKept: (ModelSchema, Identifier) -> Bool = { _, _ in false }
    ) throws(StoreError) -> [RecordChanges.Change] {
        var writes: [RecordWrite] = []
        var receipts: [RecordReceipt] = []
        for old in before where !old.schema.derivedRelations.isEmpty {
            let table = try table(of: old.schema)
            for row in old.rows.chunks.joined() where table.row(row.identifier) == nil {
                let deletion = RecordWrite.Action.delete(row.identifier, revision: nil)
                writes.append(RecordWrite(deletion, of: old.schema))
                receipts.append(RecordReceipt(identifier: row.identifier, revision: row.revision))
            }
            for schema in old.schema.typesOfEffects { try open(schema) }
        }
        if writes.isEmpty { return [] }
        var made = MadeRecords(writes, receipts)
        try tables.addEffects(to: &made, keeping: isKept)
        return Array(made.changes.changes.dropFirst(writes.count))
    }

    /// Makes a table of what the file holds of a type.
    private mutating func open(_ schema: ModelSchema) throws(StoreError) {
        guard let archived = others.tables[schema.name] else { return }
        let table = try MemoryTable(of: schema, archived)
        others.tables[schema.name] = nil
        tables.put(table)
        reportOldValues(in: table)
    }

    /// Notes that all models of a relation have records of their own.
    mutating func settle(_ relation: DerivedRelation, of table: MemoryTable) {
        guard var table = tables.tables[table.schema.name] else { return }
        table.settled.insert(relation.entry.key)
        tables.put(table)
    }
}

extension MemoryTable {
    /// The table without its records, whose numbers, places and revisions stay used.
    fileprivate var emptied: MemoryTable {
        var table = self
        table.removeAll()
        table.noteRevisions(ofMissing: self)
        return table
    }
}

extension Int64 {
    fileprivate mutating func raise(to other: Int64) { self = Swift.max(self, other) }
}

extension ArchiveState: TransactionTables {}
