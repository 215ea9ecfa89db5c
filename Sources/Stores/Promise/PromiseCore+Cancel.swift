import ModelKitFields
import Synchronization

extension PromiseCore {
    /// Cancels it and, one step after the other, whatever nobody waits for because of that.
    ///
    /// All of them are settled, and their work told to stop, before the first handler runs.
    @usableFromInline
    final func cancel(onlyIfUnwanted: Bool = false) {
        DrainQueue.run { queue in
            var unwanted: [PromiseCore] = []
            settleCancelled(onlyIfUnwanted: onlyIfUnwanted, queue, &unwanted)
            while let core = unwanted.popLast() {
                core.settleCancelled(onlyIfUnwanted: true, queue, &unwanted)
            }
        }
    }

    private final func settleCancelled(
        onlyIfUnwanted: Bool,
        _ queue: DrainQueue.Pointer,
        _ unwanted: inout [PromiseCore]
    ) {
        var error = cancellationError
        lock.lock()
        guard phase.isPending, !onlyIfUnwanted || head == nil else {
            lock.unlock()
            return
        }
        if let decide = (link as? CancelHook)?.decide {
            lock.unlock()
            guard let decided = decide() else { return }
            error = decided
            lock.lock()
            // Even if somebody wants it by now: the work was stopped.
            guard phase.isPending else {
                lock.unlock()
                return
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
    }

    /// A waiter, or one that was about to wait, lost interest; the last one stops the work.
    @usableFromInline
    final func leave(_ node: PromiseNode) {
        if isSettled { return }
        _ = remove(node)
        cancel(onlyIfUnwanted: true)
    }

    /// Registers what stops the work; called at once if it was cancelled already, never if it is
    /// settled otherwise or follows another promise.
    @usableFromInline
    final func onCancel(_ body: @escaping @Sendable () -> Void) {
        lock.lock()
        guard phase == .pending else {
            let isCancelled = self.isCancelled
            lock.unlock()
            if isCancelled { body() }
            return
        }
        if let hook = link as? CancelHook {
            hook.bodies.append(body)
        } else {
            let hook = CancelHook()
            hook.bodies = [body]
            link = hook
        }
        lock.unlock()
    }

    /// Registers what decides whether and with what error it is cancelled; not if it is settled or follows
    /// another promise.
    final func whenCancelled(_ decide: @escaping @Sendable () -> (any Error)?) {
        lock.lock()
        guard phase == .pending else {
            let isCancelled = self.isCancelled
            lock.unlock()
            if isCancelled { _ = decide() }
            return
        }
        let hook = link as? CancelHook ?? CancelHook()
        let before = hook.decide
        hook.decide = decide
        link = hook
        lock.unlock()
        withExtendedLifetime(before) {}
    }

    /// Whether something decides about cancelling it.
    final var decidesCancelling: Bool {
        lock.lock()
        defer { lock.unlock() }
        return (link as? CancelHook)?.decide != nil
    }

    /// What it was cancelled with, if something decided that.
    @usableFromInline
    final var decidedError: (any Error)? {
        guard isSettled, isCancelled, let error, !(error is CancellationError) else { return nil }
        return error
    }
}

/// One for all, as making an existential error allocates.
let cancellation: any Error = CancellationError()

/// What `Resolver.onCancel` and `whenCancelled` were given, as the thing that the promise waits for.
// Sendable by hand: `bodies` and `decide` belong to the lock of the promise, then to whoever settled it.
final class CancelHook: PromiseNode, @unchecked Sendable {
    fileprivate var bodies: [@Sendable () -> Void] = []
    fileprivate var decide: (@Sendable () -> (any Error)?)?

    init() { super.init { _, _, _ in } }

    override func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {
        for body in bodies { body() }
    }
}
