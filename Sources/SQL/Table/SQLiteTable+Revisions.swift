import ModelKitModels
import ModelKitStores
import Synchronization

extension SQLiteTable {
    /// Where the greatest revision that a deleted row had is kept, by the name of the type.
    static let revisions = "\"\(revisionsName)\""
    static let revisionsName = "_modelkit_revisions"

    /// The tables that have a number of each type.
    static let counters = [numbersName, revisionsName]

    /// The greatest revision that a deleted row had; a new row begins above it.
    func lastRevision(_ connection: SQLiteConnection) throws -> Int64 {
        let known = lastRevision.load(ordering: .relaxed)
        if known >= 0, !isShared { return known }
        var found: Int64 = 0
        if try !connection.columns(ofTable: Self.revisionsName).isEmpty {
            found = try connection.withStatement(
                "SELECT max(\"last\") FROM \(Self.revisions) WHERE \"type\" = ?1 COLLATE NOCASE"
            ) { last in
                try last.bind(schema.name, at: 1)
                return try last.step() ? last.int64(at: 0) : 0
            }
        }
        lastRevision.store(found, ordering: .relaxed)
        return found
    }

    /// Keeps the revision of a row that is deleted.
    ///
    /// The table for it is made by the first deletion, so that a file of an older version needs no more.
    func keepLastRevision(_ revision: Int64, _ connection: SQLiteConnection) throws {
        if try connection.columns(ofTable: Self.revisionsName).isEmpty {
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS \(Self.revisions) \
                ("type" TEXT PRIMARY KEY NOT NULL, "last" INTEGER NOT NULL) WITHOUT ROWID
                """
            )
        }
        try connection.withStatement(
            "INSERT OR REPLACE INTO \(Self.revisions) (\"type\", \"last\") VALUES (?1, ?2)"
        ) { keep in
            try keep.bind(schema.name, at: 1)
            try keep.bind(revision, at: 2)
            try keep.execute()
        }
        lastRevision.store(revision, ordering: .relaxed)
    }

    /// Has the greatest revision be read again, as a deletion was taken back.
    func forgetLastRevision() { lastRevision.store(-1, ordering: .relaxed) }
}
