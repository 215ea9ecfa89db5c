import ModelKitValues

/// Until when a use of a store is waited for, for records that end it themselves by then.
///
/// They learn it while the use is begun: what they have asked for is cancelled where it runs, and its outcome is known,
/// while the promise of who waits could only be given up.
package final class UseDeadline: Sendable {
    /// That of the use that is begun on this thread.
    @TaskLocal static var current: UseDeadline?

    let end: ContinuousClock.Instant
    private let state = Guarded((isBeginning: false, isKept: false))

    init(end: ContinuousClock.Instant) { self.end = end }

    /// Whether records end the use by then.
    var isKept: Bool { state.withLock { $0.isKept } }

    /// Begins the use; tasks that are begun with it, and go on, have no deadline of it.
    func begin<Attempt>(_ start: () throws -> Attempt) rethrows -> Attempt {
        state.withLock { $0.isBeginning = true }
        defer { state.withLock { $0.isBeginning = false } }
        return try Self.$current.withValue(self, operation: start)
    }

    /// Until when what is begun now may take, which the records then see to.
    ///
    /// - Parameter limit: How long it may take in any case.
    /// - Returns: The earlier one of both.
    package static func end(within limit: Duration) -> ContinuousClock.Instant {
        let latest = ContinuousClock.now + limit
        let isLimited = current?.state.withLock { state in
            state.isKept = state.isKept || state.isBeginning
            return state.isBeginning
        }
        guard let current, isLimited ?? false else { return latest }
        return min(latest, current.end)
    }
}
