import ModelKitSQL

/// The row of the transaction 0 is that of the log itself: its token says which one it is, and its revision up to which
/// transaction rows were removed.
extension PostgreSQLLog {
    /// Whether a row of an alias is that of the log itself.
    func isState(_ alias: String) -> String { "\(alias).xid = '0' AND \(alias).n = 0" }

    /// What adds that row, if it is lacking; its kind is one that nothing has.
    var beginning: String {
        """
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

    /// By what those who follow the log are notified.
    var channel: String { name.filter { $0 != "\"" }.shortenedName() }
}
