import ModelKitModels

extension SQLiteChildTable {
    /// The rows of an owner, each with its values as SQLite holds them, nil for what cannot be read.
    struct OwnedRows {
        /// The owner's `_order`.
        let owner: Int64
        private let rows: [[AttributeValue?]]
        private var taken: Set<Int> = []
        /// The numbers of rows by their values in some columns, the first row last.
        private var found: [[Int]: [[AttributeValue]: [Int]]] = [:]

        init(of owner: Int64, _ rows: [[AttributeValue?]]) {
            (self.owner, self.rows) = (owner, rows)
        }

        /// Takes the first row that has the values in the columns of these numbers, and that was not taken before.
        ///
        /// - Returns: Whether there is one.
        mutating func take(_ columns: [Int], _ values: [AttributeValue]) -> Bool {
            if found[columns] == nil {
                var numbers: [[AttributeValue]: [Int]] = [:]
                for (number, row) in rows.enumerated().reversed() {
                    let held = columns.compactMap { row[$0] }
                    if held.count == columns.count { numbers[held, default: []].append(number) }
                }
                found[columns] = numbers
            }
            while let number = found[columns]?[values]?.popLast() {
                if taken.insert(number).inserted { return true }
            }
            return false
        }
    }

    /// Whether a row has the key and the values of a model without an identifier, and was not found before;
    /// nor does the column name its identifier itself.
    func takeRow(
        like model: AttributeDictionary,
        _ column: SQLiteOldColumn,
        _ owner: (order: Int64, identifier: AttributeValue)
    ) throws -> Bool {
        let keyName = column.relation.key.key.columnName
        guard let key = columns.first(where: { $0.isNamed(keyName) }) else { return false }
        var places: [Int] = []
        var wanted: [AttributeValue] = []
        for (name, _, value) in values(of: model) where !key.isNamed(name) {
            guard let place = columns.firstIndex(where: { $0.isNamed(name) }) else { continue }
            guard let held = try connection.held(value, in: columns[place]) else { return false }
            places.append(place)
            wanted.append(held.asNumbersCompare)
        }
        if owned?.owner != owner.order { owned = try rows(of: owner, column, key) }
        return owned?.take(places, wanted) ?? false
    }

    /// The rows of an owner that its column does not name.
    private func rows(
        of owner: (order: Int64, identifier: AttributeValue),
        _ column: SQLiteOldColumn,
        _ key: SQLiteTableColumn
    ) throws -> OwnedRows {
        let key = try quoted(identifier: key.name)
        if !isIndexed {
            try connection.execute("CREATE INDEX \(try index()) ON \(table.name) (\(key))")
            isIndexed = true
        }
        let values = try columns.map { "row.\(try quoted(identifier: $0.name))" }
        let rows = try connection.rows(
            """
            SELECT \(values.joined(separator: ", ")) FROM \(table.name) AS row WHERE row.\(key) = ?2 \
            AND row.\(identity) NOT IN (\(try column.named())) ORDER BY row."_order"
            """,
            [.int(owner.order), owner.identifier]
        ) { row in
            try columns.indices.map { try row.readableValue(at: $0)?.asNumbersCompare }
        }
        return OwnedRows(of: owner.order, rows)
    }

    /// Finds the rows of an owner; that of the store may not be there before all migrations have run.
    private func index() throws -> String {
        try quoted(identifier: "\(SQLiteIndex.prefix)children:\(schema.name)")
    }

    func dropIndex() throws {
        if isIndexed { try connection.execute("DROP INDEX \(try index())") }
    }
}

extension AttributeValue {
    /// A whole number as an integer, as SQLite compares numbers by value.
    fileprivate var asNumbersCompare: AttributeValue {
        if case .double(let number) = self, let whole = Int64(exactly: number) {
            return .int(whole)
        }
        return self
    }
}

extension SQLiteStatement {
    /// The value as SQLite holds it; nil for text that cannot be read.
    func readableValue(at index: Int) throws -> AttributeValue? {
        do {
            return try value(at: index)
        } catch let error as SQLiteError where error.kind == .mismatch {
            return nil
        }
    }
}

extension SQLiteConnection {
    /// A value as a column holds it; nil for one that it cannot hold.
    func held(_ value: AttributeValue, in column: SQLiteTableColumn) throws -> AttributeValue? {
        guard let kind = column.kind(for: value) else { return nil }
        return try withStatement("SELECT ?1") { statement in
            do {
                try statement.bind(value, as: kind, at: 1)
            } catch let error as SQLiteError where error.kind == .mismatch {
                return nil
            } catch is ImportError {
                return nil
            }
            return try statement.step() ? statement.value(at: 0) : nil
        }
    }
}
