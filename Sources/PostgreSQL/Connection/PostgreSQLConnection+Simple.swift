extension PostgreSQLConnection {
    /// Runs statements without parameters that are separated by semicolons, in one transaction unless they begin and
    /// end some themselves; nothing of what they give is kept.
    package func execute(_ sql: String) throws(PostgreSQLError) {
        try exchange(sql) { () throws(PostgreSQLError) in _ = try drain() }
    }

    /// Rolls back what is open; where that fails, the connection is closed, which does so, too.
    func endTransaction() {
        if isBroken || !isInTransaction { return }
        try? execute("ROLLBACK")
        if isInTransaction { close() }
    }

    /// Runs `COPY … FROM STDIN`.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - next: Gives the next bytes, and nil at the end.
    /// - Returns: How many rows were written.
    /// - Throws: `PostgreSQLError`, and what the closure throws; then nothing is written.
    @discardableResult
    package func copyIn(_ sql: String, _ next: () throws -> [UInt8]?) throws -> Int {
        var refusal: (any Error)?
        let count = try exchange(sql) { () throws(PostgreSQLError) in
            guard case .copyIn = try first() else { throw unfitting }
            do {
                while let bytes = try next() {
                    try checkTime()
                    try wire.send(.copy(bytes))
                    while !wire.flush() { try wait() }
                }
            } catch var error as PostgreSQLError {
                error.wasSent = true
                refusal = error
            } catch {
                refusal = error
            }
            guard wire.isOpen else {
                if refusal != nil { return 0 }
                throw PostgreSQLError(.connectionLost, "the connection has ended")
            }
            try wire.send(.endCopy(reason: refusal == nil ? nil : "it was given up"))
            do throws(PostgreSQLError) {
                return try drain()
            } catch {
                guard refusal != nil, error.isRefusal else { throw error }
                return 0
            }
        }
        if let refusal { throw refusal }
        return count
    }

    /// Runs `COPY … TO STDOUT`.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - body: Is given the bytes of one row after the other.
    /// - Throws: `PostgreSQLError`, and what the closure throws; then the rest is not read.
    package func copyOut(_ sql: String, _ body: ([UInt8]) throws -> Void) throws {
        var refusal: (any Error)?
        try exchange(sql) { () throws(PostgreSQLError) in
            guard case .copyOut = try first() else { throw unfitting }
            do throws(PostgreSQLError) {
                _ = try drain { bytes in
                    if refusal != nil { return }
                    do {
                        try body(bytes)
                    } catch {
                        refusal = error
                        cancelStatement()
                    }
                }
            } catch {
                guard refusal != nil, error.isRefusal else { throw error }
            }
        }
        if let refusal { throw refusal }
    }

    /// Sends statements without parameters, and has the body take what comes back.
    private func exchange<Value>(
        _ sql: String,
        _ body: () throws(PostgreSQLError) -> Value
    ) throws(PostgreSQLError) -> Value {
        if sql.hasZeroByte { throw PostgreSQLError(.invalidText, "there is a zero byte") }
        try beginExchange()
        defer { endExchange() }
        do throws(PostgreSQLError) {
            try wire.send(.simple(sql: sql))
            return try body()
        } catch {
            var error = judged(error)
            error.sql = sql
            throw error
        }
    }

    /// What the server says of a statement first; if it refuses it, that is thrown.
    private func first() throws(PostgreSQLError) -> PostgreSQLReply {
        let reply = try receive()
        guard case .failed(let error) = reply else { return reply }
        _ = try drain()
        throw error
    }

    /// Takes what comes until everything is answered.
    ///
    /// - Parameter body: What takes the bytes that are copied.
    /// - Returns: How many rows the last statement has changed.
    /// - Throws: The first failure that comes.
    private func drain(_ body: ([UInt8]) -> Void = { _ in }) throws(PostgreSQLError) -> Int {
        var (count, failure) = (0, PostgreSQLError?.none)
        while true {
            switch try receive() {
            case .result(let result): count = result.affectedRows
            case .failed(let error): failure = failure ?? error
            case .copied(let bytes): body(bytes)
            case .end:
                if let failure { throw failure }
                return count
            default: throw unfitting
            }
        }
    }

    /// What has come by `NOTIFY`, or comes within a time.
    package func notifications(
        waiting time: Duration = .zero
    ) throws(PostgreSQLError) -> [PostgreSQLNotification] {
        try notifications(waiting: time, or: nil)
    }

    /// The same, but that it ends earlier if it is woken.
    func notifications(
        waiting time: Duration,
        or wakeUp: PostgreSQLWakeUp?
    ) throws(PostgreSQLError) -> [PostgreSQLNotification] {
        let end = ContinuousClock.now + time
        while true {
            wire.wait(0)
            let found = wire.notifications()
            if !found.isEmpty { return found }
            try checkTime()
            guard wire.isOpen else {
                throw PostgreSQLError(.connectionLost, "the connection has ended")
            }
            if end <= .now || wakeUp?.take() ?? false { return [] }
            wire.wait(
                min(end.milliseconds, cancellation == nil ? .max : 100),
                or: wakeUp?.reading ?? -1
            )
        }
    }
}
