import ModelKitModels
import ModelKitStores

/// The writes that are made together.
struct SQLiteTransaction {
    private var receipts: [RecordReceipt] = []

    private let connection: SQLiteConnection
    /// Takes what is there before the writes, where somebody needs that.
    private let old: OldRecords?
    private var numbers: SQLiteNumbers

    private init(
        _ numbers: SQLiteNumbers,
        _ connection: SQLiteConnection,
        _ old: OldRecords? = nil
    ) {
        (self.numbers, self.connection, self.old) = (numbers, connection, old)
    }

    /// Makes the writes in their order, and what follows from them, on a connection that is in a
    /// transaction, to the tables that the closure gives.
    ///
    /// Where it throws, the numbers are as they were.
    static func apply(
        _ writes: [RecordWrite],
        _ numbers: inout SQLiteNumbers,
        _ old: OldRecords?,
        _ connection: SQLiteConnection,
        _ table: (ModelSchema) throws -> SQLiteTable
    ) throws -> MadeRecords {
        if let error = try writes.lacking({ try table($0).contains($1, connection) }) {
            throw error
        }
        let before = numbers
        do {
            var made = MadeRecords(
                writes,
                try receipts(of: writes, &numbers, old, connection, table)
            )
            guard made.mayHaveEffects else { return made }
            try made.addEffects { query, schema in
                try SQLiteQuery(query, of: schema, connection, table).records()
            } perform: {
                try receipts(of: [$0], &numbers, old, connection, table)[0]
            }
            return made
        } catch {
            numbers = before
            throw error
        }
    }

    /// Adds records, without those that are refused.
    ///
    /// - Returns: Why some are refused, by their places among the writes.
    static func insert(
        _ writes: [RecordWrite],
        _ numbers: inout SQLiteNumbers,
        _ connection: SQLiteConnection,
        _ table: (ModelSchema) throws -> SQLiteTable
    ) throws -> [Int: StoreError] {
        var transaction = SQLiteTransaction(numbers, connection)
        var refused: [Int: StoreError] = [:]
        var index = 0
        while index < writes.count {
            let table = try table(writes[index].schema)
            let start = index
            index = try transaction.create(writes, from: start, in: table, by: table.insertNew) {
                // All is lost where SQLite has given the transaction up.
                try connection.checkTransaction()
                let error = StoreError($1)
                guard error.isOfRecord || ($1 as? SQLiteError)?.isOfConstraint ?? false else {
                    throw $1
                }
                refused[$0] = error
            }
            if index == start {
                throw StoreError.unsupported("an insertion of what is no creation")
            }
        }
        numbers = transaction.numbers
        return refused
    }

    private static func receipts(
        of writes: [RecordWrite],
        _ numbers: inout SQLiteNumbers,
        _ old: OldRecords?,
        _ connection: SQLiteConnection,
        _ table: (ModelSchema) throws -> SQLiteTable
    ) throws -> [RecordReceipt] {
        var transaction = SQLiteTransaction(numbers, connection, old)
        transaction.receipts.reserveCapacity(writes.count)
        var index = 0
        while index < writes.count {
            let table = try table(writes[index].schema)
            index = try transaction.apply(writes, from: index, to: table)
        }
        numbers = transaction.numbers
        return transaction.receipts
    }

    /// Makes a write, and those after it that the same statement can make.
    ///
    /// - Returns: The index of the first write that is left.
    private mutating func apply(
        _ writes: [RecordWrite],
        from start: Int,
        to table: SQLiteTable
    ) throws -> Int {
        if writes[start].isCreation { return try create(writes, from: start, in: table) }
        if let old, let identifier = writes[start].knownIdentifier {
            try old.note(identifier, writes[start].schema) {
                try table.record(identifier, connection)
            }
        }
        switch writes[start].action {
        case .create: return try create(writes, from: start, in: table)
        case .update(let identifier, let changes, let expected):
            receipts.append(
                try table.update(identifier, changes, expecting: expected, connection)
            )
        case .delete(let identifier, let expected):
            receipts.append(try table.delete(identifier, expecting: expected, connection))
        case .save(let identifier, let values, let onConflict):
            guard onConflict != .fail, try table.contains(identifier, connection) else {
                let identifier = try numbers.identifier(identifier, in: table, connection)
                let values = try writes[start].valuesOfNew(values)
                try connection.withStatement(table.insert) { insert in
                    receipts.append(try table.create(identifier, values, insert, connection))
                }
                break
            }
            let changes = table.changes(values, onConflict)
            let revision = try table.update(identifier, changes, expecting: nil, connection)
                .revision
            // What it has not set, the model takes.
            let merged = onConflict == .merge ? try table.record(identifier, connection) : nil
            receipts.append(
                RecordReceipt(identifier: identifier, revision: revision, record: merged)
            )
        }
        return start + 1
    }

    /// Adds a record, and those after it of the same type.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - start: The index of the first one.
    ///   - table: The table.
    ///   - sql: The statement; that of `insert`, if none is given.
    ///   - refuse: Takes why one cannot be added, and throws where that ends all.
    /// - Returns: The index of the first write that is left.
    /// - Throws: What `refuse` throws.
    private mutating func create(
        _ writes: [RecordWrite],
        from start: Int,
        in table: SQLiteTable,
        by sql: String? = nil,
        refuse: (_ index: Int, any Error) throws -> Void = { throw $1 }
    ) throws -> Int {
        let schema = writes[start].schema
        return try connection.withStatement(sql ?? table.insert) { insert in
            var index = start
            while index < writes.count, writes[index].schema === schema {
                let before = numbers
                do {
                    guard let receipt = try create(writes[index], in: table, insert) else { break }
                    receipts.append(receipt)
                    // What could be added was not there.
                    old?.note(receipt.identifier, schema) { nil }
                } catch {
                    try refuse(index, error)
                    // What is refused has used up no number.
                    numbers = before
                    insert.reset()
                }
                index += 1
            }
            return index
        }
    }

    /// Adds a record; gives nil for another write.
    private mutating func create(
        _ write: RecordWrite,
        in table: SQLiteTable,
        _ insert: SQLiteStatement
    ) throws -> RecordReceipt? {
        if let (given, row) = write.creation {
            return try table.create(
                numbers.identifier(given, in: table, connection),
                row,
                write.texts,
                insert,
                connection
            )
        }
        guard case .create(let given, let values) = write.action else { return nil }
        let identifier = try numbers.identifier(given, in: table, connection)
        return try table.create(identifier, values, insert, connection)
    }
}
