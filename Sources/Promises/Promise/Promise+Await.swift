import Dispatch
import Synchronization

extension Promise {
    /// Waits for the value; throws the error if the promise fails.
    ///
    /// No task is made, and a promise that is settled does not even suspend. If the waiting task is
    /// cancelled, it goes on at once: the promise loses one consumer, and `CancellationError` is
    /// thrown, or what the promise is cancelled with. If that was the last consumer, the task cancels the promise, else nobody else notices.
    /// An outcome that is there by then is given as it is. Work that can no longer be stopped, as a write that
    /// a store has begun, is waited for: see ``Resolver/whenCancelled(_:)``.
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
                    awaiter.abandon()
                }
                // Not above, where the runtime holds a lock of the task and of those it is part
                // of: leaving may call closures of the user.
                if awaiter.isAbandoned { try await goOn(without: awaiter) }
            }
            return try settledResult.get()
        }
    }

    /// Goes on in a task that was cancelled: at once, or when work has ended that can no longer be stopped.
    ///
    /// Apart, so that the compiler finds awaiting small enough to put it where a promise is awaited.
    @usableFromInline
    nonisolated(nonsending) final func goOn(without awaiter: PromiseAwaiter) async throws {
        if leave(awaiter), !isSettled {
            await withUnsafeContinuation { wait($0, with: PromiseAwaiter()) }
        } else if let error = leavingError {
            throw error
        }
    }

    @inlinable
    final func wait(_ continuation: UnsafeContinuation<Void, Never>, with awaiter: PromiseAwaiter) {
        if awaiter.arm(continuation) { attach(awaiter) }
    }

    /// Blocks the thread until the promise is settled; for tests, scripts and old code.
    ///
    /// A promise that needs this thread to be settled never is: on the main thread, one that waits
    /// for the main queue. Inside a handler it blocks no pending promise but throws
    /// ``PromiseError/waitInHandler``. After `timeout` it throws ``PromiseError/timedOut``, and the
    /// promise has lost a consumer: it is cancelled if that was the last.
    ///
    /// ```swift
    /// let page = try download(url).wait(timeout: .seconds(5))
    /// ```
    @available(*, noasync, message: "await the promise's value instead")
    public final func wait(timeout: Duration? = nil) throws -> Value {
        if isSettled { return try settledResult.get() }
        if DrainQueue.current != nil { throw PromiseError.waitInHandler }
        let semaphore = DispatchSemaphore(value: 0)
        let waiter = PromiseNode { _, _, _ in semaphore.signal() }
        attach(waiter)
        let end = timeout.map(DispatchTime.now(after:)) ?? .distantFuture
        if semaphore.wait(timeout: end) == .timedOut, !isSettled {
            leave(waiter)
            throw PromiseError.timedOut
        }
        return try settledResult.get()
    }
}

/// A task that waits for a promise.
///
/// The outcome is left in the promise and not handed over with the continuation: a resumption that
/// comes before the task is suspended is ordered by code that the thread sanitizer does not see.
// Safe: `continuation` is set before the state becomes `armed` and read only by the one
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

    /// Resumes the task as cancelled, unless it does not wait, yet or any more.
    @usableFromInline
    func abandon() {
        if !move(from: .idle, to: .abandoned) { resume(.abandoned) }
    }

    private func resume(_ end: State) {
        if move(from: .armed, to: end) { continuation?.resume() }
    }

    private func move(from old: State, to new: State) -> Bool {
        state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
            .exchanged
    }
}
