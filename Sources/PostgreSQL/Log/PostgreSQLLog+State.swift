import ModelKitModels
import ModelKitSQL

/// The row of the transaction 0 is that of the log itself: its token says which one it is, and its revision up to which
/// transaction rows were removed. In `.portable` it is that of the token 0, and says which one it is by its key.
extension PostgreSQLLog {
    /// Whether a row of an alias is that of the log itself.
    func isState(_ alias: String) -> String { "\(alias).xid = '0' AND \(alias).n = 0" }

    /// What adds that row, if it is lacking; its kind is one that nothing has.
    var beginning: String {
        if mode == .portable {
            // It is never old enough to be removed.
            return """
                INSERT INTO \(name) (n, token, type, kind, keys, at) VALUES (0, \(Self.noToken), '', -2, \
                ARRAY['\(UUIDv7.make())'], '9999-12-31') ON CONFLICT DO NOTHING
                """
        }
        return """
            INSERT INTO \(name) (xid, n, token, type, kind, revisions) \
            VALUES ('0', 0, gen_random_uuid(), '', -2, ARRAY[0]) ON CONFLICT DO NOTHING
            """
    }

    /// Whether that row is lacking, or there are rows of transactions that are still to come: then the log was copied
    /// from another server, and its rows are in the way of new ones.
    var inspection: String {
        """
        SELECT NOT EXISTS (SELECT FROM \(name) AS log WHERE \(isState("log"))), \
        EXISTS (SELECT FROM \(name) WHERE xid >= pg_snapshot_xmax(pg_current_snapshot()))
        """
    }

    /// What no other database has: which log it is, and, where the server says it, which server and timeline.
    ///
    /// - Parameter hasPlace: Whether the server says what it is.
    /// - Returns: A statement that gives both, or no row.
    func identity(hasPlace: Bool) -> String {
        mode == .portable
            ? "SELECT keys[1], NULL::text FROM \(name) WHERE token = \(Self.noToken) AND n = 0"
            : """
            SELECT state.token::text, \(hasPlace ? Self.place : "NULL::text") \
            FROM \(name) AS state WHERE \(isState("state"))
            """
    }

    /// The cluster and its timeline, which is another one after the server was restored; null in a copy.
    static let place = """
        CASE WHEN NOT pg_is_in_recovery() THEN (SELECT system_identifier FROM pg_control_system()) \
        || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) END
        """

    private static let noToken = "'00000000-0000-0000-0000-000000000000'"

    /// What removes rows of transactions that are still to come, and the log's own row.
    ///
    /// All that others have committed here is of transactions before, and stays, as they may look for it.
    var removalOfCopied: String {
        """
        DELETE FROM \(name) AS log \
        WHERE xid >= pg_snapshot_xmax(pg_current_snapshot()) OR \(isState("log"))
        """
    }

    /// By what those who follow the log are notified.
    var channel: String { name.filter { $0 != "\"" }.shortenedName() }
}
