import ModelKitFields
import ModelKitPromises

/// One use of a store, from the call to its outcome.
///
/// What it has begun goes on when nobody waits for it any more, and is noted at its end; who waited
/// learns whether it was begun.
// Safe: the state is guarded by the lock.
final class StoreOperation<Found: Sendable, Value: Sendable>: @unchecked Sendable {
    /// What is under way.
    struct Attempt {
        let promise: Promise<Found>
        /// Is there when the store was asked for it, where something has to be read before; nil if it was.
        var asked: Promise<Void>?
        /// Notes what was done.
        let finish: @Sendable (Found) throws -> Value
        /// Takes back what was noted for it, if nothing of it is there, and gives the error to fail with.
        var failed: @Sendable (any Error) -> any Error = { $0 }
        /// Whether an error is one after which it is tried again.
        var repeats: @Sendable (StoreError) -> Bool = { _ in false }
    }

    private enum State {
        case waiting
        /// Whether it is to be stopped as soon as it has begun.
        case starting(isStopped: Bool)
        case running(Promise<Found>)
        case over
    }

    private let lock = Lock()
    private var state = State.waiting
    private let isRead: Bool
    private let awaitsEnd: Bool
    private let start: @Sendable () throws -> Attempt
    /// Lets those go on that wait for it.
    private let release: @Sendable () -> Void
    /// Takes back what was done for it, where it is stopped before it has begun.
    private let abandoned: @Sendable () -> Void
    private let settle: @Sendable (Result<Value, any Error>) -> Void
    /// Called with the outcome that it was settled with.
    private let ended: @Sendable (Result<Value, any Error>) -> Void
    private var timer: Promise<Void>?
    /// Whether the outcome for who waits is decided.
    private var isDecided = false

    init(
        isRead: Bool,
        awaitsEnd: Bool,
        start: @escaping @Sendable () throws -> Attempt,
        abandoned: @escaping @Sendable () -> Void,
        settle: @escaping @Sendable (Result<Value, any Error>) -> Void,
        release: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.isRead = isRead
        self.awaitsEnd = awaitsEnd
        self.start = start
        self.release = release
        self.abandoned = abandoned
        self.settle = settle
        self.ended = ended
    }

    /// Begins, as its turn has come.
    ///
    /// - Returns: A promise that is there when the store was asked for it; nil if it was, or will not be.
    @discardableResult
    func begin() -> Promise<Void>? {
        let isWanted = lock.withLock { () -> Bool in
            guard case .waiting = state else { return false }
            state = .starting(isStopped: false)
            return true
        }
        guard isWanted else {
            release()
            return nil
        }
        let attempt: Attempt
        do {
            attempt = try start()
        } catch {
            end(.failure(error))
            return nil
        }
        let isStopped = lock.withLock { () -> Bool in
            defer { state = .running(attempt.promise) }
            if case .starting(isStopped: true) = state { return true }
            return false
        }
        if isStopped { stop(attempt.promise) }
        // What is there already is noted now, also in the handler of another promise.
        if let found = attempt.promise.result {
            attempt.promise.observe { _ in }
            // As in a handler: a hook that blocks for a write whose turn comes after this one would hang.
            if isRead { end(attempt, found) } else { DrainQueue.run { _ in end(attempt, found) } }
            return nil
        }
        attempt.promise.observe { [self] found in end(attempt, found) }
        return attempt.asked
    }

    /// Ends it, or tries it again.
    private func end(_ attempt: Attempt, _ found: Result<Found, any Error>) {
        if case .failure(let error as StoreError) = found, attempt.repeats(error), goBack() {
            begin()
            return
        }
        switch found {
        case .success(let found): end(Result { try attempt.finish(found) })
        case .failure(let error): end(.failure(attempt.failed(error)))
        }
    }

    private func goBack() -> Bool {
        lock.withLock {
            guard case .running = state else { return false }
            state = .waiting
            return true
        }
    }

    private func end(_ result: Result<Value, any Error>) {
        let (timer, decides) = lock.withLock { () -> (Promise<Void>?, Bool) in
            state = .over
            return (self.timer.take(), decide())
        }
        timer?.cancel()
        release()
        if decides {
            settle(result)
            ended(result)
        }
    }

    /// Whether it is up to the caller to settle the promise; the lock must be held.
    private func decide() -> Bool {
        defer { isDecided = true }
        return !isDecided
    }

    /// Stops it as nobody waits for it any more.
    ///
    /// - Returns: What it fails with; nil, if its outcome is known or will be.
    func cancel() -> StoreError? {
        let outcome: Outcome
        switch stop() {
        case .stopped(let known): outcome = known
        case .begun where !awaitsEnd: outcome = .unknown
        case .begun, .ended: return nil
        }
        guard lock.withLock({ decide() }) else { return nil }
        lock.withLock { timer.take() }?.cancel()
        let error = StoreError.cancelled(outcome)
        ended(.failure(error))
        return error
    }

    /// Has it fail with `.timedOut` unless it is over in time.
    func stop(after limit: Duration) {
        let timer = Promise<Void>.timer(limit, SuspendingClock())
        lock.withLock { self.timer = timer }
        timer.observe { [self] over in
            guard case .success = over, let outcome = stop().outcome, lock.withLock({ decide() })
            else { return }
            let error = StoreError.timedOut(outcome)
            settle(.failure(error))
            ended(.failure(error))
        }
    }

    /// What came of stopping it.
    private enum Stop {
        /// Whether it may have been done.
        case stopped(Outcome)
        /// It goes on, and its outcome will be known at its end.
        case begun
        /// Its outcome is known or about to be.
        case ended

        var outcome: Outcome? {
            switch self {
            case .stopped(let outcome): outcome
            case .begun: .unknown
            case .ended: nil
            }
        }
    }

    /// Stops it if that is possible.
    private func stop() -> Stop {
        let running: Promise<Found>
        switch lock.withLock({ stopWaiting() }) {
        case .over: return .ended
        case .waiting:
            abandoned()
            return .stopped(.notApplied)
        case .starting: return isRead ? .stopped(.notApplied) : .begun
        case .running(let promise): running = promise
        }
        let decides = stop(running)
        if isRead { return .stopped(.notApplied) }
        switch running.result {
        // One that does not say whether it has begun may never end.
        case nil: return decides ? .begun : .stopped(.unknown)
        case .failure(StoreError.cancelled(let outcome)): return .stopped(outcome)
        case .failure(is CancellationError): return .stopped(.unknown)
        default: return .ended
        }
    }

    /// A write that cannot say whether it has begun is left alone: its end is to be noted.
    ///
    /// - Returns: Whether it says so, asked before it is settled.
    @discardableResult
    private func stop(_ promise: Promise<Found>) -> Bool {
        let decides = promise.decidesCancelling
        if isRead || decides { promise.cancel() }
        return decides
    }

    /// Notes that it is to be stopped, and gives the state before.
    private func stopWaiting() -> State {
        let before = state
        switch state {
        case .waiting: state = .over
        case .starting: state = .starting(isStopped: true)
        case .running, .over: break
        }
        return before
    }
}
