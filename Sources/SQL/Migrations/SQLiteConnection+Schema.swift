import ModelKitStores

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
