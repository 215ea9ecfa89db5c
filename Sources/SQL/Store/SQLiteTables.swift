import ModelKitModels
import ModelKitStores

/// The tables of a store that were opened.
final class SQLiteTables: Sendable {
    /// By their schemas, which they keep.
    private let tables = Guarded<[ObjectIdentifier: SQLiteTable]>([:])
    /// Whether other connections may write to the tables.
    private let areShared: Bool

    init(_ tables: [SQLiteTable] = [], areShared: Bool = false) {
        self.areShared = areShared
        for table in tables { insert(table) }
    }

    var all: [SQLiteTable] { tables.withLock { Array($0.values) } }

    /// Has a transaction, which has just begun, read what deletions of others have left.
    func beginTransaction() { if areShared { forgetLastRevisions() } }

    /// Has what deletions have left be read again, as some were taken back.
    func forgetLastRevisions() {
        for table in all { table.forgetLastRevision() }
    }

    /// The table of a type, if it was opened.
    func find(_ schema: ModelSchema) throws(StoreError) -> SQLiteTable? {
        if let table = tables.withLock({ $0[ObjectIdentifier(schema)] }) { return table }
        let name = SQLiteName(schema.name)
        guard let table = all.first(where: { SQLiteName($0.schema.name) == name }) else {
            return nil
        }
        try schema.check(isOf: table.schema)
        return table
    }

    /// Whether the table of a type was opened.
    func has(_ schema: ModelSchema) -> Bool { (try? find(schema)) != nil }

    /// Keeps a table.
    ///
    /// - Returns: Whether there was none of its schema.
    @discardableResult
    func insert(_ table: SQLiteTable) -> Bool {
        tables.withLock { $0.updateValue(table, forKey: ObjectIdentifier(table.schema)) == nil }
    }

    /// The table of a type, which is opened at its first use, by the connection that writes.
    func open(_ schema: ModelSchema, _ connection: SQLiteConnection) throws -> SQLiteTable {
        if let table = try find(schema) { return table }
        let table = try SQLiteTable(of: schema)
        try table.open(connection)
        try table.beginLogging(connection)
        try table.reportOldColumns(connection)
        insert(table)
        return table
    }

    /// The table of a type in a database that is only read.
    func view(_ schema: ModelSchema, _ connection: SQLiteConnection) throws -> SQLiteTable {
        let table = try find(schema) ?? SQLiteTable(of: schema)
        try connection.views.prepare(table, connection)
        if insert(table) { try table.reportOldColumns(connection, isReadOnly: true) }
        return table
    }
}
