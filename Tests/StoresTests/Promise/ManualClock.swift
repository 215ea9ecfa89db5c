import ModelKitFields
import ModelKitStores

/// A clock that stands still until it is told to go on.
// Sendable by hand: the variables belong to the lock.
final class ManualClock: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
        var time = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private let lock = Lock()
    private var time = Instant()
    private var sleepers: [(end: Instant, resolver: Resolver<Void>)] = []

    var now: Instant { lock.withLock { time } }
    var minimumResolution: Swift.Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let (promise, resolver) = Promise<Void>.withResolvers()
        lock.withLock { sleepers.append((deadline, resolver)) }
        defer { lock.withLock { sleepers.removeAll { $0.resolver === resolver } } }
        try await promise.value
    }

    /// Waits until so many sleep.
    func wait(for count: Int) async {
        while lock.withLock({ sleepers.count }) != count { await Task.yield() }
    }

    /// Wakes those whose time has come.
    func advance(by duration: Duration) {
        let due = lock.withLock {
            time = time.advanced(by: duration)
            let due = sleepers.filter { $0.end <= time }
            sleepers.removeAll { $0.end <= time }
            return due
        }
        for sleeper in due { sleeper.resolver.fulfill() }
    }
}
