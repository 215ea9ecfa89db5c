import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLWriter {
    /// Makes writes in their order, and what follows from them, in the transaction of the connection.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - old: Takes what is there before, where somebody needs that.
    /// - Returns: What was made.
    /// - Throws: A `StoreError` for a write that cannot be made, or what the server has refused, as in
    ///   `PostgreSQLTable.failure(_:of:)`; the transaction is to be rolled back then.
    mutating func apply(_ writes: [RecordWrite], _ old: OldRecords?) throws -> MadeRecords {
        try checkOwners(of: writes)
        var made = MadeRecords(writes, try receipts(of: writes, old))
        guard made.mayHaveEffects else { return made }
        var writer = self
        defer { self = writer }
        try made.addEffects { query, schema in
            try PostgreSQLQuery(query, of: schema, connection, table).records()
        } perform: { write in
            try writer.receipts(of: [write], old)[0]
        }
        return made
    }

    /// Makes sure that the records are there without which some are not to be written, and stay until the end of the
    /// transaction.
    private mutating func checkOwners(of writes: [RecordWrite]) throws {
        let error = try writes.lacking { schema, identifier in
            try table(schema).keep(identifier, &self)
        }
        if let error { throw error }
    }

    /// Makes writes; those beside each other that one statement can make are made by one.
    private mutating func receipts(
        of writes: [RecordWrite],
        _ old: OldRecords?
    ) throws -> [RecordReceipt] {
        var receipts: [RecordReceipt] = []
        receipts.reserveCapacity(writes.count)
        var index = 0
        while index < writes.count {
            let table = try table(writes[index].schema)
            let run = PostgreSQLWriteRun(writes[index...])
            if let old { try note(writes[run.range], table, old) }
            receipts += try self.receipts(of: writes[run.range], run.kind, table)
            if let old, run.kind == .creation {
                for receipt in receipts.suffix(run.range.count) {
                    // What could be added was not there.
                    old.note(receipt.identifier, table.schema) { nil }
                }
            }
            index = run.range.upperBound
        }
        return receipts
    }

    private func note(
        _ writes: ArraySlice<RecordWrite>,
        _ table: PostgreSQLTable,
        _ old: OldRecords
    ) throws {
        for write in writes {
            guard let identifier = write.knownIdentifier else { continue }
            try old.note(identifier, table.schema) { try table.record(identifier, connection) }
        }
    }

    /// Makes writes of one kind to one table.
    mutating func receipts(
        of writes: ArraySlice<RecordWrite>,
        _ kind: PostgreSQLWriteRun.Kind,
        _ table: PostgreSQLTable
    ) throws -> [RecordReceipt] {
        switch kind {
        case .creation:
            let rows = try writes.compactMap { try table.newRow($0) }
            return try table.insert(rows, &self)
        case .update:
            let targets = writes.compactMap(PostgreSQLTable.Target.init)
            let changes = writes.map(\.changes)
            let made = try table.update(targets, changes, &self)
            return try receipts(of: targets, changes, made, table)
        case .deletion:
            let targets = writes.compactMap(PostgreSQLTable.Target.init)
            let made = try table.delete(targets, &self)
            return try receipts(of: targets, targets.map { _ in [:] }, made, table)
        case .save:
            return try writes.map { try save($0, table) }
        }
    }

    /// The one statement by which a write is made; nil where there is more to do.
    mutating func statement(
        of write: RecordWrite,
        _ kind: PostgreSQLWriteRun.Kind,
        _ table: PostgreSQLTable
    ) throws -> PostgreSQLStatement? {
        switch kind {
        case .creation: try table.newRow(write).map { try table.insertion(of: [$0], &self) }
        case .update:
            try PostgreSQLTable.Target(write).map {
                try table.updating([$0], [write.changes], &self)
            }
        case .deletion:
            try PostgreSQLTable.Target(write).map { try table.deleting([$0], &self) }
        case .save: nil
        }
    }

    /// The receipts of targets that were written, or why the first one that is missing was not.
    private func receipts(
        of targets: [PostgreSQLTable.Target],
        _ changes: [[FieldKey: AttributeValue]],
        _ made: [Identifier: Int64],
        _ table: PostgreSQLTable
    ) throws -> [RecordReceipt] {
        try zip(targets, changes).map { target, changes in
            guard let revision = made[target.identifier] else {
                throw try table.failure(of: target, changes, connection)
            }
            return RecordReceipt(identifier: target.identifier, revision: revision)
        }
    }

    /// Adds a record, or does what is said for the case that it is there.
    private mutating func save(
        _ write: RecordWrite,
        _ table: PostgreSQLTable
    ) throws -> RecordReceipt {
        guard case .save(let identifier, let values, let onConflict) = write.action else {
            throw StoreError.unsupported("a save of what is none")
        }
        guard onConflict != .fail, try table.keep(identifier, &self, toWrite: true) else {
            let row = try table.newRow(identifier, write.valuesOfNew(values))
            return try table.insert([row], &self)[0]
        }
        let target = PostgreSQLTable.Target(identifier: identifier, revision: nil)
        let changes = table.changes(values, onConflict)
        let made = try table.update([target], [changes], &self)
        guard let revision = made[identifier] else {
            throw try table.failure(of: target, changes, connection)
        }
        // What it has not set, the model takes.
        let merged = onConflict == .merge ? try table.record(identifier, connection) : nil
        return RecordReceipt(identifier: identifier, revision: revision, record: merged)
    }
}

extension PostgreSQLTable {
    /// The receipt of a write that one statement has made; nil where it was not made.
    func receipt(
        of write: RecordWrite,
        _ kind: PostgreSQLWriteRun.Kind,
        _ result: PostgreSQLResult
    ) throws -> RecordReceipt? {
        if result.rowCount != 1 { return nil }
        if kind == .creation { return try receipts(ofInsertion: result, count: 1).first }
        guard let target = Target(write),
            let revision = try revisions(of: result)[target.identifier]
        else { return nil }
        return RecordReceipt(identifier: target.identifier, revision: revision)
    }
}

/// Writes beside each other that one statement can make.
struct PostgreSQLWriteRun {
    enum Kind { case creation, update, deletion, save }

    let kind: Kind
    let range: Range<Int>

    /// The first of some writes, and those after it.
    init(_ writes: ArraySlice<RecordWrite>) {
        let first = writes[writes.startIndex]
        kind = first.kind
        var end = writes.startIndex + 1
        // The deletion of a record comes before what follows from it.
        var seen: Set<Identifier> = first.knownIdentifier.map { [$0] } ?? []
        let keys = kind == .update ? Set(first.changes.keys) : []
        // One statement does not check them in their order.
        let isUnique = first.schema.fields.contains { $0.isUnique && keys.contains($0.key) }
        while kind != .save, !isUnique, end < writes.endIndex {
            let next = writes[end]
            guard next.schema === first.schema, next.kind == kind else { break }
            if let identifier = next.knownIdentifier, !seen.insert(identifier).inserted { break }
            if kind == .update, Set(next.changes.keys) != keys { break }
            end += 1
        }
        range = writes.startIndex..<end
    }
}

extension RecordWrite {
    fileprivate var kind: PostgreSQLWriteRun.Kind {
        if isCreation { return .creation }
        return switch action {
        case .create: .creation
        case .save: .save
        case .update: .update
        case .delete: .deletion
        }
    }

    /// What an update sets.
    var changes: [FieldKey: AttributeValue] {
        if case .update(_, let changes, _) = action { changes } else { [:] }
    }
}

extension PostgreSQLTable.Target {
    init?(_ write: RecordWrite) {
        switch write.action {
        case .update(let identifier, _, let revision), .delete(let identifier, let revision):
            self.init(identifier: identifier, revision: revision)
        case .create, .save: return nil
        }
    }
}

extension PostgreSQLTable {
    /// Has a row stay there until the end of the transaction.
    ///
    /// - Returns: Whether it is there.
    func keep(
        _ identifier: Identifier,
        _ writer: inout PostgreSQLWriter,
        toWrite isToWrite: Bool = false
    ) throws -> Bool {
        guard identifierColumn.canHold(identifier) else { return false }
        var parameters = PostgreSQLParameters()
        try identifierColumn.append(identifier.attributeValue, to: &parameters)
        let lock = isToWrite ? "FOR NO KEY UPDATE" : "FOR KEY SHARE"
        let sql = "SELECT 1 FROM \(name) WHERE \(identifierColumn.sql) = $1 \(lock)"
        return try writer.run(PostgreSQLStatement(sql, parameters)).rowCount > 0
    }
}
