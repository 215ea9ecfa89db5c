import ModelKitModels
import Synchronization

extension SQLiteTable {
    /// Where the greatest revision that a deleted row had is kept, by the name of the type.
    static let revisions = "_modelkit_revisions"

    /// The tables that have a number of each type.
    static let counters = [numbers, revisions]

    /// The greatest revision that a deleted row had; a new row begins above it.
    func lastRevision(_ connection: SQLiteConnection) throws -> Int64 {
        let known = lastRevision.load(ordering: .relaxed)
        if known >= 0 { return known }
        var found: Int64 = 0
        if try !connection.columns(ofTable: Self.revisions).isEmpty {
            found = try connection.number(
                "SELECT max(\"last\") FROM \(Self.revisions) WHERE \"type\" = ?1 COLLATE NOCASE",
                [.string(schema.name)]
            )
        }
        lastRevision.store(found, ordering: .relaxed)
        return found
    }

    /// Keeps the revision of a row that is deleted.
    ///
    /// The table for it is made by the first deletion, so that a file of an older version needs no more.
    func keepLastRevision(_ revision: Int64, _ connection: SQLiteConnection) throws {
        if try connection.columns(ofTable: Self.revisions).isEmpty {
            try Self.createCounter(Self.revisions, connection)
        }
        // Another program may have kept a greater one.
        try keep(
            revision,
            in: Self.revisions,
            as: "max(\"last\", excluded.\"last\")",
            connection
        )
        lastRevision.store(revision, ordering: .relaxed)
    }

    /// Has the greatest revision be read again, as a deletion was taken back, or others may have deleted rows.
    func forgetLastRevision() { lastRevision.store(-1, ordering: .relaxed) }

    /// Makes a table that has a number of each type.
    static func createCounter(_ name: String, _ connection: SQLiteConnection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS \(name) \
            ("type" TEXT PRIMARY KEY NOT NULL, "last" INTEGER NOT NULL) WITHOUT ROWID
            """
        )
    }

    /// Keeps the number of the type in such a table, or what is made there of two.
    func keep(
        _ number: Int64,
        in counter: String,
        as value: String = "excluded.\"last\"",
        _ connection: SQLiteConnection
    ) throws {
        try connection.withStatement(
            """
            INSERT INTO \(counter) ("type", "last") VALUES (?1, ?2) \
            ON CONFLICT ("type") DO UPDATE SET "last" = \(value)
            """
        ) { keep in
            try keep.bind(schema.name, at: 1)
            try keep.bind(number, at: 2)
            try keep.execute()
        }
    }
}
