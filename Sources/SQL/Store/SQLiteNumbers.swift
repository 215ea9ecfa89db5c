import ModelKitModels
import ModelKitStores

/// The last numbers of the tables that make identifiers, as far as a transaction has asked for them.
struct SQLiteNumbers {
    private typealias Number = (table: SQLiteTable, stored: Int64, last: Int64)

    /// That of the table of the last record, by itself: a copy, to go back to, then allocates nothing.
    private var current: Number?
    private var others: [Number] = []

    /// The identifier of a new record: the one that it has, or the next number.
    mutating func identifier(
        _ given: Identifier?,
        in table: SQLiteTable,
        _ connection: SQLiteConnection
    ) throws -> Identifier {
        // A number in a column of texts is refused where it is bound.
        guard table.makesNumbers else { return given ?? .int(1) }
        if let given, case .string = given { return given }
        let last = try last(of: table, connection)
        if case .int(let given)? = given {
            current?.last = table.schema.lastNumber(last, given: given)
            return .int(given)
        }
        let next = try table.schema.number(after: last) {
            try table.contains(.int($0), connection)
        }
        guard let next else { throw table.schema.numbersAreUsedUp }
        current?.last = next
        return .int(next)
    }

    /// The last number of a table, which is the current one then.
    private mutating func last(
        of table: SQLiteTable,
        _ connection: SQLiteConnection
    ) throws -> Int64 {
        if let current, current.table === table { return current.last }
        let number: Number
        if let place = others.firstIndex(where: { $0.table === table }) {
            number = others.remove(at: place)
        } else {
            let last = try table.lastNumber(connection)
            number = (table, last, last)
        }
        if let current { others.append(current) }
        current = number
        return number.last
    }

    /// Keeps them for the next transaction.
    func keep(_ connection: SQLiteConnection) throws {
        for (table, stored, last) in others + (current.map { [$0] } ?? []) where last > stored {
            try table.keep(last, in: SQLiteTable.numbers, connection)
        }
    }
}
