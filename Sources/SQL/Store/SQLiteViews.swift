import ModelKitModels

/// What stands in for the tables and columns that a database lacks which is only read: temporary views of
/// a connection, by the names of the tables.
///
/// A table that is missing is empty, and a column has its field's default value in every row.
final class SQLiteViews {
    private var version: Int64 = -1
    /// Every table that was looked at, and whether a view stands for it.
    private var prepared: [SQLiteName: (table: SQLiteTable, isView: Bool)] = [:]

    /// Looks at a table, unless nothing was changed since.
    func prepare(_ table: SQLiteTable, _ connection: SQLiteConnection) throws {
        let version = try connection.number("PRAGMA main.schema_version")
        if version != self.version {
            for (table, isView) in prepared.values where isView {
                // Some are gone where this was interrupted before.
                try change(connection, "DROP VIEW IF EXISTS temp.\(table.name)")
            }
            prepared = [:]
            self.version = version
        }
        let name = SQLiteName(table.schema.name)
        if prepared[name] != nil { return }
        let missing = try table.missingColumns(connection)
        if missing?.isEmpty ?? false {
            prepared[name] = (table, false)
            return
        }
        var columns = ["0 AS \"_order\"", "0 AS \"_revision\""]
        if let missing {
            columns =
                try ["stored.*"]
                + missing.map { column in
                    let value = try literal(table.defaultValue(of: column), column, connection)
                    return "\(value) AS \(column.quotedName)"
                }
        } else {
            columns += table.columns.map { "NULL AS \($0.quotedName)" }
        }
        let rows = missing == nil ? "WHERE 0" : "FROM main.\(table.name) AS stored"
        try change(
            connection,
            "CREATE TEMP VIEW \(table.name) AS SELECT \(columns.joined(separator: ", ")) \(rows)"
        )
        prepared[name] = (table, true)
    }

    /// The value as SQL, since a view takes no parameters.
    private func literal(
        _ value: AttributeValue,
        _ column: SQLiteColumn,
        _ connection: SQLiteConnection
    ) throws -> String {
        // As a text it would end before U+0000.
        let sql = """
            SELECT iif(typeof(?1) = 'text', 'CAST(' || quote(CAST(?1 AS BLOB)) || ' AS TEXT)', quote(?1))
            """
        return try connection.withStatement(sql) { quote in
            try quote.bind(value, as: column.kind, at: 1)
            return try quote.step() ? quote.string(at: 0) : "NULL"
        }
    }

    /// What is temporary may not be changed either on a connection that only reads.
    private func change(_ connection: SQLiteConnection, _ sql: String) throws {
        try connection.execute("PRAGMA query_only=OFF")
        defer { try? connection.execute("PRAGMA query_only=ON") }
        try connection.execute(sql)
    }
}

extension SQLiteConnection {
    /// What stands in for what a database lacks that is only read.
    var views: SQLiteViews {
        if let views = companion as? SQLiteViews { return views }
        let views = SQLiteViews()
        companion = views
        return views
    }
}
