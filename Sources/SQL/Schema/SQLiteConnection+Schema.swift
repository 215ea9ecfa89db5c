extension SQLiteConnection {
    /// The columns of a table; empty if there is none.
    func columns(ofTable table: String) throws -> [SQLiteTableColumn] {
        try withStatement("SELECT name, type FROM pragma_table_info(?1)") { info in
            try info.bind(table, at: 1)
            var columns: [SQLiteTableColumn] = []
            while try info.step() {
                columns.append(
                    SQLiteTableColumn(name: try info.string(at: 0), type: try info.string(at: 1))
                )
            }
            return columns
        }
    }

    /// The indexes of a table that the store has made by declaration, and makes again when it opens
    /// the table.
    func ownIndexes(ofTable table: String) throws -> [String] {
        try texts(
            """
            SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE \
            AND name LIKE '\\_modelkit\\_%' ESCAPE '\\'
            """,
            table
        )
    }

    /// The indexes of a table that have a column and can be dropped.
    func indexes(ofTable table: String, withColumn column: String) throws -> [String] {
        try texts(
            """
            SELECT list.name FROM pragma_index_list(?1) AS list WHERE list.origin = 'c' \
            AND EXISTS (SELECT 1 FROM pragma_index_info(list.name) AS info \
            WHERE info.name = ?2 COLLATE NOCASE)
            """,
            table,
            column
        )
    }

    func drop(index: String) throws {
        try execute("DROP INDEX \(quoted(identifier: index))")
    }

    /// What a schema has: its kind as `sqlite_master` calls it, the table that it is of, and what made it.
    typealias Part = (kind: String, name: String, table: String, sql: String)

    /// What has a name with a prefix, of a table or of all.
    func parts(withPrefix prefix: String, ofTable table: String? = nil) throws -> [Part] {
        try withStatement(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master \
            WHERE substr(name, 1, ?1) = ?2 AND sql IS NOT NULL \
            AND (?3 IS NULL OR tbl_name = ?3 COLLATE NOCASE)
            """
        ) { list in
            try list.bind(Int64(prefix.count), at: 1)
            try list.bind(prefix, at: 2)
            if let table { try list.bind(table, at: 3) }
            var parts: [Part] = []
            while try list.step() {
                parts.append(
                    (
                        try list.string(at: 0), try list.string(at: 1), try list.string(at: 2),
                        try list.string(at: 3)
                    )
                )
            }
            return parts
        }
    }

    /// The first column of every row, as texts.
    func texts(_ sql: String, _ parameters: String...) throws -> [String] {
        try withStatement(sql) { statement in
            for (index, parameter) in parameters.enumerated() {
                try statement.bind(parameter, at: index + 1)
            }
            var texts: [String] = []
            while try statement.step() { texts.append(try statement.string(at: 0)) }
            return texts
        }
    }
}
