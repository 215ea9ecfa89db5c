/// The process of the server that serves a connection.
package struct PostgreSQLBackend: Hashable, Sendable {
    package let process: Int32
    /// When it has begun, in microseconds since 2000, as another one may have its number later.
    package let start: Int64
    /// Whether the server is a copy that follows another one.
    package let isInRecovery: Bool
    /// No transaction that the connection begins has a smaller number.
    package let firstTransaction: UInt64
}

extension PostgreSQLConnection {
    /// Checks that texts arrive as they are, and finds out what serves it.
    package func checkSession() throws(PostgreSQLError) {
        // What a pooler does not say cannot be checked.
        for (name, value) in [
            ("server_encoding", "UTF8"), ("client_encoding", "UTF8"),
            ("standard_conforming_strings", "on"),
        ] {
            if let found = wire.parameterStatus(name), found != value {
                throw PostgreSQLError(.notSupported, "\(name) has to be \(value), and is \(found)")
            }
        }
        guard mode == .direct else { return }
        if serverVersion < 130_000 {
            throw PostgreSQLError(.notSupported, "PostgreSQL 13 or newer is needed")
        }
        let sql = """
            SELECT pid, backend_start, pg_is_in_recovery(), pg_snapshot_xmax(pg_current_snapshot()) \
            FROM pg_stat_get_activity(pg_backend_pid())
            """
        let result = try run([.ownRole, PostgreSQLStatement(sql, isPrepared: false)])[1]
        guard let process = result.integer(0, 0) as Int32?,
            let start = result.integer(0, 1) as Int64?,
            let isInRecovery = result.integer(0, 2) as UInt8?,
            let transaction = result.integer(0, 3) as UInt64?
        else {
            throw PostgreSQLError(.notSupported, "the server does not say what serves a connection")
        }
        backend = PostgreSQLBackend(
            process: process,
            start: start,
            isInRecovery: isInRecovery != 0,
            firstTransaction: transaction
        )
    }
}
