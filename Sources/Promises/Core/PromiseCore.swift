public import ModelKitValues
public import Synchronization

/// The part of a ``Promise`` that does not depend on its value, public only as its base.
///
/// A promise is pending until its one settlement. The settling thread then calls the waiters, list
/// by list, until it finds none; those added meanwhile, by any thread, queue behind the earlier
/// ones. So waiters are called in the order in which they were added, whatever the threads. Only then
/// is the promise idle: a late waiter is called by the thread that adds it, and not kept waiting by
/// those of other threads.
// Safe: the variables belong to `lock`, under which no waiter is called, but for the outcome (`error`
// here, the value in the subclass), which is written once under the lock, before `settled`, and read
// after it, and for `link`, which belongs to the drain queue of one thread from the settlement on.
public class PromiseCore: PromiseNode, @unchecked Sendable {
    @usableFromInline
    enum Phase: UInt8 {
        case pending
        /// Pending, and the resolver has given its word to another promise.
        case following
        case draining
        /// Idle, but for a late waiter that one thread has in its queue.
        case late
        case idle

        @inlinable var isPending: Bool { rawValue <= Phase.following.rawValue }
    }

    @usableFromInline let lock = Lock()
    @usableFromInline let settled: Atomic<Bool>
    /// Whether anybody looked, so that a failure was not in vain.
    @usableFromInline let isHandled = Atomic(false)
    @exclusivity(unchecked) @usableFromInline final var phase: Phase
    @exclusivity(unchecked) @usableFromInline final var isCancelled = false
    @exclusivity(unchecked) @usableFromInline final var head: Unmanaged<PromiseNode>?
    @exclusivity(unchecked) @usableFromInline final var tail: Unmanaged<PromiseNode>?
    /// What it waits for, or what to stop if it is cancelled; once it is settled, the next in the
    /// drain queue.
    @exclusivity(unchecked) @usableFromInline package final var link: PromiseNode?
    @exclusivity(unchecked) @usableFromInline package final var error: (any Error)?

    @inlinable
    init(_ phase: Phase, _ fire: @escaping Fire = { _, _, _ in }) {
        self.phase = phase
        settled = Atomic(!phase.isPending)
        super.init(fire)
    }

    @inlinable
    package final var isSettled: Bool { settled.load(ordering: .acquiring) }

    /// Somebody looks at how it ends.
    @inlinable
    final func markHandled() { isHandled.store(true, ordering: .relaxed) }

    final override var core: PromiseCore? { self }

    @usableFromInline
    final override func consumerLeft(_ node: PromiseNode, _ unwanted: inout [PromiseCore]) {
        if remove(node) { unwanted.append(self) }
    }

    @usableFromInline
    final override func wasUnlinked() {
        // Unlinked because this promise was cancelled: it is draining, on this thread.
        if alwaysRuns {
            prepend(self)
        } else {
            // It may hold an executor.
            fire = { _, _, _ in }
            releaseHandler()
        }
    }

    final override func wasDropped() {
        settle(queue: nil) { error = PromiseError.broken }
        releaseHandler()
    }

    /// What it fails with when it is cancelled, and nothing decides otherwise.
    var cancellationError: any Error { cancellation }

    /// Frees the closure of a step that will not be called.
    @usableFromInline
    func releaseHandler() {}
}

extension PromiseCore {
    /// Settles it, unless that has happened; `write` stores the outcome.
    ///
    /// A resolver, other than the library, has no say any more once it follows another promise.
    @inlinable @inline(__always) @discardableResult
    final func settle(
        byResolver: Bool = false,
        queue: DrainQueue.Pointer?,
        _ write: () -> Void
    ) -> Bool {
        if settled.load(ordering: .relaxed) { return false }
        lock.lock()
        guard byResolver ? phase == .pending : phase.isPending else {
            lock.unlock()
            return false
        }
        write()
        let link = self.link
        self.link = nil
        let hasWaiters = head != nil
        phase = hasWaiters ? .draining : .idle
        settled.store(true, ordering: .releasing)
        lock.unlock()
        // Freed only here: it may be the last reference to something of the user's.
        withExtendedLifetime(link) {}
        if hasWaiters { callWaiters(queue) }
        return true
    }

    @usableFromInline
    final func callWaiters(_ queue: DrainQueue.Pointer?) {
        if let queue {
            queue.pointee.push(self)
        } else {
            DrainQueue.run { $0.pointee.push(self) }
        }
    }

    /// Calls every waiter, until there is none left.
    final func drain(_ queue: DrainQueue.Pointer) {
        while true {
            lock.lock()
            let list = head
            head = nil
            tail = nil
            if list == nil { phase = .idle }
            lock.unlock()
            guard var current = list else { return }
            while true {
                let node = current.takeRetainedValue()
                let next = node.next
                node.next = nil
                // It may wait for another promise next, which must not take it for one of its list.
                node.isLinked = false
                node.fire(node, self, queue)
                guard let next else { break }
                current = next
            }
        }
    }
}
