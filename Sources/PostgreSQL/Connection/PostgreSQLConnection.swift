/// A connection to a server, for one thread at a time, which waits for each answer.
///
/// Every wait ends at the deadline: then the server is to cancel the statement, and if it does not answer to that soon,
/// the connection is given up.
package final class PostgreSQLConnection {
    let wire: any PostgreSQLWire
    package let mode: PostgreSQLMode
    /// What serves it; known in `.direct` only.
    package internal(set) var backend: PostgreSQLBackend?

    /// Until when what is run has to end.
    package var deadline: ContinuousClock.Instant?
    /// By what another thread stops what is run.
    package var cancellation: PostgreSQLCancellation?

    /// How often it has sent something and waited for the answer.
    package private(set) var roundTrips = 0

    var statements: PostgreSQLStatementCache
    /// For how long it waits for a server that was to cancel something.
    package var grace: Duration
    private var request: PostgreSQLCancelRequest
    /// When the connection is given up, as something was to be cancelled.
    private var end: ContinuousClock.Instant?
    /// What was taken of an answer before somebody waits for it.
    private var taken: [PostgreSQLReply] = []

    package init(
        _ wire: any PostgreSQLWire,
        mode: PostgreSQLMode,
        statementLimit: Int = 256,
        grace: Duration = .seconds(1)
    ) {
        (self.wire, self.mode, self.grace) = (wire, mode, grace)
        statements = PostgreSQLStatementCache(capacity: statementLimit)
        request = PostgreSQLCancelRequest(of: wire)
    }

    /// Connects, and checks that texts arrive as they are.
    package static func open(
        _ target: PostgreSQLTarget,
        until deadline: ContinuousClock.Instant,
        statementLimit: Int = 256
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let wire = try LibpqWire.connect(target, until: deadline)
        let connection = PostgreSQLConnection(
            wire,
            mode: target.mode,
            statementLimit: statementLimit
        )
        connection.deadline = deadline
        try connection.checkSession()
        return connection
    }

    /// Whether it can be used no more.
    package var isBroken: Bool { !wire.isOpen }

    /// Whether a transaction is open, also one that has failed.
    package var isInTransaction: Bool {
        [.open, .failed, .active].contains(wire.transactionStatus)
    }

    package var serverVersion: Int { wire.serverVersion }

    package func close() { wire.close() }

    /// Whether it is still there, as far as that is known here: nothing is sent.
    package func checkIdle() -> Bool {
        wire.wait(0)
        return wire.isOpen
    }

    /// Whether `reset` may wait for the server, as something was to be cancelled.
    var mayWaitToReset: Bool { request.wasSent }

    /// Makes it as it was for the next user: a transaction that is open is rolled back, and nothing is cancelled by what
    /// was asked for before.
    ///
    /// - Returns: False if it cannot be used any more.
    package func reset() -> Bool {
        cancellation = nil
        guard wire.isOpen else { return false }
        let limit = ContinuousClock.now + grace
        deadline = limit
        defer { deadline = nil }
        if request.wasSent {
            guard request.finish(until: limit) else {
                wire.close()
                return false
            }
            request = PostgreSQLCancelRequest(of: wire)
            // If it came late, this is what it meets.
            _ = try? run([])
        }
        if isInTransaction { try? execute("ROLLBACK") }
        if wire.transactionStatus != .idle { wire.close() }
        return wire.isOpen
    }
}

// MARK: Waiting

extension PostgreSQLConnection {
    /// Begins something that is sent and answered; `endExchange` ends it.
    func beginExchange() throws(PostgreSQLError) {
        guard wire.isOpen else {
            throw PostgreSQLError(.connectionLost, "the connection is closed")
        }
        try checkTime()
        guard cancellation?.attach(request) ?? true else { throw PostgreSQLError.cancellation }
        end = nil
        taken = []
        roundTrips += 1
    }

    func endExchange() { cancellation?.attach(nil) }

    /// Throws if it is to end.
    func checkTime() throws(PostgreSQLError) {
        if cancellation?.isCancelled ?? false { throw .cancellation }
        if isOverdue { throw PostgreSQLError(.timedOut, "the time is over") }
    }

    private var isOverdue: Bool { deadline.map { $0 <= .now } ?? false }

    /// By what somebody waits for answers on several connections; -1 where there is none.
    var socket: Int32 { wire.socket }

    /// Whether all that was sent is on its way.
    func isSent() -> Bool { wire.flush() }

    /// Takes what has come of an answer, without waiting.
    ///
    /// - Returns: Whether that is all of it, or no more comes, so that nobody has to wait for it.
    func take(_ exchange: PostgreSQLExchange) -> Bool {
        wire.wait(0)
        var left = exchange.syncCount - taken.count { if case .synced = $0 { true } else { false } }
        while left > 0 {
            // What is thrown is thrown again.
            guard let reply = try? wire.receive() else { return !wire.isOpen }
            taken.append(reply)
            switch reply {
            case .synced: left -= 1
            case .failed(let error) where error.isFatal: return true
            default: break
            }
        }
        return true
    }

    /// The next answer of the server.
    func receive() throws(PostgreSQLError) -> PostgreSQLReply {
        while true {
            guard let reply = taken.isEmpty ? try wire.receive() : taken.removeFirst() else {
                try wait()
                continue
            }
            guard case .failed(let error) = reply, error.isFatal else { return reply }
            throw error
        }
    }

    /// Waits for the server, in parts, as somebody may cancel it meanwhile.
    func wait() throws(PostgreSQLError) {
        try checkEnd()
        let limit = (end ?? deadline)?.milliseconds ?? .max
        wire.wait(min(limit, cancellation == nil && end == nil ? .max : 100))
    }

    /// Has the server cancel what it runs if that is to end; throws if it has not done so in time.
    func checkEnd() throws(PostgreSQLError) {
        if let end {
            if end <= .now { throw PostgreSQLError(.timedOut, "the server does not answer") }
            // The request may have come before the statement, which it has not cancelled then.
            if request.finish(until: .now) {
                request = PostgreSQLCancelRequest(of: wire)
                request.send()
            }
        } else if isOverdue || cancellation?.isCancelled ?? false {
            cancelStatement()
        }
    }

    /// Has the server cancel what it runs, and waits no longer than that may take.
    func cancelStatement() {
        request.send()
        end = .now + grace
    }

    /// What an error of an exchange means.
    func judged(_ error: PostgreSQLError) -> PostgreSQLError {
        var error = error
        error.wasSent = true
        if !error.isRefusal { wire.close() }
        if error.sqlState == nil || error.kind == .cancelled {
            if cancellation?.isCancelled ?? false {
                error.kind = .cancelled
            } else if isOverdue || error.kind == .cancelled {
                // By the limit of a role or a database, or by who looks after the server; nobody here has asked for it.
                error.kind = .timedOut
            }
        }
        return error
    }

    /// Of an answer to something else than what was sent; the connection is of no use any more.
    var unfitting: PostgreSQLError {
        PostgreSQLError(
            .connectionLost,
            "the server answers something else; COPY is for copyIn and copyOut alone"
        )
    }
}

extension PostgreSQLCancelRequest {
    fileprivate convenience init(of wire: any PostgreSQLWire) { self.init(wire.makeCancel() ?? {}) }
}
