import ModelKitValues
import Synchronization

extension PromiseCore {
    /// Cancels it and, one step after the other, whatever nobody waits for because of that.
    ///
    /// All of them are settled, and their work asked to stop, before the first handler runs.
    ///
    /// - Returns: Whether its work goes on to its end, as it can no longer be stopped.
    @usableFromInline @discardableResult
    final func cancel(onlyIfUnwanted: Bool = false) -> Bool {
        var goesOn = false
        DrainQueue.run { queue in
            var unwanted: [PromiseCore] = []
            goesOn = settleCancelled(onlyIfUnwanted: onlyIfUnwanted, queue, &unwanted)
            while let core = unwanted.popLast() {
                _ = core.settleCancelled(onlyIfUnwanted: true, queue, &unwanted)
            }
        }
        return goesOn
    }

    private final func settleCancelled(
        onlyIfUnwanted: Bool,
        _ queue: DrainQueue.Pointer,
        _ unwanted: inout [PromiseCore]
    ) -> Bool {
        var error = cancellationError
        lock.lock()
        guard phase.isPending, !onlyIfUnwanted || head == nil else {
            lock.unlock()
            return false
        }
        if let decide = (link as? CancelHook)?.decide {
            lock.unlock()
            guard let decided = decide() else { return true }
            error = decided
            lock.lock()
            // Even if somebody wants it by now: the work was stopped.
            guard phase.isPending else {
                lock.unlock()
                return false
            }
        }
        self.error = error
        isCancelled = true
        let link = self.link
        self.link = nil
        phase = .draining
        settled.store(true, ordering: .releasing)
        lock.unlock()
        link?.consumerLeft(self, &unwanted)
        queue.pointee.push(self)
        return false
    }

    /// A waiter, or one that was about to wait, lost interest; the last one stops the work.
    ///
    /// - Returns: Whether that was too late, so that the work goes on to its end.
    @usableFromInline @discardableResult
    final func leave(_ node: PromiseNode) -> Bool {
        if isSettled { return false }
        _ = remove(node)
        return cancel(onlyIfUnwanted: true)
    }

    /// Registers what stops the work; called at once if it was cancelled already, never if it is
    /// settled otherwise or follows another promise.
    @usableFromInline
    final func onCancel(_ body: @escaping @Sendable () -> Void) {
        changeHook(orIfCancelled: body) { $0.bodies.append(body) }
    }

    /// Registers what decides whether and with what error it is cancelled; not if it is settled or follows
    /// another promise.
    ///
    /// With `leaving` a cancelled task fails while others go on to wait.
    package final func whenCancelled(
        leaving: (any Error)? = nil,
        _ decide: @escaping @Sendable () -> (any Error)?
    ) {
        var before: (@Sendable () -> (any Error)?)? = decide
        changeHook(orIfCancelled: { _ = decide() }) { hook in
            swap(&hook.decide, &before)
            hook.leaving = leaving ?? hook.leaving
        }
        withExtendedLifetime(before) {}
    }

    /// Changes what is to be done when it is cancelled, if that may still happen and it follows no other.
    private func changeHook(orIfCancelled body: () -> Void, _ change: (CancelHook) -> Void) {
        lock.lock()
        guard phase == .pending else {
            let isCancelled = self.isCancelled
            lock.unlock()
            if isCancelled { body() }
            return
        }
        let hook = link as? CancelHook ?? CancelHook()
        change(hook)
        link = hook
        lock.unlock()
    }

    /// What a task fails with that no longer waits for it; nil if it is settled.
    @usableFromInline
    final var leavingError: (any Error)? {
        lock.withLock {
            phase.isPending ? (link as? CancelHook)?.leaving ?? cancellation : nil
        }
    }

    /// Whether something decides about cancelling it; false once it is settled.
    package final var decidesCancelling: Bool {
        // From the settlement on the link is the drain queue's.
        lock.withLock { phase.isPending && (link as? CancelHook)?.decide != nil }
    }
}

/// One for all, as making an existential error allocates.
let cancellation: any Error = CancellationError()

/// What `Resolver.onCancel` and `whenCancelled` were given, as the thing that the promise waits for.
// Safe: the variables belong to the lock of the promise, then to whoever settled it.
final class CancelHook: PromiseNode, @unchecked Sendable {
    fileprivate var bodies: [@Sendable () -> Void] = []
    fileprivate var decide: (@Sendable () -> (any Error)?)?
    fileprivate var leaving: (any Error)?

    init() { super.init { _, _, _ in } }

    override func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {
        for body in bodies { body() }
    }
}
