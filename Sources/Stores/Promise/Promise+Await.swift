import Dispatch
import Synchronization

extension Promise {
    /// Waits for the value; throws the error if the promise fails.
    ///
    /// No task is made, and a promise that is settled does not even suspend. If the waiting task is
    /// cancelled, `CancellationError` is thrown at once and the promise loses one consumer: if that
    /// was the last, it is cancelled, else nobody else notices.
    ///
    /// ```swift
    /// let person = try await store.lookup(Person.self, identifier: id).value
    /// ```
    @inlinable
    public nonisolated(nonsending) final var value: Value {
        get async throws {
            if !isSettled {
                let awaiter = PromiseAwaiter()
                await withTaskCancellationHandler {
                    await withUnsafeContinuation { wait($0, with: awaiter) }
                } onCancel: {
                    if awaiter.abandon() { leave(awaiter) }
                }
                if awaiter.isAbandoned { throw CancellationError() }
            }
            return try settledResult.get()
        }
    }

    @inlinable
    final func wait(_ continuation: UnsafeContinuation<Void, Never>, with awaiter: PromiseAwaiter) {
        guard awaiter.arm(continuation) else {
            // The task was cancelled before it waited: a consumer that came and left.
            cancel(onlyIfUnwanted: true)
            return
        }
        attach(awaiter)
        // Cancelled between the two steps above.
        if awaiter.isAbandoned { leave(awaiter) }
    }

    /// Blocks the thread until the promise is settled; for tests, scripts and old code.
    ///
    /// A promise that needs this thread to be settled never is: on the main thread, one that waits
    /// for the main queue. Inside a handler it blocks no pending promise but throws
    /// ``PromiseError/waitInHandler``.
    @available(*, noasync, message: "await the promise's value instead")
    public final func wait() throws -> Value {
        if !isSettled {
            if DrainQueue.current != nil { throw PromiseError.waitInHandler }
            let semaphore = DispatchSemaphore(value: 0)
            attach(PromiseNode { _, _, _ in semaphore.signal() })
            semaphore.wait()
        }
        return try settledResult.get()
    }
}

/// A task that waits for a promise.
///
/// The outcome is left in the promise and not handed over with the continuation: a resumption that
/// comes before the task is suspended is ordered by code that the thread sanitizer does not see.
// Sendable by hand: `continuation` is set before the state becomes `armed` and read only by the one
// who moves the state on from there.
@usableFromInline
final class PromiseAwaiter: PromiseNode, @unchecked Sendable {
    private enum State: UInt8, AtomicRepresentable {
        case idle, armed, settled, abandoned
    }

    private let state = Atomic(State.idle)
    private var continuation: UnsafeContinuation<Void, Never>?

    @usableFromInline
    init() {
        super.init { node, _, _ in node.as(PromiseAwaiter.self).resume(.settled) }
    }

    @usableFromInline var isAbandoned: Bool { state.load(ordering: .acquiring) == .abandoned }

    /// Ready to be resumed; if the task was cancelled already, resumes it.
    @usableFromInline
    func arm(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        self.continuation = continuation
        if move(from: .idle, to: .armed) { return true }
        continuation.resume()
        return false
    }

    /// Resumes the task as cancelled; false if it does not wait, yet or any more.
    @usableFromInline
    func abandon() -> Bool {
        move(from: .idle, to: .abandoned) ? false : resume(.abandoned)
    }

    @discardableResult
    private func resume(_ end: State) -> Bool {
        guard move(from: .armed, to: end) else { return false }
        continuation?.resume()
        return true
    }

    private func move(from old: State, to new: State) -> Bool {
        state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
            .exchanged
    }
}
