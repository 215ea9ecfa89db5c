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
            throw StoreError.unsupported("the table \(type) was not made by this store")
        }
        let table = try quoted(identifier: type)
        try run.countRows(of: connection.number("SELECT count(*) FROM \(table)")) { seen in
            // In parts, as what is being read must not be written.
            var last = Int64.min
            while true {
                let part = try rows(
                    "SELECT * FROM \(table) WHERE \"_order\" >= ?1 ORDER BY \"_order\" LIMIT ?2",
                    [.int(last), .int(Int64(SQLiteMigrationRun.step))]
                )
                for row in part {
                    guard case .int(let order)? = row["_order"] else { continue }
                    var changed = row
                    try body(&changed)
                    try update(type, columns, order, from: row, to: changed)
                    try seen()
                    if order == .max { return }
                    last = order + 1
                }
                if part.count < SQLiteMigrationRun.step { return }
            }
        }
        return true
    }

    private func update(
        _ type: String,
        _ columns: [SQLiteTableColumn],
        _ order: Int64,
        from old: [String: AttributeValue],
        to new: [String: AttributeValue]
    ) throws {
        if let name = new.keys.first(where: { old[$0] == nil }) {
            throw StoreError.schema("the table \(type) has no column \(name)")
        }
        let changed = columns.filter { (new[$0.name] ?? .null) != old[$0.name] }
        if changed.isEmpty { return }
        var sql = "UPDATE \(try quoted(identifier: type)) SET \"_revision\" = \"_revision\" + 1"
        for (index, column) in changed.enumerated() {
            if SQLiteTableColumn.isOfStore(column.name) {
                throw StoreError.unsupported("\(type).\(column.name) is the store's own")
            }
            sql += ", \(try quoted(identifier: column.name)) = ?\(index + 2)"
        }
        try connection.withStatement("\(sql) WHERE \"_order\" = ?1") { update in
            try update.bind(order, at: 1)
            for (index, column) in changed.enumerated() {
                try column.bind(new[column.name] ?? .null, of: type, to: update, at: index + 2)
            }
            try update.execute()
        }
    }
}
