import ModelKitFields
import ModelKitModels
import ModelKitStores

/// The writes that are made together.
struct SQLiteTransaction {
    private var receipts: [RecordReceipt] = []

    private let connection: SQLiteConnection
    /// The last numbers of the tables that make identifiers, as far as they were asked for.
    private var numbers: [String: (table: SQLiteTable, stored: Int64, last: Int64)] = [:]

    private init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Makes the writes in their order on a connection that is in a transaction, to the tables that the
    /// closure gives.
    static func apply(
        _ writes: [RecordWrite],
        _ connection: SQLiteConnection,
        _ table: (ModelSchema) throws -> SQLiteTable
    ) throws -> [RecordReceipt] {
        var tables: [SQLiteTable] = []
        tables.reserveCapacity(writes.count)
        for write in writes {
            if let last = tables.last, last.schema === write.schema {
                tables.append(last)
            } else {
                tables.append(try table(write.schema))
            }
        }
        var transaction = SQLiteTransaction(connection)
        transaction.receipts.reserveCapacity(writes.count)
        var index = 0
        while index < writes.count {
            index = try transaction.apply(writes, from: index, to: tables)
        }
        try transaction.finish()
        return transaction.receipts
    }

    /// Makes a write, and those after it that the same statement can make.
    ///
    /// - Returns: The index of the first write that is left.
    private mutating func apply(
        _ writes: [RecordWrite],
        from start: Int,
        to tables: [SQLiteTable]
    ) throws -> Int {
        let table = tables[start]
        switch writes[start].action {
        case .update(let identifier, let changes, let expected):
            receipts.append(
                try table.update(identifier, changes, expecting: expected, connection)
            )
            return start + 1
        case .delete(let identifier, let expected):
            receipts.append(try table.delete(identifier, expecting: expected, connection))
            return start + 1
        case .save(let identifier, let values, let onConflict):
            if onConflict != .fail, try table.contains(identifier, connection) {
                let changes = table.changes(values, onConflict)
                receipts.append(
                    try table.update(identifier, changes, expecting: nil, connection)
                )
            } else {
                let identifier = try self.identifier(identifier, in: table)
                try connection.withStatement(table.insert) { insert in
                    receipts.append(try table.create(identifier, values, insert))
                }
            }
            return start + 1
        case .create:
            return try connection.withStatement(table.insert) { insert in
                var index = start
                while index < writes.count, tables[index] === table,
                    case .create(let given, let values) = writes[index].action
                {
                    let identifier = try identifier(given, in: table)
                    receipts.append(try table.create(identifier, values, insert))
                    index += 1
                }
                return index
            }
        }
    }

    /// Keeps the last numbers for the next writes.
    private func finish() throws {
        for (table, stored, last) in numbers.values where last > stored {
            try table.keepLastNumber(last, connection)
        }
    }

    private mutating func identifier(
        _ given: Identifier?,
        in table: SQLiteTable
    ) throws -> Identifier {
        // A number in a column of texts is refused where it is bound.
        guard table.makesNumbers else { return given ?? .int(1) }
        if let given, case .string = given { return given }
        let name = table.schema.name
        if numbers[name] == nil {
            let last = try table.lastNumber(connection)
            numbers[name] = (table, last, last)
        }
        let last = numbers[name]?.last ?? 0
        if case .int(let number)? = given {
            numbers[name]?.last = max(last, number)
            return .int(number)
        }
        let next = try table.schema.number(after: last)
        numbers[name]?.last = next
        return .int(next)
    }
}
