import Dispatch
import ModelKitPromises
import ModelKitStores
import Synchronization

/// Wakes those who follow the log, after something was written, and removes its old rows: on a connection of its own,
/// beside those who write.
///
/// It sends at most 20 notifications a second, as each is a transaction that all of the server take one after the other.
/// One that does not arrive costs those who follow a moment. Where there is no log, it only removes old outcomes.
final class PostgreSQLNotifier: Sendable {
    private let pool: PostgreSQLPool
    private let channel: String
    private let name: String
    private let events: StoreEvents?
    private let queue = DispatchQueue(label: "ModelKitPostgreSQL notifications")
    /// Whether one is to be sent, and none of those that are has begun.
    private let isPending = Atomic<Bool>(false)

    private struct State {
        var connection: PostgreSQLConnection?
        var isClosed = false
        /// When the next notification may be sent, and old rows are looked for.
        var next = ContinuousClock.now
        var nextPruning = ContinuousClock.now
        /// When the connection is not needed any more, and whether somebody looks then.
        var end = ContinuousClock.now
        var hasTimer = false
        var pruning: PostgreSQLPruning
    }

    // Safe: only touched in blocks of `queue`, which is serial.
    nonisolated(unsafe) private var state: State

    private static let pause = Duration.milliseconds(50)
    private static let pauseAfterFailure = Duration.seconds(1)
    private static let limit = Duration.seconds(5)
    private static let idleTime = Duration.seconds(10)
    private static let pruningTime = Duration.seconds(600)

    init(
        _ pool: PostgreSQLPool,
        _ log: PostgreSQLLog,
        _ tokens: PostgreSQLTokens,
        _ events: StoreEvents?
    ) {
        (self.pool, self.events) = (pool, events)
        (channel, name) = (log.channel, tokens.name)
        state = State(pruning: PostgreSQLPruning(log, pool.options))
    }

    /// Notes that something was committed; nothing waits for it.
    func note() {
        if isPending.exchange(true, ordering: .sequentiallyConsistent) { return }
        queue.async { [weak self] in
            guard let self else { return }
            after(state.next - .now) { $0.send() }
        }
    }

    /// Sends what is to be sent, and closes the connection.
    func close() -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.withResolvers()
        queue.async { [self] in
            if state.connection != nil { send() }
            (state.isClosed, state.connection) = (true, nil)
            resolver.fulfill()
        }
        return promise
    }

    /// Runs something later on the queue, or now.
    private func after(
        _ pause: Duration,
        _ body: @escaping @Sendable (PostgreSQLNotifier) -> Void
    ) {
        if pause <= .zero { return body(self) }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause.milliseconds))) { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: Steps

    private func send() {
        guard isPending.exchange(false, ordering: .sequentiallyConsistent) else { return }
        var parameters = PostgreSQLParameters()
        parameters.append(channel)
        parameters.append(name)
        // Nothing is lost with it if the server crashes.
        let sql = "SELECT pg_notify($1, $2), set_config('synchronous_commit', 'off', true)"
        let sent: Void? =
            pool.options.mode == .portable
            ? ()
            : use { connection throws(PostgreSQLError) in
                _ = try connection.run(PostgreSQLStatement(sql, parameters))
            }
        state.next = .now + (sent == nil ? Self.pauseAfterFailure : Self.pause)
        if sent != nil, state.nextPruning <= .now {
            state.nextPruning = .now + Self.pruningTime
            prune()
        }
    }

    /// Removes old rows, in steps, between which others may use the connection.
    private func prune(_ event: StoreEvents.Running? = nil, _ before: Int = 0) {
        let count = use { connection throws(PostgreSQLError) in
            try state.pruning.prune(by: connection)
        }
        guard let count, count > 0 else {
            event?.end(.success(before))
            return
        }
        let event = event ?? events?.begin(.prune)
        after(Self.pause) { $0.prune(event, before + count) }
    }

    /// Runs the body with the connection; nil if that fails, which is nobody's concern.
    private func use<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) -> Value? {
        if state.isClosed { return nil }
        if let connection = state.connection, !connection.checkIdle() { state.connection = nil }
        guard let connection = state.connection ?? (try? pool.connectBeside()) else { return nil }
        state.connection = connection
        state.end = .now + Self.idleTime
        closeWhenIdle()
        connection.deadline = .now + Self.limit
        return try? body(connection)
    }

    private func closeWhenIdle() {
        if state.hasTimer { return }
        state.hasTimer = true
        after(state.end - .now) { notifier in
            notifier.state.hasTimer = false
            if notifier.state.end > .now { return notifier.closeWhenIdle() }
            notifier.state.connection = nil
        }
    }
}
