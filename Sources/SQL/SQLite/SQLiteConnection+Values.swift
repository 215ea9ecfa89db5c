import ModelKitFields

extension SQLiteConnection {
    /// Runs a statement with values.
    func run(_ sql: String, _ values: [AttributeValue]) throws {
        try withStatement(sql) { statement in
            try statement.bind(values)
            try statement.execute()
        }
    }

    /// What the closure makes of each row.
    func rows<Row>(
        _ sql: String,
        _ values: [AttributeValue] = [],
        _ read: (SQLiteStatement) throws -> Row
    ) throws -> [Row] {
        try withStatement(sql) { statement in
            try statement.bind(values)
            var rows: [Row] = []
            while try statement.step() { rows.append(try read(statement)) }
            return rows
        }
    }

    /// The number in the first column of the first row; 0 if there is none.
    func number(_ sql: String, _ values: [AttributeValue] = []) throws -> Int64 {
        try withStatement(sql) { statement in
            try statement.bind(values)
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }

    /// The first column of every row, as texts.
    func texts(_ sql: String, _ parameters: String...) throws -> [String] {
        try rows(sql, parameters.map { .string($0) }) { try $0.string(at: 0) }
    }
}
