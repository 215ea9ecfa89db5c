import ModelKitEssentials
import ModelKitStores

/// The table of which migrations have run in a file, in which order, and when.
enum SQLiteLedger {
    private static let table = SQLMigrationLedger.table

    /// Nil if none has ever been noted.
    static func read(_ connection: SQLiteConnection) throws -> SQLMigrationLedger? {
        if try connection.columns(ofTable: table).isEmpty { return nil }
        return SQLMigrationLedger(
            try connection.rows(SQLMigrationLedger.selection(table)) {
                (try $0.string(at: 0), $0.int64(at: 1) != 0)
            }
        )
    }

    /// Makes the table, unless it is there.
    static func create(_ connection: SQLiteConnection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(table) ("position" INTEGER PRIMARY KEY, \
            "name" TEXT NOT NULL UNIQUE, "of" INTEGER NOT NULL, "at" INTEGER NOT NULL)
            """
        )
    }

    /// Notes migrations, the first one at a position from 1 on, with how many there are.
    static func note(
        _ names: [String],
        at position: Int,
        of count: Int,
        _ connection: SQLiteConnection
    ) throws {
        try create(connection)
        for (index, name) in names.enumerated() {
            try connection.run(
                "INSERT INTO \(table) (\"position\", \"name\", \"of\", \"at\") VALUES (?1, ?2, ?3, ?4)",
                [
                    .int(Int64(position + index)), .string(name), .int(Int64(count)),
                    .date(Date()),
                ]
            )
        }
    }
}

/// How the tables of this library are laid out, where a later version of it may do it in another way.
enum SQLiteFormat {
    static let version: Int64 = 1
    /// Has one row, of which a later version's number is; a file without it has version 1.
    static let table = "_modelkit_format"

    /// Throws for a file that was written by a later version of this library, and for one whose texts SQLite
    /// would not compare by their UTF-8 bytes.
    static func check(_ connection: SQLiteConnection) throws {
        let encoding = try connection.texts("PRAGMA main.encoding").first ?? "UTF-8"
        if encoding != "UTF-8" {
            throw StoreError.schema(
                "\(connection.path) has the encoding \(encoding), in which SQLite sorts texts otherwise: "
                    + "copy it into a database with the encoding UTF-8"
            )
        }
        if try connection.columns(ofTable: table).isEmpty { return }
        let found = try connection.number("SELECT max(\"version\") FROM \(table)")
        if found > version {
            throw StoreError.schema(
                "\(connection.path) has version \(found) of the format, but this library knows only "
                    + "those up to \(version)"
            )
        }
    }
}
