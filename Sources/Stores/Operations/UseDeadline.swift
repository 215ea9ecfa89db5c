import ModelKitValues

/// Until when a use of a store is waited for, for records that end it themselves by then.
///
/// They learn it while the use is begun: what they have asked for is cancelled where it runs, and its outcome is known,
/// while the promise of who waits could only be given up.
package final class UseDeadline: Sendable {
    /// That of the use that is begun on this thread.
    @TaskLocal static var current: UseDeadline?

    let end: ContinuousClock.Instant
    private let kept = Guarded(false)

    init(end: ContinuousClock.Instant) { self.end = end }

    /// Whether records end the use by then.
    var isKept: Bool { kept.withLock { $0 } }

    /// Until when what is begun now may take, which the records then see to.
    ///
    /// - Parameter limit: How long it may take in any case.
    /// - Returns: The earlier one of both.
    package static func end(within limit: Duration) -> ContinuousClock.Instant {
        let latest = ContinuousClock.now + limit
        guard let current else { return latest }
        current.kept.withLock { $0 = true }
        return min(latest, current.end)
    }
}
