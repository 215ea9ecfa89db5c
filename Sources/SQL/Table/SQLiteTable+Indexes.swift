import ModelKitFields
import ModelKitModels
import ModelKitStores

/// An index that a field asks for.
struct SQLiteIndex: Sendable {
    let name: String
    let column: SQLiteColumn
    let isUnique: Bool
    /// What makes it, as SQLite keeps it.
    let sql: String

    static let prefix = "_modelkit_index:"

    init(_ column: SQLiteColumn, isUnique: Bool, of table: SQLiteTable) throws {
        self.column = column
        self.isUnique = isUnique
        let kind = isUnique ? "unique:" : ""
        name = "\(Self.prefix)\(kind)\(table.schema.name).\(column.name)"
        let quotedName = try quoted(identifier: name)
        let expression = column.comparable(column.quotedName)
        if isUnique {
            // What does not compare with anything may be there more than once.
            let condition =
                column.kind == .any
                ? " WHERE NOT \(column.isTagged(.json, column.quotedName))" : ""
            sql = "CREATE UNIQUE INDEX \(quotedName) ON \(table.name) (\(expression))\(condition)"
        } else {
            // In the order of answers.
            let identifier = table.identifierColumn.quotedName
            sql = "CREATE INDEX \(quotedName) ON \(table.name) (\(expression), \(identifier))"
        }
    }
}

extension SQLiteTable {
    /// The indexes that the table is to have, but for that of the identifier.
    func indexes() throws -> [SQLiteIndex] {
        try columns.flatMap { column -> [SQLiteIndex] in
            // The table has one of the identifiers, but as texts.
            if column === identifierColumn {
                return column.kind.holdsNumberTexts
                    ? [try SQLiteIndex(column, isUnique: false, of: self)] : []
            }
            guard column.entry.isIndexed else { return [] }
            var indexes: [SQLiteIndex] = []
            if column.entry.isUnique {
                indexes.append(try SQLiteIndex(column, isUnique: true, of: self))
            }
            // One with a condition finds nothing.
            if !column.entry.isUnique || column.kind == .any {
                indexes.append(try SQLiteIndex(column, isUnique: false, of: self))
            }
            return indexes
        }
    }

    /// Whether there are no others of this store's than there have to be.
    func areIndexesThere(_ connection: SQLiteConnection) throws -> Bool {
        let found = try knownIndexes(connection)
        let wanted = try indexes()
        return found.count == wanted.count && wanted.allSatisfy { found[$0.name] == $0.sql }
    }

    /// Whether an index is there as it is declared.
    ///
    /// A file that is only read may lack it, as the view of a table does; and another program may have
    /// taken it away.
    func has(_ index: SQLiteIndex, _ connection: SQLiteConnection) throws -> Bool {
        try !connection.texts(
            """
            SELECT list.name FROM pragma_index_list(?1) AS list, main.sqlite_master AS made \
            WHERE list.name = ?2 AND made.name = ?2 AND made.type = 'index' AND made.sql = ?3
            """,
            schema.name,
            index.name,
            index.sql
        )
        .isEmpty
    }

    /// Makes those that are missing, and removes those that no field asks for any more.
    func makeIndexes(_ connection: SQLiteConnection) throws {
        let wanted = try indexes()
        var found = try knownIndexes(connection)
        for (name, sql) in found where !wanted.contains(where: { ($0.name, $0.sql) == (name, sql) })
        {
            try connection.execute("DROP INDEX \(try quoted(identifier: name))")
            found[name] = nil
        }
        for index in wanted where found[index.name] == nil {
            do {
                try connection.execute(index.sql)
            } catch let error as SQLiteError where error.kind == .constraint(.unique) {
                throw try duplicate(of: index.column, connection) ?? error
            }
        }
    }

    /// The indexes of this store that the table has, and what made them.
    private func knownIndexes(_ connection: SQLiteConnection) throws -> [String: String] {
        let parts = try connection.parts(withPrefix: SQLiteIndex.prefix, ofTable: schema.name)
        return Dictionary(parts.map { ($0.name, $0.sql) }, uniquingKeysWith: { $1 })
    }

    /// Two rows with the same value in a column that is to be unique.
    private func duplicate(
        of column: SQLiteColumn,
        _ connection: SQLiteConnection
    ) throws -> StoreError? {
        let expression = column.comparable(column.sql)
        let identifiers = try connection.withStatement(
            """
            SELECT min("_order"), max("_order") FROM \(name) WHERE \(expression) IS NOT NULL \
            GROUP BY \(expression) HAVING count(*) > 1 ORDER BY 1 LIMIT 1
            """
        ) { rows in
            try rows.step() ? [rows.int64(at: 0), rows.int64(at: 1)] : []
        }
        let found = try identifiers.compactMap { order in
            try connection.withStatement("\(selectAll) WHERE \(name).\"_order\" = ?1") { row in
                try row.bind(order, at: 1)
                return try row.step() ? try read(row).identifier : nil
            }
        }
        return found.count == 2 ? schema.duplicate(of: column.key, found[0], found[1]) : nil
    }
}
