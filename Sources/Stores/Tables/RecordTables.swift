import ModelKitModels

/// The records of several types, as a value.
struct RecordTables: Sendable, RecordReading {
    private(set) var tables: [String: MemoryTable] = [:]
    /// What a file holds of types that are not in use yet.
    private(set) var closed: [String: TableContents] = [:]
    /// What those of no other file have; nil until it is asked for.
    var identity: String?

    init() {}

    /// The records that a file holds.
    init(_ contents: [String: TableContents], identity: String?) {
        (closed, self.identity) = (contents, identity)
    }

    /// That the records of all types have changed.
    var changes: [RecordChanges.Change] {
        (Array(tables.keys) + closed.keys).sorted()
            .map { RecordChanges.Change(type: $0, identifier: nil) }
    }

    /// The records of a type; an empty table if there are none yet, or none that were opened.
    func table(of schema: ModelSchema) throws(StoreError) -> MemoryTable {
        guard let table = tables[schema.name] else { return try MemoryTable(of: schema) }
        try schema.check(isOf: table.schema)
        return table
    }

    /// The records of a type, also where a file alone has them.
    mutating func opened(_ schema: ModelSchema) throws(StoreError) -> MemoryTable {
        if !closed.isEmpty, let contents = closed[schema.name] {
            let table = try MemoryTable(of: schema, contents)
            closed[schema.name] = nil
            put(table)
            reportOldValues(in: table)
        }
        return try table(of: schema)
    }

    /// Puts a table in the place of that of its type.
    mutating func put(_ table: MemoryTable) { tables[table.schema.name] = table }

    /// Notes that all models of a relation have records of their own.
    mutating func settle(_ relation: DerivedRelation, of schema: ModelSchema) {
        tables[schema.name]?.settled.insert(relation.entry.key)
    }

    /// A record; throws where a file alone has it.
    func record(
        _ identifier: Identifier,
        of schema: ModelSchema
    ) throws(StoreError) -> Record? {
        if closed[schema.name] != nil { throw .unsupported("\(schema.name) was not opened") }
        return try table(of: schema)[identifier]
    }

    /// The answer to a query.
    mutating func answer(
        _ query: RecordQuery,
        of schema: ModelSchema
    ) throws(StoreError) -> [Record] {
        try query.check(of: schema)
        let table = try opened(schema)
        for partner in query.filter?.partners(of: schema) ?? [] { _ = try opened(partner) }
        return MemoryQuery(query, of: table, in: self).rows().map(table.layout.record)
    }

    /// What the records make together that fulfil an aggregate's filter.
    mutating func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) throws(StoreError) -> RecordTotals {
        try aggregate.check(of: schema)
        let table = try opened(schema)
        for partner in aggregate.filter?.partners(of: schema) ?? [] { _ = try opened(partner) }
        var totals = RecordTotals(aggregate, of: schema)
        if aggregate == RecordAggregate(.count) {
            totals.add(.null, of: table.count, to: nil)
            return totals
        }
        MemoryQuery(RecordQuery(filter: aggregate.filter), of: table, in: self).forEachRow { row in
            let values = row.pointee.values
            let group = totals.groupSlot.map { values[$0] }
            totals.add(totals.slot.map { values[$0] } ?? .null, to: group)
        }
        return totals
    }

    // MARK: Writing

    private typealias Changes = [(type: String, change: MemoryTable.Change)]

    /// Makes all writes and what follows from them, or nothing.
    mutating func apply(
        _ writes: [RecordWrite],
        _ old: OldRecords? = nil
    ) throws(StoreError) -> MadeRecords {
        var changes: Changes = []
        var made = MadeRecords(writes)
        if !closed.isEmpty {
            // What is deleted with a record, or needs it, has to be there before anything is written.
            for write in writes where write.mayHaveEffects {
                for schema in write.schema.typesOfEffects { _ = try opened(schema) }
            }
        }
        let error = try writes.lacking { schema, identifier throws(StoreError) in
            try opened(schema).row(identifier) != nil
        }
        if let error { throw error }
        do throws(StoreError) {
            for write in writes { made.receipts.append(try apply(write, noting: &changes)) }
            if made.mayHaveEffects { try addEffects(to: &made, noting: &changes) }
            if let old {
                for (change, (type, done)) in zip(made.changes.changes, changes) {
                    guard let made = change.made, let table = tables[type] else {
                        continue
                    }
                    old.note(made.receipt.identifier, made.write.schema) { table.old(done) }
                }
            }
            return made
        } catch {
            for (type, change) in changes.reversed() { tables[type]?.undo(change) }
            throw error
        }
    }

    private mutating func apply(
        _ write: RecordWrite,
        noting changes: inout Changes
    ) throws(StoreError) -> RecordReceipt {
        let type = write.schema.name
        if tables[type]?.schema !== write.schema { tables[type] = try opened(write.schema) }
        guard let (receipt, change) = try tables[type]?.apply(write) else {
            throw .schema("there is no table of \(type)")
        }
        changes.append((type, change))
        return receipt
    }

    /// Makes what follows from deletions; what throws leaves a part of it.
    ///
    /// - Parameters:
    ///   - made: The deletions.
    ///   - changes: What was changed.
    ///   - isKept: Whether a record stays as it is.
    /// - Throws: `.validation` for a record that needs one that is gone.
    private mutating func addEffects(
        to made: inout MadeRecords,
        noting changes: inout Changes,
        keeping isKept: (ModelSchema, Identifier) -> Bool = { _, _ in false }
    ) throws(StoreError) {
        do {
            try made.addEffects { query, schema in
                if tables[schema.name] == nil, closed[schema.name] == nil { return [] }
                return try answer(query, of: schema).filter { !isKept(schema, $0.identifier) }
            } perform: {
                try apply($0, noting: &changes)
            }
        } catch {
            // Nothing else is thrown.
            throw error as? StoreError ?? .unsupported("\(error)")
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
            let table = try opened(old.schema)
            for row in old.rows.chunks.joined() where table.row(row.identifier) == nil {
                writes.append(RecordWrite(.delete(row.identifier, revision: nil), of: old.schema))
                receipts.append(RecordReceipt(identifier: row.identifier, revision: row.revision))
            }
        }
        if writes.isEmpty { return [] }
        var made = MadeRecords(writes, receipts)
        var changes: Changes = []
        try addEffects(to: &made, noting: &changes, keeping: isKept)
        return Array(made.changes.changes.dropFirst(writes.count))
    }

    /// Forgets all records; the numbers and revisions that were used stay used.
    mutating func removeAll() {
        for table in tables.values { put(table.emptied) }
        for (name, contents) in closed {
            let revisions =
                contents.rows.map(\.revision) + (contents.dictionaries.isEmpty ? [] : [1])
            closed[name]?.lastRevision = max(contents.lastRevision, revisions.max() ?? 0)
            closed[name]?.rows = []
            closed[name]?.dictionaries = []
        }
    }
}
