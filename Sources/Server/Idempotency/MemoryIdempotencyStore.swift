public import ModelKitREST

/// Keeps the answers to requests with an `Idempotency-Key` in memory: so many of them, for so long.
///
/// ```swift
/// handler.idempotency = MemoryIdempotencyStore(capacity: 10_000, lifetime: .seconds(3_600))
/// ```
///
/// When it is full, the oldest answers to the same principal make room for a new request, and then the
/// oldest of all; requests that are under way stay. Of an answer that would take more than a sixteenth
/// of the bytes, the status and the head alone are kept: repetitions get it without its body.
public final class MemoryIdempotencyStore: IdempotencyStore {
    private let lifetime: Duration
    private let watch: Stopwatch
    private let state: Guarded<KeptAnswers>

    /// - Parameters:
    ///   - capacity: How many keys are kept.
    ///   - bytes: How many bytes the keys and the answers may take.
    ///   - lifetime: For how long an answer is kept.
    ///   - clock: What that is measured with.
    public init(
        capacity: Int = 10_000,
        bytes: Int = 64 << 20,
        lifetime: Duration = .seconds(86_400),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        state = Guarded(KeptAnswers(capacity: capacity, bytes: bytes))
        self.lifetime = lifetime
        watch = Stopwatch(clock)
    }

    public func begin(_ key: IdempotencyKey, fingerprint: UInt64) -> IdempotencyState {
        let now = watch.elapsed
        return state.withLock { $0.begin(key, fingerprint: fingerprint, now) }
    }

    public func end(_ key: IdempotencyKey, with response: HTTPResponse?) {
        let end = watch.elapsed + lifetime
        state.withLock { $0.end(key, with: response, until: end) }
    }
}

/// The answers, all of whose uses come after each other.
private struct KeptAnswers {
    struct Entry {
        let fingerprint: UInt64
        let number: UInt64
        var size: Int
        /// When it is forgotten, by the store's watch; nil while the request is under way.
        var end: Duration?
        var response: HTTPResponse?
    }

    typealias Place = (key: IdempotencyKey, number: UInt64)

    let capacity: Int
    let bytes: Int
    var entries: [IdempotencyKey: Entry] = [:]
    /// The sizes of all entries.
    var size = 0
    /// The answered ones in the order of their answers, and those that were given up since.
    var answered: ArraySlice<Place> = []
    /// The same by principal.
    var own: [String: ArraySlice<Place>] = [:]
    /// How many were answered since those that were given up were last removed.
    var recent = 0
    var last: UInt64 = 0

    mutating func begin(
        _ key: IdempotencyKey,
        fingerprint: UInt64,
        _ now: Duration
    ) -> IdempotencyState {
        drop(before: now)
        if let entry = entries[key] {
            if entry.fingerprint != fingerprint { return .mismatch }
            return entry.response.map { .answered($0) } ?? .underWay
        }
        let size = key.principal.utf8.count + key.value.utf8.count + 256
        guard makeRoom(1, size, for: key.principal) else { return .full }
        last += 1
        entries[key] = Entry(fingerprint: fingerprint, number: last, size: size)
        self.size += size
        return .new
    }

    mutating func end(
        _ key: IdempotencyKey,
        with response: HTTPResponse?,
        until end: Duration
    ) {
        guard var entry = entries[key] else { return }
        guard var response else { return remove((key, entry.number)) }
        if response.size > bytes / 16 { response.body.removeAll() }
        _ = makeRoom(0, response.size, for: key.principal)
        entry.size += response.size
        size += response.size
        entry.response = response
        entry.end = end
        entries[key] = entry
        answered.append((key, entry.number))
        own[key.principal, default: []].append((key, entry.number))
        tidy()
    }

    private mutating func drop(before now: Duration) {
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

    /// Lets go of answers until there is room, those of the principal first; false if there is none.
    private mutating func makeRoom(_ count: Int, _ more: Int, for principal: String) -> Bool {
        while entries.count + count > capacity || size + more > bytes {
            guard let oldest = own[principal]?.popFirst() ?? answered.popFirst() else {
                return false
            }
            remove(oldest)
        }
        return true
    }

    private mutating func remove(_ oldest: Place) {
        guard let entry = entries[oldest.key], entry.number == oldest.number else { return }
        size -= entry.size
        entries[oldest.key] = nil
    }

    /// Removes the places of what was given up, once there may be more of them than of others.
    private mutating func tidy() {
        recent += 1
        if recent <= 2 * entries.count + 16 { return }
        recent = 0
        let kept = answered.filter { entries[$0.key]?.number == $0.number }
        answered = kept[...]
        own = Dictionary(grouping: kept, by: \.key.principal).mapValues { $0[...] }
    }
}

extension HTTPResponse {
    fileprivate var size: Int {
        headers.reduce(body.count + 64) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}
