import ModelKitStores
import ModelKitEssentials

/// Finds out the outcome of a transaction whose answer was lost.
///
/// The backend that had it is ended, as it may be about to commit; once it is gone, the log has the transaction's token
/// or never will.
struct PostgreSQLSettlement {
    let log: PostgreSQLLog
    let token: UUID
    /// The backend that had the transaction.
    let backend: PostgreSQLBackend

    /// What the transaction has logged; nil if it was not committed.
    ///
    /// - Parameters:
    ///   - connection: Another connection.
    ///   - deadline: Until when it waits for the end of the backend.
    /// - Returns: The rows.
    /// - Throws: What the connection throws; a time-out where the backend does not end.
    func entries(
        by connection: PostgreSQLConnection,
        until deadline: ContinuousClock.Instant
    ) throws -> [PostgreSQLLog.Entry]? {
        var pause = 0.001
        while try isRunning(by: connection) {
            guard ContinuousClock.now < deadline else {
                throw StoreError.unavailable("the connection before does not end", .unknown)
            }
            sleep(forSeconds: pause)
            pause = min(pause * 2, 0.1)
        }
        var parameters = PostgreSQLParameters()
        parameters.append(token)
        parameters.append("\(backend.firstTransaction)")
        let result = try connection.run(
            PostgreSQLStatement(
                """
                SELECT n, keys, revisions FROM \(log.name) \
                WHERE xid >= $2::xid8 AND token = $1 ORDER BY n
                """,
                parameters
            )
        )
        if result.rowCount == 0 { return nil }
        return try (0..<result.rowCount).map { row in
            PostgreSQLLog.Entry(
                keys: try result.elements(row, 1).map { try $0.text },
                revisions: result.elements(row, 2).map(\.int64)
            )
        }
    }

    /// Asks the backend to end.
    ///
    /// - Returns: Whether it is still there.
    private func isRunning(by connection: PostgreSQLConnection) throws -> Bool {
        var parameters = PostgreSQLParameters()
        parameters.append(backend.process)
        parameters.append(.timestamptz) { $0.append(bigEndian: backend.start) }
        return try connection.run(
            PostgreSQLStatement(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE pid = $1 AND backend_start = $2
                """,
                parameters
            )
        ).rowCount > 0
    }
}
