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
    func number(_ sql: String, _ values: ArraySlice<AttributeValue> = []) throws -> Int64 {
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

extension SQLiteStatement {
    /// Binds values to the first parameters.
    func bind(_ values: some Collection<AttributeValue>) throws {
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
    }

    /// Binds a value: a boolean as 0 or 1, a date as whole microseconds since 1970 in UTC.
    ///
    /// Throws for NaN, for a date beyond ±292 000 years, and for an array or a dictionary, whose JSON
    /// text is for the caller to make.
    package func bind(_ value: AttributeValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .bool(let value): try bind(value ? 1 as Int64 : 0, at: index)
        case .int(let value): try bind(value, at: index)
        case .double(let value): try bind(value, at: index)
        case .string(let value): try bind(value, at: index)
        case .data(let value): try bind(value, at: index)
        case .date(let value):
            guard let microseconds = Timestamp.exactMicroseconds(of: value) else {
                throw refusal(index, "a date that is too far away")
            }
            try bind(microseconds, at: index)
        case .array, .dictionary:
            throw refusal(index, "\(value.kind), not its JSON text")
        }
    }

    /// A value as SQLite holds it.
    func value(at index: Int) throws -> AttributeValue {
        switch type(at: index) {
        case .null: .null
        case .integer: .int(int64(at: index))
        case .double: .double(double(at: index))
        case .text: .string(try string(at: index))
        case .blob: .data(try data(at: index))
        }
    }
}
