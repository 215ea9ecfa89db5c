import ModelKitModels
import ModelKitStores

/// An index that a field asks for.
struct SQLiteIndex: Sendable {
    let name: String
    let column: SQLiteColumn
    /// What makes it, as SQLite keeps it.
    let sql: String

    static let prefix = "_modelkit_index:"
    fileprivate static let uniquePrefix = "\(prefix)unique:"

    init(_ column: SQLiteColumn, isUnique: Bool, of table: SQLiteTable) throws {
        self.column = column
        name = "\(isUnique ? Self.uniquePrefix : Self.prefix)\(table.schema.name).\(column.name)"
        let quotedName = try quoted(identifier: name)
        let expression = column.kind.comparable(column.quotedName)
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

    /// Whether an index is there as it is declared.
    ///
    /// A file that is only read may lack it, as the view of a table does; and another program may have
    /// taken it away.
    func has(_ index: SQLiteIndex, _ connection: SQLiteConnection) throws -> Bool {
        try connection.number(
            """
            SELECT count(*) FROM pragma_index_list(?1) AS list, main.sqlite_master AS made \
            WHERE list.name = ?2 AND made.name = ?2 AND made.type = 'index' AND made.sql = ?3
            """,
            [.string(schema.name), .string(index.name), .string(index.sql)]
        ) > 0
    }

    /// The indexes of this store that the table lacks, and the names of those that no field asks for any more.
    func wrongIndexes(
        _ connection: SQLiteConnection
    ) throws -> (missing: [SQLiteIndex], needless: [String]) {
        let wanted = try indexes()
        let found = try connection.parts(withPrefix: SQLiteIndex.prefix, ofTable: schema.name)
        let needless = found.filter { part in
            !wanted.contains { ($0.name, $0.sql) == (part.name, part.sql) }
        }
        let missing = wanted.filter { index in
            !found.contains { ($0.name, $0.sql) == (index.name, index.sql) }
        }
        return (missing, needless.map(\.name))
    }

    /// The columns whose values the table keeps apart by an index of a field.
    func uniqueColumns(_ connection: SQLiteConnection) throws -> [SQLiteColumn] {
        let wanted = try columns.filter { $0.entry.isUnique && $0 !== identifierColumn }.map {
            try SQLiteIndex($0, isUnique: true, of: self)
        }
        if wanted.isEmpty { return [] }
        let found = try connection.parts(
            withPrefix: SQLiteIndex.uniquePrefix,
            ofTable: schema.name
        )
        return wanted.filter { index in found.contains { $0.name == index.name } }.map(\.column)
    }

    /// Makes those that are missing, and removes those that no field asks for any more.
    func makeIndexes(_ connection: SQLiteConnection) throws {
        let (missing, needless) = try wrongIndexes(connection)
        // Those of a field that was unique would look for others with its value for ever.
        if needless.contains(where: { $0.hasPrefix(SQLiteIndex.uniquePrefix) }) {
            try connection.dropLogTriggers(ofTable: schema.name)
        }
        for name in needless { try connection.drop(index: name) }
        for index in missing {
            do {
                try connection.execute(index.sql)
            } catch let error as SQLiteError where error.kind == .constraint(.unique) {
                throw try duplicate(of: index.column, connection) ?? error
            }
        }
    }

    /// Two rows with the same value in a column that is to be unique.
    private func duplicate(
        of column: SQLiteColumn,
        _ connection: SQLiteConnection
    ) throws -> StoreError? {
        let expression = column.comparable
        let orders = try connection.rows(
            """
            SELECT min("_order"), max("_order") FROM \(name) WHERE \(expression) IS NOT NULL \
            GROUP BY \(expression) HAVING count(*) > 1 ORDER BY 1 LIMIT 1
            """
        ) { [$0.int64(at: 0), $0.int64(at: 1)] }
        let found = try orders.joined().flatMap { order in
            try connection.rows("\(selectAll) WHERE \(name).\"_order\" = ?1", [.int(order)]) {
                row in
                try read(row).identifier
            }
        }
        return found.count == 2 ? schema.duplicate(of: column.key, found[0], found[1]) : nil
    }
}
