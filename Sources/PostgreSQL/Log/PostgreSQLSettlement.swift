import ModelKitEssentials
import ModelKitStores

/// Finds out the outcome of a transaction whose answer was lost.
///
/// Where the backend is known that had it, that is ended, as it may be about to commit; once it is gone, the log has the
/// transaction's token or never will.
///
/// Elsewhere, as behind a pooler, nobody can be ended, and what was sent may still be on its way. There the token is taken
/// from the transaction: a row with the same unique key is added, as void. That gives the right answer, because
///
/// 1. every transaction that logs anything adds a row (token, 0) itself: its only statement does, or, where there are
///    several, what is sent together with the COMMIT and before it, so that without it there is no COMMIT. No savepoint
///    takes it back;
/// 2. of two transactions that add the same key to a unique index one can be committed at most, whatever their
///    isolation: the later one waits for the end of the earlier one, and fails if that was committed;
/// 3. so if the void row is committed, the transaction was not, and cannot be any more, however late it arrives;
/// 4. and if the void row is refused as a duplicate, a row with the key is committed, which says whose it is: the
///    transaction's, which was committed as a whole then, or that of an earlier attempt at this whose own answer was
///    lost. Where it cannot be read, as the engine refuses before the other one has ended, this is done again;
/// 5. any other answer, or none, proves nothing, and this is done again until the deadline.
///
/// The token is random, and nobody else's. A void row stays for as long as the log keeps its rows, which is to be longer
/// than something can be on its way.
struct PostgreSQLSettlement {
    let log: PostgreSQLLog
    let token: UUID
    /// The backend that had the transaction, in `.direct`.
    let backend: PostgreSQLBackend?

    /// What the transaction has logged; nil if it was not committed, and will not be.
    ///
    /// - Parameters:
    ///   - connection: Another connection.
    ///   - deadline: Until when it waits for the end of the transaction.
    /// - Returns: The rows.
    /// - Throws: What the connection throws, after which it may be tried again; `.unavailable` where the backend does
    ///   not end.
    func entries(
        by connection: PostgreSQLConnection,
        until deadline: ContinuousClock.Instant
    ) throws -> [PostgreSQLLog.Entry]? {
        if let backend {
            try end(backend, by: connection, until: deadline)
        } else if try take(by: connection) {
            return nil
        }
        let rows = try connection.run(log.rows(of: token, since: backend?.firstTransaction))
        if rows.rowCount == 0 {
            if backend != nil { return nil }
            throw PostgreSQLError(.other, "a token was taken by nobody")
        }
        return try entries(in: rows)
    }

    /// What the rows of a token say; nil if it was taken from the transaction.
    private func entries(in rows: PostgreSQLResult) throws -> [PostgreSQLLog.Entry]? {
        var entries: [PostgreSQLLog.Entry] = []
        for row in 0..<rows.rowCount {
            switch rows.integer(row, 0) as Int16? {
            case PostgreSQLLog.void: return nil
            case PostgreSQLLog.mark: continue
            default:
                let entry = PostgreSQLLog.Entry(
                    keys: try rows.elements(row, 1).map { try $0.text },
                    revisions: rows.elements(row, 2).map(\.int64)
                )
                entries.append(entry)
            }
        }
        return entries
    }

    /// Takes the token from the transaction, after its end if it is under way.
    ///
    /// - Returns: False if somebody has it.
    private func take(by connection: PostgreSQLConnection) throws -> Bool {
        do {
            try connection.run(log.taking(token, PostgreSQLLog.void))
            return true
        } catch let error where error.kind == .uniqueViolation {
            return false
        }
    }

    private func end(
        _ backend: PostgreSQLBackend,
        by connection: PostgreSQLConnection,
        until deadline: ContinuousClock.Instant
    ) throws {
        var pause = 0.001
        while try isRunning(backend, by: connection) {
            guard ContinuousClock.now < deadline else {
                throw StoreError.unavailable("the connection before does not end", .unknown)
            }
            sleep(forSeconds: pause)
            pause = min(pause * 2, 0.1)
        }
    }

    /// Asks the backend to end.
    ///
    /// - Returns: Whether it is still there.
    private func isRunning(
        _ backend: PostgreSQLBackend,
        by connection: PostgreSQLConnection
    ) throws -> Bool {
        var parameters = PostgreSQLParameters()
        parameters.append(backend.process)
        parameters.append(.timestamptz) { $0.append(bigEndian: backend.start) }
        let ending = PostgreSQLStatement(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE pid = $1 AND backend_start = $2
            """,
            parameters
        )
        return try connection.run([.ownRole, ending])[1].rowCount > 0
    }
}
