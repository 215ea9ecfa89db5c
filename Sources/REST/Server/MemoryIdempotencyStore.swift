import ModelKitFields

/// Keeps the answers to requests with an `Idempotency-Key` in memory: so many of them, for so long.
///
/// ```swift
/// handler.idempotency = MemoryIdempotencyStore(capacity: 10_000, lifetime: .seconds(3_600))
/// ```
///
/// When it is full, the oldest answer makes room for a new request; requests that are under way stay.
// Safe: the variables are guarded by the lock.
public final class MemoryIdempotencyStore: IdempotencyStore, @unchecked Sendable {
    private struct Entry {
        let fingerprint: UInt64
        let number: UInt64
        var end: ContinuousClock.Instant?
        var response: HTTPResponse?
    }

    private let capacity: Int
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lock = Lock()
    private var entries: [IdempotencyKey: Entry] = [:]
    /// The answered ones in the order of their answers, and those that were given up since.
    private var answered: ArraySlice<(key: IdempotencyKey, number: UInt64)> = []
    private var last: UInt64 = 0

    /// - Parameters:
    ///   - capacity: How many keys are kept.
    ///   - lifetime: For how long, from the answer on.
    public convenience init(capacity: Int = 10_000, lifetime: Duration = .seconds(86_400)) {
        self.init(capacity: capacity, lifetime: lifetime) { .now }
    }

    package init(
        capacity: Int,
        lifetime: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.capacity = capacity
        self.lifetime = lifetime
        self.now = now
    }

    /// How many keys are kept now.
    public var count: Int { lock.withLock { entries.count } }

    public func begin(_ key: IdempotencyKey, fingerprint: UInt64) -> IdempotencyState {
        let now = now()
        return lock.withLock {
            drop(before: now)
            if let entry = entries[key] {
                if entry.fingerprint != fingerprint { return .mismatch }
                return entry.response.map { .answered($0) } ?? .underWay
            }
            while entries.count >= capacity, let oldest = answered.popFirst() {
                remove(oldest)
            }
            if entries.count >= capacity { return .full }
            last += 1
            entries[key] = Entry(fingerprint: fingerprint, number: last)
            return .new
        }
    }

    public func end(_ key: IdempotencyKey, with response: HTTPResponse?) {
        let end = now().advanced(by: lifetime)
        lock.withLock {
            guard let response else {
                entries[key] = nil
                return
            }
            guard let number = entries[key]?.number else { return }
            entries[key]?.response = response
            entries[key]?.end = end
            answered.append((key, number))
        }
    }

    /// The lock must be held.
    private func drop(before now: ContinuousClock.Instant) {
        while let oldest = answered.first {
            if let entry = entries[oldest.key], entry.number == oldest.number,
                let end = entry.end, end > now
            {
                return
            }
            answered.removeFirst()
            remove(oldest)
        }
    }

    private func remove(_ oldest: (key: IdempotencyKey, number: UInt64)) {
        if entries[oldest.key]?.number == oldest.number { entries[oldest.key] = nil }
    }
}
