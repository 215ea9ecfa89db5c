import ModelKitModels
import ModelKitSQL

/// An index that a field asks for.
struct PostgreSQLIndex: Sendable {
    let name: String
    let column: PostgreSQLColumn
    let isUnique: Bool
    /// What it is of, and which rows it has.
    private let content: String

    /// With what the names of the store's own things begin.
    static let prefix = "_modelkit_"

    /// - Parameters:
    ///   - column: The column.
    ///   - kind: What the name says of it.
    ///   - content: What it is of, and which rows it has.
    ///   - table: The table.
    init(
        _ column: PostgreSQLColumn,
        _ kind: String,
        _ content: String,
        of table: PostgreSQLTable
    ) {
        self.column = column
        isUnique = kind == "unique"
        self.content = "ON \(table.name) \(content)"
        // One that is of something else has another name.
        name = "\(Self.prefix)\(kind)_\(table.schema.name)_\(column.name)"
            .shortenedName(for: content)
    }

    /// What makes it.
    ///
    /// - Parameter isConcurrent: Whether others can write meanwhile; it cannot be in a transaction then.
    /// - Returns: The statement.
    func definition(isConcurrent: Bool = false) -> String {
        """
        CREATE \(isUnique ? "UNIQUE " : "")INDEX \(isConcurrent ? "CONCURRENTLY " : "")\
        \(quoted(name: name)) \(content)
        """
    }
}

extension PostgreSQLTable {
    /// The indexes that the table is to have, but for those of the order of creation and of the identifier.
    var indexes: [PostgreSQLIndex] { columns.flatMap(indexes) }

    private func indexes(of column: PostgreSQLColumn) -> [PostgreSQLIndex] {
        let isVariant = column.stored == .any
        let comparable = column.stored.comparable(column.quotedName)
        let expression = isVariant ? "(\(comparable))" : comparable
        func index(_ kind: String, _ content: String) -> PostgreSQLIndex {
            PostgreSQLIndex(column, kind, content, of: self)
        }
        if column.entry.isIndexedByElement {
            return [index("elements", "USING gin ((\(column.quotedName)::jsonb))")]
        }
        // In the order of answers.
        let plain = index("index", "(\(expression), \(identifierColumn.quotedName))")
        // The table has one of the identifiers, but not as they compare.
        if column === identifierColumn { return isVariant ? [plain] : [] }
        guard column.entry.isIndexed else { return [] }
        if !column.entry.isUnique { return [plain] }
        // What does not compare with anything may be there more than once; one with a condition finds nothing.
        if isVariant {
            return [index("unique", "(\(expression)) WHERE \(column.quotedName) < 'z'"), plain]
        }
        return [index("unique", "(\(expression))")]
    }

    /// What gives an index another name.
    func renaming(ofIndex name: String, to other: String) -> String {
        "ALTER INDEX \(quoted(name: space)).\(quoted(name: name)) RENAME TO \(quoted(name: other))"
    }

    /// What removes an index.
    func removal(ofIndex name: String, isConcurrent: Bool = false) -> String {
        """
        DROP INDEX \(isConcurrent ? "CONCURRENTLY " : "")IF EXISTS \
        \(quoted(name: space)).\(quoted(name: name))
        """
    }

    /// Two rows with the same value in a column that is to be unique, as `identifier` reads them.
    func duplicates(of column: PostgreSQLColumn) -> PostgreSQLStatement {
        let name = column.comparable
        return PostgreSQLStatement(
            """
            SELECT \(identifierColumn.sql) FROM \(self.name) WHERE \(name) = (SELECT \(name) \
            FROM \(self.name) WHERE \(name) IS NOT NULL \
            \(column.stored == .any ? "AND \(column.sql) < 'z' " : "")\
            GROUP BY \(name) HAVING count(*) > 1 ORDER BY min("_order") LIMIT 1) \
            ORDER BY "_order" LIMIT 2
            """,
            isPrepared: false
        )
    }
}
