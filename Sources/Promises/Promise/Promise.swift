import ModelKitValues
import Synchronization

/// A value that will be there later, or the error why not.
///
/// ```swift
/// let size = download(url).map { $0.count }
/// size.observe { print($0) }  // calls back,
/// let count = try await size.value  // or is awaited
/// ```
///
/// Handlers are called once, in the order in which they were added (those that are added after it was
/// settled, in the order of their thread), never one inside another: on the
/// thread that settles the promise, or on the one that adds the handler if it is settled already.
/// `on:` sends a handler to a queue, ``onMain`` to the main actor. A handler that is added inside a
/// handler is called after that one returned. Do not add handlers while holding a lock that a
/// handler takes: it may be called at once. Handlers are `@Sendable`, also those that run where they
/// are added: so the compiler takes code of the main actor by ``onMain`` only.
///
/// An error travels down the chain past every step that does not deal with it. One that nobody
/// looked at is reported to `ModelKitDiagnostics` when the promise is freed.
///
/// ``cancel()`` settles a promise with `CancellationError` at once. The work behind it is stopped
/// when the last one who waits for it has left.
///
/// A step costs one allocation, two if its closure captures something; chains may be of any length.
// Safe: as for `PromiseCell`.
public class Promise<Value: Sendable>: PromiseCell<Value?>, @unchecked Sendable {
    @inlinable
    package init(fire: @escaping Fire = { _, _, _ in }) {
        super.init(nil, .pending, fire)
    }

    @inlinable
    init(settled result: Result<Value, any Error>) {
        switch result {
        case .success(let value): super.init(value, .idle)
        case .failure(let error):
            super.init(nil, .idle)
            self.error = error
        }
    }

    deinit {
        if error != nil, !isHandled.load(ordering: .relaxed) {
            reportUnhandled(in: Promise.self)
        }
    }
}

extension PromiseCore {
    @usableFromInline @inline(never)
    final func reportUnhandled(in type: Any.Type) {
        // Who cancelled it knows, whatever the work behind it made of that.
        guard let error, !isCancelled, !(error is CancellationError) else { return }
        ModelKitDiagnostics.report(
            .unhandledError,
            "\(type) failed and nobody handled it: \(error)"
        )
    }
}

extension Promise {
    /// The outcome, if it is there; nil while the promise is pending.
    ///
    /// Takes no lock. Reading a failure counts as handling it.
    @inlinable
    public final var result: Result<Value, any Error>? {
        isSettled ? settledResult : nil
    }

    /// Stops waiting: the promise fails with `CancellationError` at once, unless it is settled.
    ///
    /// What it waited for loses one consumer, and is cancelled the same way if that was the last:
    /// up to the work itself, whose `onCancel` closures run before this returns. Others who wait for
    /// the same work are not touched. Of the steps that are cancelled only `finally` handlers run.
    ///
    /// ```swift
    /// let page = download(url)
    /// let size = page.map { $0.count }
    /// size.cancel()  // nobody else waits for the page: its download is stopped
    /// ```
    public final func cancel() {
        cancel(onlyIfUnwanted: false)
    }
}

extension Promise {
    /// The outcome; the promise is settled.
    @inlinable
    final var settledResult: Result<Value, any Error> {
        if let error {
            markHandled()
            return .failure(error)
        }
        return .success(settledValue)
    }

    /// The value; the promise is settled and did not fail.
    @inlinable @inline(__always)
    package final var settledValue: Value {
        // Settled without error, hence with a value: every settlement stores one of the two.
        outcome.unsafelyUnwrapped
    }

    @inlinable @inline(__always) @discardableResult
    package final func settle(value: Value, _ queue: DrainQueue.Pointer?) -> Bool {
        settle(queue: queue) { outcome = value }
    }

    @inlinable @inline(__always) @discardableResult
    package final func settle(error: any Error, _ queue: DrainQueue.Pointer?) -> Bool {
        settle(queue: queue) { self.error = error }
    }

    /// Settles it by a closure, or with what that throws.
    @inlinable @inline(__always)
    final func attempt(_ queue: DrainQueue.Pointer, _ settle: () throws -> Void) {
        do { try settle() } catch { self.settle(error: error, queue) }
    }

    /// Ends as `other` did, which is settled.
    @inlinable
    final func settle(like other: Promise, _ queue: DrainQueue.Pointer?) {
        if let error = other.error {
            settle(error: error, queue)
        } else {
            settle(value: other.settledValue, queue)
        }
    }

    /// Ends as `inner` did or will; false if it is settled or follows a promise already.
    @inlinable @discardableResult
    final func follow(_ inner: Promise, _ queue: DrainQueue.Pointer?) -> Bool {
        if inner === self {
            return settle(byResolver: true, queue: queue) { error = PromiseError.selfResolution }
        }
        if inner.isSettled {
            let isTaken = settle(byResolver: true, queue: queue) {
                error = inner.error
                outcome = inner.outcome
            }
            if isTaken { inner.markHandled() }
            return isTaken
        }
        return follow(pending: inner, queue) { node, source, queue in
            node.as(Promise.self).settle(like: source.as(Promise.self), queue)
        }
    }
}

extension PromiseNode {
    /// Itself, as what it was created as.
    ///
    /// Unchecked in release builds, and sound by construction: a node is fired by the closure that
    /// was made together with it, and only with a promise that it was attached to there.
    @inlinable @inline(__always)
    package final func `as`<Node: PromiseNode>(_ type: Node.Type) -> Node {
        unsafeDowncast(self, to: type)
    }
}
