/// How long something has been going on.
package struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
    }

    package var elapsed: Duration { read() }
}

extension HTTPLimits {
    /// What is left of them after some time.
    func after(_ elapsed: Duration) -> HTTPLimits {
        var limits = self
        if let deadline { limits.deadline = max(.zero, deadline - elapsed) }
        return limits
    }
}
