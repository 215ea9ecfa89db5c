import ModelKitEssentials

/// A row by which servers do something one after the other where no advisory lock can be had, or none that lasts longer
/// than a transaction.
struct PostgreSQLLock {
    /// For how long a turn is taken, by the clock of the server.
    private static let turn = "10 seconds"

    /// The table of the rows, as it is written in SQL.
    let name: String

    init(in schema: String) throws {
        name = "\(try schema.checkedName()).\"\(PostgreSQLIndex.prefix)lock\""
    }

    var definition: String {
        """
        CREATE TABLE IF NOT EXISTS \(name) \
        (name text COLLATE "C" PRIMARY KEY, holder uuid, until timestamptz)
        """
    }

    /// Has a transaction wait for the end of the others that have said so.
    var locking: String {
        """
        INSERT INTO \(name) (name) VALUES ('tables') ON CONFLICT (name) DO UPDATE \
        SET name = excluded.name
        """
    }

    /// Takes the turn that nobody has, or has again the one that it had before: a row was written then.
    func taking(_ holder: UUID) -> PostgreSQLStatement {
        statement(
            """
            INSERT INTO \(name) AS held (name, holder, until) \
            VALUES ('indexes', $1, clock_timestamp() + interval '\(Self.turn)') \
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until \
            WHERE held.holder = excluded.holder OR held.until < clock_timestamp()
            """,
            holder
        )
    }

    /// Ends the turn, if it is that one's still.
    func leaving(_ holder: UUID) -> PostgreSQLStatement {
        statement("DELETE FROM \(name) WHERE name = 'indexes' AND holder = $1", holder)
    }

    private func statement(_ sql: String, _ holder: UUID) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        parameters.append(holder)
        return PostgreSQLStatement(sql, parameters, isPrepared: false)
    }
}
