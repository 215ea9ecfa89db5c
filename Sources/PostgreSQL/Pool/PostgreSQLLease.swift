import Dispatch
import ModelKitStores

/// A connection of a pool, and the serial queue on which alone it is used, as it blocks the thread.
package final class PostgreSQLLease: Sendable {
    let queue = DispatchQueue(label: "ModelKitPostgreSQL")
    /// The body of a transaction that runs on it.
    let body = TransactionBody()

    // Safe: only touched in blocks of `queue`, which is serial, and by `deinit`. It cannot leave them: bodies are
    // @Sendable, so they can neither return it nor keep it, as it is not Sendable.
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
        return (settle, connection.reset() && begin + Self.mostAge > .now)
    }

    func close() { connection = nil }
}

/// What is to be done with a connection, as soon as there is one.
package final class PostgreSQLUse: Sendable {
    let deadline: ContinuousClock.Instant
    package let cancellation: PostgreSQLCancellation
    /// Runs it, and gives what settles its promise.
    let run: @Sendable (PostgreSQLConnection) -> @Sendable () -> Void
    let fail: @Sendable (PostgreSQLError) -> Void

    package init(
        deadline: ContinuousClock.Instant,
        cancellation: PostgreSQLCancellation = PostgreSQLCancellation(),
        run: @escaping @Sendable (PostgreSQLConnection) -> @Sendable () -> Void,
        fail: @escaping @Sendable (PostgreSQLError) -> Void
    ) {
        (self.deadline, self.cancellation) = (deadline, cancellation)
        (self.run, self.fail) = (run, fail)
    }
}
