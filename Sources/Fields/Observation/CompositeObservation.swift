import Synchronization

/// An observation that is made of hooks on many fields, which end with it.
// Safe: `ending` is guarded by `lock`, and called and released outside of it.
package final class CompositeObservation: Observation, @unchecked Sendable {
    private let lock = Lock()
    private var ending: (@Sendable () -> Void)?

    package init() {
        super.init(starting: false)
        joinScope()
    }

    /// Says what ends the hooks; it is called once, when the observation is cancelled.
    package func whenEnded(_ ending: @escaping @Sendable () -> Void) {
        lock.withLock { self.ending = ending }
        if isCancelled { dispose() }
    }

    override func end() -> Bool {
        phase.exchange(Self.cancelled, ordering: .acquiringAndReleasing) == Self.live
    }

    @usableFromInline
    override func dispose() { lock.withLock { ending.take() }?() }
}
