import Synchronization

/// A connection of a pool, which one use has at a time.
package final class PostgreSQLLease: Sendable {
    private static let lastNumber = Atomic<UInt64>(0)
    let number = lastNumber.add(1, ordering: .relaxed).newValue

    // Safe: only touched by the use that has the lease, which it has from `PostgreSQLTurns`, under a lock, and by
    // `deinit`. That sends something, then one thread of the loop takes the answer, or goes on in a block of a queue. It
    // cannot leave them: bodies are @Sendable, so they can neither return it nor keep it, as it is not Sendable.
    nonisolated(unsafe) private var connection: PostgreSQLConnection?
    private let begin = ContinuousClock.now

    /// Where an answer is lost, all of the log is read that has come since the connection was made.
    private static let mostAge = Duration.seconds(600)

    package init() {}

    func open(
        by connect: () throws(PostgreSQLError) -> PostgreSQLConnection
    ) throws(PostgreSQLError) {
        connection = try connect()
        connection?.deadline = nil
    }

    /// Whether the connection is there still, as far as that is known without asking the server.
    func check() -> Bool { connection?.checkIdle() ?? false }

    /// Runs the body of a use.
    ///
    /// - Returns: What settles its promise, and whether the connection can be used again.
    func run(_ use: PostgreSQLUse) -> (settle: @Sendable () -> Void, isUsable: Bool) {
        guard let connection else { return ({}, false) }
        (connection.deadline, connection.cancellation) = (use.deadline, use.cancellation)
        let settle = use.run(connection)
        return (settle, reset())
    }

    /// Whether something was to be cancelled, so that making it ready may wait for the server.
    var mayWaitToReset: Bool { connection?.mayWaitToReset ?? false }

    /// Makes it ready for the next use; false if it cannot be used again.
    func reset() -> Bool { connection?.reset() ?? false && begin + Self.mostAge > .now }

    func close() { connection = nil }

    // MARK: Round trips

    /// By what somebody waits for an answer.
    var socket: Int32 { connection?.socket ?? -1 }

    /// Sends what a use is to send; nil where it is to be run instead.
    func send(_ use: PostgreSQLUse) -> PostgreSQLSentUse? {
        guard let connection, connection.socket >= 0 else { return nil }
        (connection.deadline, connection.cancellation) = (use.deadline, use.cancellation)
        return use.send?(connection)
    }

    /// Whether all is on its way.
    func isSent() -> Bool { connection?.isSent() ?? false }

    func take(_ exchange: PostgreSQLExchange) -> Bool { connection?.take(exchange) ?? true }

    /// Takes the answer, or waits for it.
    func end(
        _ exchange: PostgreSQLExchange
    ) -> Result<[PostgreSQLResult], PostgreSQLError> {
        guard let connection else {
            return .failure(PostgreSQLError(.connectionLost, "it was closed", wasSent: true))
        }
        return Result { () throws(PostgreSQLError) in try connection.end(exchange) }
    }

    /// Does what the answer is not all of, and gives what settles the promise.
    func goOn(
        _ use: PostgreSQLSentUse,
        after error: PostgreSQLError?
    ) -> @Sendable () -> Void {
        guard let connection else { return {} }
        return use.goOn(connection, error)
    }
}

/// A use that was sent in one round trip, or could not be.
struct PostgreSQLSentUse: Sendable {
    let exchange: Result<PostgreSQLExchange, PostgreSQLError>
    /// Gives what settles the promise, without waiting; nil where more is to be done.
    let settle: @Sendable ([PostgreSQLResult]) -> (@Sendable () -> Void)?
    /// Does that, after an error if there was one, and gives what settles the promise; the thread waits.
    let goOn: @Sendable (PostgreSQLConnection, PostgreSQLError?) -> @Sendable () -> Void
}

/// What is sent and answered in one round trip as a rule.
package struct PostgreSQLRoundTrip<Value: Sendable>: Sendable {
    let statements: [PostgreSQLStatement]
    /// The value, without waiting; nil where more is to be done.
    let value: @Sendable ([PostgreSQLResult]) throws -> Value?
    /// Does that, after an error if there was one; the thread waits.
    let otherwise: @Sendable (PostgreSQLConnection, PostgreSQLError?) throws -> Value

    package init(
        statements: [PostgreSQLStatement],
        value: @escaping @Sendable ([PostgreSQLResult]) throws -> Value?,
        otherwise: @escaping @Sendable (PostgreSQLConnection, PostgreSQLError?) throws -> Value
    ) {
        (self.statements, self.value, self.otherwise) = (statements, value, otherwise)
    }
}

/// What is to be done with a connection, as soon as there is one.
package final class PostgreSQLUse: Sendable {
    let deadline: ContinuousClock.Instant
    package let cancellation: PostgreSQLCancellation
    /// Runs it, and gives what settles its promise.
    let run: @Sendable (PostgreSQLConnection) -> @Sendable () -> Void
    /// Sends it instead, without waiting for the answer, if it is one round trip; nil where it is to be run.
    let send: (@Sendable (PostgreSQLConnection) -> PostgreSQLSentUse?)?
    let fail: @Sendable (PostgreSQLError) -> Void

    package convenience init(
        deadline: ContinuousClock.Instant,
        run: @escaping @Sendable (PostgreSQLConnection) -> @Sendable () -> Void,
        fail: @escaping @Sendable (PostgreSQLError) -> Void
    ) {
        self.init(
            deadline: deadline,
            cancellation: PostgreSQLCancellation(),
            send: nil,
            run: run,
            fail: fail
        )
    }

    init(
        deadline: ContinuousClock.Instant,
        cancellation: PostgreSQLCancellation,
        send: (@Sendable (PostgreSQLConnection) -> PostgreSQLSentUse?)?,
        run: @escaping @Sendable (PostgreSQLConnection) -> @Sendable () -> Void,
        fail: @escaping @Sendable (PostgreSQLError) -> Void
    ) {
        (self.deadline, self.cancellation) = (deadline, cancellation)
        (self.run, self.send, self.fail) = (run, send, fail)
    }
}
