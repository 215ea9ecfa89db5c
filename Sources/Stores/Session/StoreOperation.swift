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
    private let session: StoreSession
    private let turn: StoreSession.Turn
    private let event: StoreEvents.Running?
    private let count: @Sendable (Value) -> Int?
    private let awaitsEnd: Bool
    /// Takes back what was done for it, where it is stopped before it has begun.
    private let abandoned: @Sendable () -> Void
    private let start: @Sendable () throws -> Attempt
    private let settle: @Sendable (Result<Value, any Error>) -> Void
    /// What later uses of the same models wait for.
    private let done = Promise<Void>.withResolvers()
    private var deadline: UseDeadline?
    private var timer: Promise<Void>?
    private var turnTimer: Promise<Void>?
    /// Whether the outcome for who waits is decided.
    private var isDecided = false

    private var isRead: Bool { turn.isNothing }

    /// - Parameters:
    ///   - session: What is known of the models.
    ///   - turn: What it comes after.
    ///   - event: What is notified of its end.
    ///   - count: How many models an outcome has, for events.
    ///   - awaitsEnd: Whether who cancels it when it has begun waits for its outcome, if the store knows that.
    ///   - abandoned: Takes back what was done for it before its turn, which does not come.
    ///   - start: Begins it, in its turn.
    ///   - settle: Settles the promise of who waits.
    init(
        _ session: StoreSession,
        after turn: StoreSession.Turn,
        _ event: StoreEvents.Running?,
        count: @escaping @Sendable (Value) -> Int? = { _ in nil },
        awaitsEnd: Bool = true,
        abandoned: @escaping @Sendable () -> Void = {},
        start: @escaping @Sendable () throws -> Attempt,
        settle: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        (self.session, self.turn, self.event) = (session, turn, event)
        (self.count, self.awaitsEnd) = (count, awaitsEnd)
        (self.abandoned, self.start, self.settle) = (abandoned, start, settle)
    }

    /// Takes its turn, and begins if that has come.
    ///
    /// - Parameters:
    ///   - deadline: After how long it fails with `.timedOut`.
    ///   - promise: What who waits has: it fails with `.cancelled` when it is cancelled, by which what was begun
    ///     is left alone.
    func run(deadline: Duration?, for promise: PromiseCore) {
        let fed = isRead ? nil : TransactionFeed.refusal(by: session)
        if let refusal = session.body.refusal ?? fed {
            abandoned()
            return settle(ending: .failure(refusal))
        }
        if let deadline, deadline <= .zero {
            abandoned()
            return settle(ending: .failure(StoreError.timedOut(.notApplied)))
        }
        let before = session.queue(turn, done.promise)
        // Where others wait, it goes on.
        promise.whenCancelled(leaving: isRead ? readCancellation : leftWrite) { self.cancel() }
        if let deadline {
            let limit = UseDeadline(end: .now + deadline)
            let timer = stop(after: deadline, leavingTime: endingTime)
            lock.withLock { (self.deadline, self.timer) = (limit, timer) }
        }
        if before.isEmpty {
            if let asked = begin(), session.ordersReads { session.delayReads(until: asked) }
        } else {
            let (asked, askedResolver) = Promise<Void>.withResolvers()
            if session.ordersReads, !isRead { session.delayReads(until: asked) }
            if let patience = session.patience {
                let timer = stop(after: patience, evenIfBegun: false)
                lock.withLock { turnTimer = timer }
            }
            Promise<Void>.all(before).observe { _ in
                askedResolver.follow(self.begin() ?? .value(()))
            }
        }
    }

    /// Begins, as its turn has come.
    ///
    /// - Returns: A promise that is there when the store was asked for it; nil if it was, or will not be.
    @discardableResult
    private func begin() -> Promise<Void>? {
        let (isWanted, deadline) = lock.withLock { () -> (Bool, UseDeadline?) in
            guard case .waiting = state else { return (false, nil) }
            state = .starting(isStopped: false)
            return (true, self.deadline)
        }
        lock.withLock { turnTimer.take() }?.cancel()
        guard isWanted else {
            release()
            return nil
        }
        let attempt: Attempt
        do {
            attempt = try deadline?.begin(start) ?? start()
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
        if decides { settle(ending: result) }
    }

    private func settle(ending result: Result<Value, any Error>) {
        settle(result)
        event?.end(result.map(count))
    }

    /// Lets those go on that wait for it.
    private func release() {
        session.leave(turn.models, done.promise)
        done.resolver.fulfill()
    }

    /// Whether it is up to the caller to settle the promise; the lock must be held.
    private func decide() -> Bool {
        defer { isDecided = true }
        return !isDecided
    }

    /// Stops it as nobody waits for it any more.
    ///
    /// - Returns: What it fails with; nil, if its outcome is known or will be.
    private func cancel() -> StoreError? {
        let (outcome, goesOn) = stop()
        if goesOn, awaitsEnd { return nil }
        guard let outcome, lock.withLock({ decide() }) else { return nil }
        lock.withLock { timer.take() }?.cancel()
        let error = StoreError.cancelled(outcome)
        event?.end(.failure(error))
        return error
    }

    /// Has it fail with `.timedOut` unless it is over in time.
    ///
    /// - Parameters:
    ///   - limit: In which time.
    ///   - evenIfBegun: False where it may take longer once it has begun.
    ///   - more: How much longer it may take to find out its outcome where the store ends it in that time.
    /// - Returns: What measures the time, to be cancelled at the end.
    private func stop(
        after limit: Duration,
        evenIfBegun: Bool = true,
        leavingTime more: Duration? = nil
    ) -> Promise<Void> {
        let timer = Promise<Void>.timer(limit, SuspendingClock())
        timer.observe { [self] over in
            guard case .success = over else { return }
            if let more, lock.withLock({ isEndedByStore }) {
                let timer = stop(after: more)
                let isOver = lock.withLock { () -> Bool in
                    if case .over = state { return true }
                    self.timer = timer
                    return false
                }
                if isOver { timer.cancel() }
                return
            }
            guard let outcome = stop(evenIfBegun: evenIfBegun).outcome,
                lock.withLock({ decide() })
            else { return }
            settle(ending: .failure(StoreError.timedOut(outcome)))
        }
        return timer
    }

    /// Whether the store knows its deadline, and has begun what is more than a read; the lock must be held.
    private var isEndedByStore: Bool {
        guard !isRead, case .running = state else { return false }
        return deadline?.isKept ?? false
    }

    /// Stops it if that is possible.
    ///
    /// - Returns: Whether it may have been done, nil where its outcome is known or about to be; and whether it goes
    ///   on, so that its outcome will be known at its end.
    private func stop(evenIfBegun: Bool = true) -> (outcome: Outcome?, goesOn: Bool) {
        let before = lock.withLock { () -> State in
            if case .waiting = state {} else if !evenIfBegun { return .over }
            defer {
                switch state {
                case .waiting: state = .over
                case .starting: state = .starting(isStopped: true)
                case .running, .over: break
                }
            }
            return state
        }
        switch before {
        case .over: return (nil, false)
        case .waiting:
            abandoned()
            return (.notApplied, false)
        case .starting: return isRead ? (.notApplied, false) : (.unknown, true)
        case .running(let running):
            let decides = stop(running)
            if isRead { return (.notApplied, false) }
            switch running.result {
            // One that does not say whether it has begun may never end.
            case nil: return (.unknown, decides)
            case .failure(StoreError.cancelled(let outcome)): return (outcome, false)
            case .failure(is CancellationError): return (.unknown, false)
            default: return (nil, false)
            }
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
}

/// How long it takes at most to cancel a statement on a server, and to find out the outcome where that is silent.
private let endingTime = Duration.seconds(3.5)

/// One for all, as making an existential error allocates.
private let leftWrite: any Error = StoreError.cancelled(.unknown)
