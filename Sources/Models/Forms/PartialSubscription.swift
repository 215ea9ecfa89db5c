import Synchronization

/// One registration of a listener with a ``PartialBuilder``.
///
/// It may be dropped: the listener stays until it is cancelled or the builder is gone.
///
/// ```swift
/// let subscription = builder.subscribeToAllChanges { keyPath, partial in save(partial) }
/// subscription.cancel()
/// ```
public final class PartialSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Ends it and releases the listener.
    ///
    /// On the thread that notifies, the listener is not called again once this returns. From another
    /// thread a call that has begun may still be running. Cancelling twice does nothing.
    public func cancel() { end() }
}

/// One change of a builder.
struct PartialChange<Root>: Sendable {
    let keyPath: any PartialKeyPath<Root> & Sendable
    let old: Partial<Root>
    let new: Partial<Root>
    let revision: UInt64

    init(
        _ keyPath: any PartialKeyPath<Root> & Sendable,
        from old: Partial<Root>,
        to new: Partial<Root>,
        revision: UInt64
    ) {
        self.keyPath = keyPath
        self.old = old
        self.new = new
        self.revision = revision
    }
}

/// A listener that is notified of changes after the one it was added at.
final class PartialListener<Root>: Sendable {
    private let since: UInt64
    private let call: @Sendable (PartialChange<Root>) -> Void
    private let isCancelled = Atomic(false)

    init(since: UInt64, _ call: @escaping @Sendable (PartialChange<Root>) -> Void) {
        self.since = since
        self.call = call
    }

    func cancel() { isCancelled.store(true, ordering: .releasing) }

    func receive(_ change: PartialChange<Root>) {
        if change.revision > since && !isCancelled.load(ordering: .acquiring) { call(change) }
    }
}
