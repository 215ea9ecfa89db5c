import ModelKitModels
import ModelKitStores

/// The change log of a file: which records were written, by any connection.
///
/// Triggers keep it, so that other programs and older versions of this one keep it, too. A file has it from when a
/// store that observes has first seen another connection write: to write a record takes some more time then, and the
/// log some room.
///
/// The positions of rows grow, as the newest row always stays, so that one is never used again. Of others the last
/// `mostRows` stay, as each new row takes away those before; who has seen none of these for longer asks for everything.
enum SQLiteLog {
    /// A row.
    struct Entry: Sendable, Equatable {
        let position: Int64
        let type: String
        let isDeletion: Bool
        /// The identifier, as its column holds it.
        let key: AttributeValue
        let revision: Int64
        /// Made by chance, so that it is another one where a file was restored and has gone on from there.
        let mark: Int64
    }

    /// Until where it was read.
    struct Cursor: Sendable {
        /// That of the schema, without whose change no trigger is gone.
        var version: Int64
        /// How many tables are known to be logged.
        var tables: Int
        /// The newest row; nil where there was none.
        var last: Entry?
    }

    static let tableName = "_modelkit_log"
    /// Twice of what is read at most.
    static let mostRows = 20_000

    fileprivate static func isThere(_ connection: SQLiteConnection) throws -> Bool {
        try !connection.columns(ofTable: tableName).isEmpty
    }

    /// Begins to log what is written to some tables, within a transaction.
    static func begin(_ tables: [SQLiteTable], _ connection: SQLiteConnection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS "\(tableName)" ("position" INTEGER PRIMARY KEY, \
            "type" TEXT NOT NULL, "kind" INTEGER NOT NULL, "key", "revision" INTEGER, \
            "mark" INTEGER NOT NULL DEFAULT (random()))
            """
        )
        // It is never empty, so that where it was read there is always a row to know it by.
        try connection.execute(
            """
            INSERT INTO "\(tableName)" ("type", "kind") SELECT '', 0 \
            WHERE NOT EXISTS (SELECT 1 FROM "\(tableName)")
            """
        )
        for table in tables { try table.makeLogTriggers(connection) }
    }

    /// The end of the log; nil where there is none, or one of the tables is not logged.
    static func end(
        of tables: [SQLiteTable],
        _ connection: SQLiteConnection
    ) throws -> Cursor? {
        guard try isThere(connection), try areLogged(tables, connection) else { return nil }
        return Cursor(
            version: try schemaVersion(connection),
            tables: tables.count,
            last: try newest(connection)
        )
    }

    /// What was written since the log was read, of which nothing is read again after that.
    ///
    /// - Parameters:
    ///   - cursor: Until where it was read, which becomes its end; nil where that is not known.
    ///   - tables: The tables that are followed.
    ///   - connection: The connection, in a transaction.
    /// - Returns: What; nil where there may be more than the log has.
    /// - Throws: What SQLite fails with.
    static func news(
        since cursor: inout Cursor?,
        of tables: [SQLiteTable],
        _ connection: SQLiteConnection
    ) throws -> [Entry]? {
        guard var known = cursor, try known.version == schemaVersion(connection) else {
            cursor = try end(of: tables, connection)
            return nil
        }
        if known.tables != tables.count {
            guard try areLogged(tables, connection) else {
                cursor = nil
                return nil
            }
            known.tables = tables.count
        }
        let most = RecordChanges.mostRows
        var entries = try rows(
            """
            WHERE "position" >= ?1 ORDER BY "position" LIMIT \(most + 2)
            """,
            [.int(known.last?.position ?? 0)],
            connection
        )
        // One that is gone, or another one by now, as of a file that was restored, has taken others with it.
        let isWhole = known.last == nil || entries.first == known.last
        if isWhole, known.last != nil { entries.removeFirst() }
        let isRead = isWhole && entries.count <= most
        known.last = isRead ? entries.last ?? known.last : try newest(connection)
        cursor = known
        return isRead ? entries : nil
    }

    /// Has nothing be read that was written until now.
    static func skip(
        from cursor: inout Cursor?,
        of tables: [SQLiteTable],
        _ connection: SQLiteConnection
    ) throws {
        let version = try schemaVersion(connection)
        if let known = cursor, known.version == version, known.tables == tables.count {
            cursor?.last = try newest(connection)
        } else {
            cursor = try end(of: tables, connection)
        }
    }

    /// The newest row.
    private static func newest(_ connection: SQLiteConnection) throws -> Entry? {
        try rows("ORDER BY \"position\" DESC LIMIT 1", [], connection).first
    }

    private static func rows(
        _ clause: String,
        _ values: [AttributeValue],
        _ connection: SQLiteConnection
    ) throws -> [Entry] {
        try connection.rows(
            """
            SELECT "position", "type", "kind", "key", "revision", "mark" FROM "\(tableName)" \(clause)
            """,
            values
        ) { row in
            Entry(
                position: row.int64(at: 0),
                type: try row.string(at: 1),
                isDeletion: row.int64(at: 2) == SQLiteTable.LogKind.deletion.rawValue,
                // What no text can be read from is of a record that nobody can read.
                key: (try? row.value(at: 3)) ?? .null,
                revision: row.int64(at: 4),
                mark: row.int64(at: 5)
            )
        }
    }

    private static func schemaVersion(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.number("PRAGMA schema_version")
    }

    fileprivate static func areLogged(
        _ tables: [SQLiteTable],
        _ connection: SQLiteConnection
    ) throws -> Bool {
        let names = SQLiteLogTrigger.names(
            of: try connection.parts(withPrefix: SQLiteConnection.logPrefix)
        )
        return try tables.allSatisfy { table in
            let isLogged = try table.logTriggers(connection).allSatisfy {
                names[SQLiteName($0.name)] == SQLiteName(table.schema.name)
            }
            return try isLogged || isGone(table, connection)
        }
    }

    /// Whether somebody has dropped a table.
    fileprivate static func isGone(
        _ table: SQLiteTable,
        _ connection: SQLiteConnection
    ) throws -> Bool {
        try connection.columns(ofTable: table.schema.name).isEmpty
    }
}

/// A trigger by which a table is logged.
private struct SQLiteLogTrigger {
    let name: String
    let sql: String

    /// The names of triggers that there are, with those of their tables.
    ///
    /// It is known by its name what a trigger does: a version of a program that has other unique fields, or other cases
    /// in its names, leaves those of the others alone, and they are dropped where a table is changed.
    static func names(of parts: [SQLiteConnection.Part]) -> [SQLiteName: SQLiteName] {
        Dictionary(
            parts.filter { $0.kind == "trigger" }.map {
                (SQLiteName($0.name), SQLiteName($0.table))
            }
        ) { $1 }
    }
}

extension SQLiteTable {
    /// What was done with a record, as for PostgreSQL.
    enum LogKind: Int64 {
        case creation = 1
        case update, deletion
    }

    /// Logs the table, too, where there is a log, as far as that can be done now.
    func beginLogging(_ connection: SQLiteConnection) throws {
        // To begin a transaction that changes nothing waits for others who write, too.
        guard try SQLiteLog.isThere(connection), try !SQLiteLog.areLogged([self], connection)
        else { return }
        do {
            try connection.atomically { try makeLogTriggers(connection) }
        } catch let error as SQLiteError where error.leavesWorkForLater {
            // Who follows the log sees that they are missing.
        }
    }

    fileprivate func makeLogTriggers(_ connection: SQLiteConnection) throws {
        if try SQLiteLog.isGone(self, connection) { return }
        let found = SQLiteLogTrigger.names(
            of: try connection.parts(withPrefix: SQLiteConnection.logPrefix)
        )
        for trigger in try logTriggers(connection)
        where found[SQLiteName(trigger.name)] != SQLiteName(schema.name) {
            // A table that had the name before may have taken it with it.
            try connection.execute(
                "DROP TRIGGER IF EXISTS \(quoted(identifier: trigger.name))"
            )
            try connection.execute(trigger.sql)
        }
    }

    /// The triggers that the table is to have, as it is now.
    fileprivate func logTriggers(_ connection: SQLiteConnection) throws -> [SQLiteLogTrigger] {
        let identifier = identifierColumn.quotedName
        func log(_ kind: LogKind, _ row: String, _ rest: String = "") -> String {
            """
            INSERT INTO "\(SQLiteLog.tableName)" ("type", "kind", "key", "revision") \
            SELECT \(quoted(name: schema.name, by: "'")), \(kind.rawValue), \
            \(row).\(identifier), \(row)."_revision"\(rest)
            """
        }
        let pruning = """
            DELETE FROM "\(SQLiteLog.tableName)" \
            WHERE "position" <= last_insert_rowid() - \(SQLiteLog.mostRows)
            """
        func trigger(
            _ name: String,
            _ event: String,
            _ steps: [String]
        ) throws -> SQLiteLogTrigger {
            let name = "\(SQLiteConnection.logPrefix)\(schema.name):\(name)"
            let steps = steps.joined(separator: "; ")
            return SQLiteLogTrigger(
                name: name,
                sql: """
                    CREATE TRIGGER \(try quoted(identifier: name)) \(event) ON \(self.name) \
                    BEGIN \(steps); END
                    """
            )
        }
        let renaming = " WHERE old.\(identifier) IS NOT new.\(identifier)"
        var triggers = [
            try trigger("insert", "AFTER INSERT", [log(.creation, "new"), pruning]),
            try trigger(
                "update",
                "AFTER UPDATE",
                [log(.deletion, "old", renaming), log(.update, "new"), pruning]
            ),
            try trigger("delete", "AFTER DELETE", [log(.deletion, "old"), pruning]),
        ]
        // Rows that are replaced, as they have the same unique value, run no trigger for that. Without an index, which
        // another version of a program may have removed, nothing is replaced, and each would look at all rows.
        let row = "\"_modelkit_row\""
        for column in try uniqueColumns(connection) {
            func value(_ row: String) -> String {
                column.kind.comparable("\(row).\(column.quotedName)")
            }
            let others = " FROM \(name) AS \(row) WHERE \(value(row)) = \(value("new")) AND "
            triggers.append(
                try trigger(
                    "replace:\(column.name)",
                    "BEFORE INSERT",
                    [log(.deletion, row, others + "\(row).\(identifier) IS NOT new.\(identifier)")]
                )
            )
            triggers.append(
                try trigger(
                    "move:\(column.name)",
                    "BEFORE UPDATE OF \(column.quotedName)",
                    [log(.deletion, row, others + "\(row).\"_order\" <> old.\"_order\"")]
                )
            )
        }
        return triggers
    }
}
