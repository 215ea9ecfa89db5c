public import ModelKitStores

extension SQLiteMigration.Context {
    /// Changes the records of a type one by one, in the order in which they were created; false if
    /// there is no table.
    ///
    /// The values of a row come by the names of its columns, and as SQLite holds them: integers,
    /// numbers, texts, data and null. What was changed is written; booleans, dates, arrays and
    /// dictionaries are as welcome there as what SQLite holds. A changed record has a new revision, so
    /// that an edit of the old one by another process is a conflict.
    ///
    /// ```swift
    /// try migration.transform("Person") { row in
    ///     guard case .string(let name) = row["name"] else { return }
    ///     row["initial"] = .string(String(name.prefix(1)))
    /// }
    /// ```
    @discardableResult
    public func transform(
        _ type: String,
        _ body: (inout [String: AttributeValue]) throws -> Void
    ) throws -> Bool {
        let columns = try connection.columns(ofTable: type)
        if columns.isEmpty { return false }
        for own in ["_order", "_revision"] where !columns.contains(where: { $0.isNamed(own) }) {
            throw StoreError.isForeign(table: type)
        }
        let table = try quoted(identifier: type)
        let all = SQLMigrationRows(of: type) {
            try connection.number("SELECT count(*) FROM \(table)")
        } part: { first, count in
            try rows(
                "SELECT * FROM \(table) WHERE \"_order\" >= ?1 ORDER BY \"_order\" LIMIT ?2",
                [.int(first), .int(Int64(count))]
            )
        }
        try all.forEachPart(run) { part in
            for (order, row) in part {
                let changes = try all.changes(
                    of: row,
                    by: body,
                    isOfStore: SQLiteTableColumn.isOfStore
                )
                if !changes.isEmpty { try update(type, columns, order, changes) }
            }
        }
        return true
    }

    private func update(
        _ type: String,
        _ columns: [SQLiteTableColumn],
        _ order: Int64,
        _ changes: SQLMigrationRows.Row
    ) throws {
        let changed = columns.filter { changes[$0.name] != nil }
        var sql = "UPDATE \(try quoted(identifier: type)) SET \"_revision\" = \"_revision\" + 1"
        for (index, column) in changed.enumerated() {
            sql += ", \(try quoted(identifier: column.name)) = ?\(index + 2)"
        }
        try connection.withStatement("\(sql) WHERE \"_order\" = ?1") { update in
            try update.bind(order, at: 1)
            for (index, column) in changed.enumerated() {
                try column.bind(changes[column.name] ?? .null, of: type, to: update, at: index + 2)
            }
            try update.execute()
        }
    }
}
