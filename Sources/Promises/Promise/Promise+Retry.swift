import ModelKitValues

extension Promise {
    /// A promise of the first success of several attempts, made one after the other.
    ///
    /// `body` is given the number of the attempt, from 1, and is called at once for the first. When
    /// what it returns fails, or it throws, it is called again after the pause of `backoff`, at most
    /// `attempts` times in all, at least once; the promise then fails with the last error. An error
    /// of which `isWorthIt` says no is the last: by itself, that of a cancelled attempt, whatever it is,
    /// and `CancellationError` and `StoreError.cancelled`. Cancelling the promise cancels the attempt, or
    /// the pause.
    ///
    /// ```swift
    /// let backoff = PromiseBackoff.exponential(from: .milliseconds(10)).jittered()
    /// let page = Promise.retry(3, backoff: backoff) { attempt in download(url) }
    /// ```
    public static func retry(
        _ attempts: Int,
        backoff: PromiseBackoff = .none,
        if isWorthIt: (@Sendable (any Error) -> Bool)? = nil,
        clock: any Clock<Duration> = SuspendingClock(),
        _ body: @escaping @Sendable (Int) throws -> Promise
    ) -> Promise {
        let retry = PromiseRetry(
            PromiseRetry.Plan(
                attempts: attempts,
                backoff: backoff,
                isWorthIt: isWorthIt,
                clock: clock,
                body: body
            )
        )
        retry.startAttempt(nil)
        return retry
    }
}

/// A promise that follows attempts and pauses by turns, so that any number leaves nothing behind.
// Safe: `plan` and `attempt` belong to whoever `ended`, `paused` or cancelled what it
// follows, one after the other.
private final class PromiseRetry<Value: Sendable>: Promise<Value>, @unchecked Sendable {
    struct Plan {
        let attempts: Int
        let backoff: PromiseBackoff
        let isWorthIt: (@Sendable (any Error) -> Bool)?
        let clock: any Clock<Duration>
        let body: @Sendable (Int) throws -> Promise<Value>
    }

    /// Freed before the waiters are called, as what steps capture is.
    private var plan: Plan?
    private var attempt = 0

    init(_ plan: Plan) {
        self.plan = plan
        super.init { _, _, _ in }
    }

    override func releaseHandler() {
        plan = nil
    }

    func startAttempt(_ queue: DrainQueue.Pointer?) {
        guard let plan else { return }
        attempt += 1
        let promise: Promise<Value>
        do { promise = try plan.body(attempt) } catch { promise = .failed(error) }
        followNext(promise, queue) { node, source, queue in
            node.as(PromiseRetry.self).ended(source.as(Promise<Value>.self), queue)
        }
    }

    private func ended(_ source: Promise<Value>, _ queue: DrainQueue.Pointer) {
        guard reopen() else { return }
        guard let plan, let error = source.error, attempt < plan.attempts,
            plan.isWorthIt?(error) ?? !source.endsByCancelling
        else {
            self.plan = nil
            return settle(like: source, queue)
        }
        let pause = plan.backoff.pause(after: attempt)
        if pause <= .zero { return startAttempt(queue) }
        followNext(Promise<Void>.timer(pause, plan.clock), queue) { node, source, queue in
            node.as(PromiseRetry.self).paused(source, queue)
        }
    }

    private func paused(_ pause: PromiseCore, _ queue: DrainQueue.Pointer) {
        guard reopen() else { return }
        // Clocks may fail.
        guard let error = pause.error else { return startAttempt(queue) }
        plan = nil
        settle(error: error, queue)
    }

    private func followNext(
        _ next: PromiseCore,
        _ queue: DrainQueue.Pointer?,
        _ fire: @escaping Fire
    ) {
        if !follow(pending: next, queue, fire) { plan = nil }
    }

    /// Ready to follow another; false if it was cancelled.
    private func reopen() -> Bool {
        lock.lock()
        guard phase == .following else {
            lock.unlock()
            plan = nil
            return false
        }
        let old = link
        link = nil
        phase = .pending
        lock.unlock()
        withExtendedLifetime(old) {}
        return true
    }
}

extension PromiseCore {
    /// Whether it was cancelled, or fails as what was; it is settled.
    fileprivate final var endsByCancelling: Bool { isCancelled || error?.saysCancelled ?? false }
}
