import ModelKitStores

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let late = work.timeout(.seconds(60), clock: clock)
/// await clock.wait(for: 1)
/// clock.advance(by: .seconds(60))   // late has failed with `.timedOut`
/// ```
public final class ManualClock: Clock {
    /// A time of the clock, counted from zero.
    ///
    /// ```swift
    /// let age = clock.now.time
    /// ```
    public struct Instant: InstantProtocol {
        public var time = Duration.zero

        public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }

        public func duration(to other: Instant) -> Duration { other.time - time }

        public static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private struct State {
        var time = Instant()
        var sleepers: [(end: Instant, resolver: Resolver<Void>)] = []
    }

    private let state = Guarded(State())

    public init() {}

    public var now: Instant { state.withLock { $0.time } }

    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Sleeps until the clock has been advanced to the deadline; not at all, if it has been already.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (promise, resolver) = Promise<Void>.withResolvers()
        let isDue = state.withLock { state in
            if deadline <= state.time { return true }
            state.sleepers.append((deadline, resolver))
            return false
        }
        if isDue { return }
        defer { state.withLock { $0.sleepers.removeAll { $0.resolver === resolver } } }
        try await promise.value
    }

    /// Waits until at least so many sleep; for 0, until none does.
    public func wait(for count: Int) async {
        func isWaiting() -> Bool {
            let sleeping = state.withLock { $0.sleepers.count }
            return count == 0 ? sleeping > 0 : sleeping < count
        }
        while isWaiting() { await Task.yield() }
    }

    /// Goes on, and wakes those whose time has come, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            let time = state.time.advanced(by: duration)
            state.time = time
            defer { state.sleepers.removeAll { $0.end <= time } }
            return state.sleepers.filter { $0.end <= time }
        }
        for sleeper in due.sorted(by: { $0.end < $1.end }) { sleeper.resolver.fulfill() }
    }
}
