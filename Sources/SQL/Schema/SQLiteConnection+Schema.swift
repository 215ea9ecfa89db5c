extension SQLiteConnection {
    /// The columns of a table; empty if there is none.
    func columns(ofTable table: String) throws -> [SQLiteTableColumn] {
        try rows("SELECT name, type FROM pragma_table_info(?1)", [.string(table)]) { info in
            SQLiteTableColumn(name: try info.string(at: 0), type: try info.string(at: 1))
        }
    }

    /// Drops the indexes of a table that the store has made by declaration, and makes again when it opens the
    /// table.
    func dropOwnIndexes(ofTable table: String) throws {
        for part in try parts(withPrefix: "_modelkit_", ofTable: table) where part.kind == "index" {
            try drop(index: part.name)
        }
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

    /// What the names of the triggers begin with by which tables are logged.
    static let logPrefix = "_modelkit_log:"

    /// Removes the triggers by which a table is logged, or all, as they are in the way when it is changed.
    ///
    /// Who opens the table makes them again, and who follows the log sees by the schema that something was changed.
    func dropLogTriggers(ofTable table: String? = nil) throws {
        for part in try parts(withPrefix: Self.logPrefix, ofTable: table)
        where part.kind == "trigger" {
            try execute("DROP TRIGGER \(quoted(identifier: part.name))")
        }
    }

    /// What a schema has: its kind as `sqlite_master` calls it, the table that it is of, and what made it.
    typealias Part = (kind: String, name: String, table: String, sql: String)

    /// What has a name with a prefix, of a table or of all.
    func parts(withPrefix prefix: String, ofTable table: String? = nil) throws -> [Part] {
        try rows(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_master \
            WHERE substr(name, 1, ?1) = ?2 AND sql IS NOT NULL \
            AND (?3 IS NULL OR tbl_name = ?3 COLLATE NOCASE)
            """,
            [.int(Int64(prefix.count)), .string(prefix), table.map { .string($0) } ?? .null]
        ) { part in
            (
                try part.string(at: 0), try part.string(at: 1), try part.string(at: 2),
                try part.string(at: 3)
            )
        }
    }
}
