import Foundation
import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// Has every read of people go on for ever, as one of a billion rows would.
struct EndlessPeople {
    private let connection: SQLiteConnection

    /// - Parameter path: A database whose store has used the table of people.
    init(_ path: String) throws {
        connection = try SQLiteConnection(path: path)
        try connection.execute(
            """
            ALTER TABLE Person RENAME TO "real people";
            CREATE VIEW Person AS SELECT * FROM "real people" WHERE (
                WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
                SELECT max(n) FROM number
            ) > 0;
            """
        )
    }

    /// Has it end again.
    func stop() throws {
        try connection.execute("DROP VIEW Person; ALTER TABLE \"real people\" RENAME TO Person")
    }
}
