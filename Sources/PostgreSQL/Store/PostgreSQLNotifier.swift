import Dispatch
import ModelKitPromises
import ModelKitStores
import ModelKitValues
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

    /// Of `queue`.
    private let confined: Confined<State>
    private var state: State {
        get { confined.state }
        _modify { yield &confined.state }
    }

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
        confined = Confined(State(pruning: PostgreSQLPruning(log, pool.options)))
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
        let sent: Result<Void, any Error> =
            pool.options.mode == .portable
            ? .success(())
            : use { _ = try $0.run(PostgreSQLStatement(sql, parameters)) }
        let isSent = if case .success = sent { true } else { false }
        state.next = .now + (isSent ? Self.pause : Self.pauseAfterFailure)
        if isSent, state.nextPruning <= .now {
            state.nextPruning = .now + Self.pruningTime
            prune()
        }
    }

    /// Removes old rows, in steps, between which others may use the connection.
    private func prune(_ event: StoreEvents.Running? = nil, _ before: Int = 0) {
        if state.isClosed {
            event?.end(.success(before))
            return
        }
        switch use({ try state.pruning.prune(by: $0) }) {
        case .success(0): event?.end(.success(before))
        case .success(let count):
            let event = event ?? events?.begin(.prune)
            // What has begun is ended.
            after(Self.pause) { [self] _ in prune(event, before + count) }
        case .failure(let error):
            (event ?? events?.begin(.prune))?.end(.failure(StoreError(error)))
        }
    }

    /// Runs the body with the connection, which is of no use any more if that fails.
    private func use<Value>(
        _ body: (PostgreSQLConnection) throws -> Value
    ) -> Result<Value, any Error> {
        Result {
            if state.isClosed { throw PostgreSQLError(.cannotConnect, "it was closed") }
            if let connection = state.connection, !connection.checkIdle() { state.connection = nil }
            let connection = try state.connection ?? pool.connectBeside()
            state.connection = connection
            state.end = .now + Self.idleTime
            closeWhenIdle()
            connection.deadline = .now + Self.limit
            do {
                return try body(connection)
            } catch {
                state.connection = nil
                throw error
            }
        }
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
