import ModelKitFields
import ModelKitModels

extension SQLiteChildTable {
    /// Whether a row has the key and the values of a model without an identifier, and was not found before;
    /// nor does the column name its identifier itself.
    func takeRow(
        like model: AttributeDictionary,
        _ column: SQLiteOldColumn,
        _ owner: (order: Int64, identifier: AttributeValue)
    ) throws -> Bool {
        let keyName = column.relation.key.key.columnName
        guard let key = columns.first(where: { $0.isNamed(keyName) }) else { return false }
        var (places, wanted): ([Int], [AttributeValue]) = ([], [])
        for (name, _, value) in values(of: model) where !key.isNamed(name) {
            guard let place = columns.firstIndex(where: { $0.isNamed(name) }) else { continue }
            guard let held = try connection.held(value, in: columns[place]) else { return false }
            places.append(place)
            wanted.append(held)
        }
        var rows = try owned.take() ?? self.rows(of: owner, column, key)
        if rows.owner != owner.order { rows = try self.rows(of: owner, column, key) }
        defer { owned = rows }
        while let order = rows.take(places, wanted) {
            if taken.insert(order).inserted { return true }
        }
        return false
    }

    /// The rows of an owner that its column does not name.
    private func rows(
        of owner: (order: Int64, identifier: AttributeValue),
        _ column: SQLiteOldColumn,
        _ key: SQLiteTableColumn
    ) throws -> SQLiteOwnedRows {
        let key = try quoted(identifier: key.name)
        if !isIndexed {
            try connection.execute("CREATE INDEX \(try index()) ON \(table.name) (\(key))")
            isIndexed = true
        }
        let values = try columns.map { ", row.\(try quoted(identifier: $0.name))" }
        return try connection.withStatement(
            """
            SELECT row."_order"\(values.joined()) FROM \(table.name) AS row WHERE row.\(key) = ?2 \
            AND row.\(identity) NOT IN (\(try column.named())) ORDER BY 1
            """
        ) { statement in
            try statement.bind(owner.order, at: 1)
            try statement.bind(owner.identifier, at: 2)
            var rows: [SQLiteOwnedRows.Row] = []
            while try statement.step() {
                let values = try columns.indices.map { try statement.readableValue(at: $0 + 1) }
                rows.append((statement.int64(at: 0), values))
            }
            return SQLiteOwnedRows(of: owner.order, rows)
        }
    }

    /// Finds the rows of an owner; that of the store may not be there before all migrations have run.
    private func index() throws -> String {
        try quoted(identifier: "\(SQLiteIndex.prefix)children:\(schema.name)")
    }

    func dropIndex() throws {
        if isIndexed { try connection.execute("DROP INDEX \(try index())") }
    }
}
