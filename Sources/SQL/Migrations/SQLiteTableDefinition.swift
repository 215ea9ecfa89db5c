import ModelKitStores

/// The statement that made a table, taken apart to make the table anew, as SQLite's documentation
/// describes it for changes that ALTER TABLE cannot make (lang_altertable.html, section 7).
struct SQLiteTableDefinition {
    /// The name of the new table until the old one is gone.
    static let rebuilt = "_modelkit_rebuilt"

    /// The definitions of the columns, and the constraints after them.
    private var items: [String]
    /// What comes behind the parenthesis.
    private let options: String
    private var columns: [SQLiteTableColumn]
    private var removed: String?

    init(of table: String, _ connection: SQLiteConnection) throws {
        let sql = try connection.texts(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1 COLLATE NOCASE",
            table
        )
        columns = try connection.columns(ofTable: table)
        guard let parts = sql.first.flatMap(Self.parts), parts.items.count >= columns.count else {
            throw StoreError.unsupported("the definition of the table \(table) cannot be read")
        }
        (items, options) = parts
    }

    mutating func remove(_ column: SQLiteTableColumn) throws {
        let (index, _) = try definition(of: column)
        items.remove(at: index)
        columns.removeAll { $0.isNamed(column.name) }
        removed = column.name
    }

    mutating func change(_ column: SQLiteTableColumn, to type: String) throws {
        let (index, rest) = try definition(of: column)
        guard rest.lowercased().hasPrefix(column.type.lowercased()) else { throw strange(column) }
        let constraints = rest.dropFirst(column.type.count)
        items[index] = "\(try quoted(identifier: column.name)) \(type)\(constraints)"
    }

    /// Where a column is defined, and how after its name.
    private func definition(of column: SQLiteTableColumn) throws -> (index: Int, rest: String) {
        // The columns come first, each with its name.
        guard let index = columns.firstIndex(where: { $0.isNamed(column.name) }) else {
            throw strange(column)
        }
        let item = items[index].drop(while: \.isWhitespace)
        for name in [try quoted(identifier: column.name), column.name]
        where item.lowercased().hasPrefix(name.lowercased()) {
            return (index, String(item.dropFirst(name.count).drop(while: \.isWhitespace)))
        }
        throw strange(column)
    }

    private func strange(_ column: SQLiteTableColumn) -> StoreError {
        .unsupported("the definition of the column \(column.name) cannot be read")
    }

    /// Copies all rows of the old table, quoted as in SQL.
    func copy(from source: String, with new: (SQLiteTableColumn, String)? = nil) throws -> String {
        let names = try columns.map { try quoted(identifier: $0.name) }
        let values = try columns.map { column in
            if let new, new.0.isNamed(column.name) { return new.1 }
            return "\(source).\(try quoted(identifier: column.name))"
        }
        return """
            INSERT INTO "\(Self.rebuilt)" (\(names.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) FROM \(source)
            """
    }

    /// Makes the table anew; `copy` fills it with what the old one has, whose name it is given quoted.
    func rebuild(
        _ table: String,
        _ connection: SQLiteConnection,
        copying copy: (String) throws -> Void
    ) throws {
        let old = try quoted(identifier: table)
        let new = "\"\(Self.rebuilt)\""
        try connection.execute("CREATE TABLE \(new) (\(items.joined(separator: ",")))\(options)")
        try copy(old)
        // The numbers of rows that are deleted are not given again.
        try connection.execute("DELETE FROM sqlite_sequence WHERE name = '\(Self.rebuilt)'")
        try connection.run(
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT '\(Self.rebuilt)', seq \
            FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE
            """,
            [.string(table)]
        )
        try connection.dropOwnIndexes(ofTable: table)
        // Which are made again with what is in the new one.
        try connection.dropLinks(ofTable: table)
        if let removed {
            for index in try connection.indexes(ofTable: table, withColumn: removed) {
                try connection.drop(index: index)
            }
        }
        let others = try connection.texts(
            """
            SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL \
            AND tbl_name = ?1 COLLATE NOCASE ORDER BY rowid
            """,
            table
        )
        try connection.execute("DROP TABLE \(old)")
        // Others that name the table mean the new one.
        try connection.execute("PRAGMA legacy_alter_table=ON")
        defer { try? connection.execute("PRAGMA legacy_alter_table=OFF") }
        try connection.execute("ALTER TABLE \(new) RENAME TO \(old)")
        for sql in others { try connection.execute(sql) }
    }
}

extension SQLiteTableDefinition {
    /// The parts between the outermost parentheses, and what comes behind them.
    static func parts(of sql: String) -> (items: [String], options: String)? {
        var items: [String] = []
        var item = ""
        var depth = 0
        var quote: Character?
        var index = sql.startIndex
        while index < sql.endIndex {
            let character = sql[index]
            index = sql.index(after: index)
            if let end = quote {
                if character == end { quote = nil }
            } else {
                switch character {
                case "'", "\"", "`": quote = character
                case "[": quote = "]"
                case "(":
                    depth += 1
                    if depth == 1 { continue }
                case ")":
                    depth -= 1
                    if depth == 0 { return (items + [item], String(sql[index...])) }
                case "," where depth == 1:
                    items.append(item)
                    item = ""
                    continue
                // A comment may hold anything.
                case "-" where sql[index...].hasPrefix("-"), "/" where sql[index...].hasPrefix("*"):
                    return nil
                default: break
                }
            }
            if depth > 0 { item.append(character) }
        }
        return nil
    }
}
