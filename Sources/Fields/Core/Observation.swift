public import Synchronization

/// One registration of an observer with a field.
///
/// It may be dropped: the observer stays until it is cancelled, its owner dies or the field does.
///
/// ```swift
/// let observation = person.name --> { name in print(name ?? "nobody") }
/// observation.cancel()
///
/// let scoped = person.age.observe { print($0 ?? 0) }.scoped()   // ends with `scoped`
/// ```
// Safe: `field` is guarded by `lock`; `number` and `isInternal` are written before the observation is
// visible to any other thread; `since` is written by the one that delivers, under the field's lock where another
// thread may look; any thread may read a weak reference.
public class Observation: @unchecked Sendable {
    /// Nested outside the lock of the field, never inside it.
    private let lock = Lock()
    // The small ones stand together: an object of more than 120 bytes takes `malloc` several times as long to free.
    @usableFromInline final let phase: Atomic<UInt8>
    /// Whether it is a hook of the library, which nobody sees or removes.
    @exclusivity(unchecked) final var isInternal = false
    /// Unmanaged, because the field notifies every observation when it dies, and waits for this lock.
    @exclusivity(unchecked) private final var field: Unmanaged<AnyField>?
    @exclusivity(unchecked) final var number: UInt64 = 0
    /// The revision of the field at the registration: earlier changes are not for this observer.
    ///
    /// `.max` while the observer is to receive its first change in a special way. Whoever delivers writes it.
    @exclusivity(unchecked) @usableFromInline final var since: UInt64 = 0

    /// The phases, as plain numbers: an atomic of an enum costs a call in debug builds.
    @usableFromInline static let live: UInt8 = 0
    /// The observer is receiving the value it starts with.
    @usableFromInline static let starting: UInt8 = 1
    @usableFromInline static let cancelled: UInt8 = 2

    /// What identifies its owner or observer; nil where there is none.
    @usableFromInline final let ownerID: ObjectIdentifier?
    /// The owner, or the observer itself if it is an object.
    @usableFromInline final weak let owner: AnyObject?

    @usableFromInline
    init(starting: Bool, owner: borrowing AnyObject? = nil) {
        phase = Atomic(starting ? Self.starting : Self.live)
        ownerID = (copy owner).map { ObjectIdentifier($0) }
        self.owner = copy owner
    }

    /// Whether the observer will not be called again: it was cancelled, or what it observed is gone.
    public final var isCancelled: Bool { phase.load(ordering: .acquiring) == Self.cancelled }

    /// Ends the observation and releases the closure.
    ///
    /// On the thread that delivers (for `onMain`, on the main thread) the observer is not called
    /// again once this returns. From another thread a call that has begun may still be running.
    /// Cancelling twice does nothing.
    public final func cancel() {
        if end() { dispose() }
    }

    /// Ends the observation.
    ///
    /// No code of the user runs.
    ///
    /// - Returns: Whether the caller has to drop the closure.
    func end() -> Bool {
        // The own lock keeps the field alive: it is not freed before it has taken this lock.
        lock.lock()
        defer { lock.unlock() }
        let previous = phase.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
        guard let field, previous != Self.cancelled else { return false }
        self.field = nil
        // Whoever delivers the first value to it drops the closure afterwards.
        let wasLive = previous == Self.live
        return field._withUnsafeGuaranteedRef { $0.remove(self, retiring: wasLive) }
    }

    /// An object that cancels the observation when it is released.
    public final func scoped() -> ScopedObservation { ScopedObservation(self) }

    /// Registers the field.
    ///
    /// The observation must not be visible to another thread.
    final func attach(to field: AnyField, number: UInt64, since revision: UInt64) {
        self.field = .passUnretained(field)
        self.number = number
        since = revision
    }

    /// Ends the start.
    ///
    /// - Returns: Whether it was not cancelled meanwhile. Otherwise the caller drops the closure.
    @usableFromInline
    final func beginLife() -> Bool {
        phase.compareExchange(
            expected: Self.starting,
            desired: Self.live,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Forgets the field, which dies.
    ///
    /// - Returns: Whether the caller has to drop the closure. Whoever has cancelled the observation
    ///   before does otherwise.
    final func detach() -> Bool {
        lock.withLock {
            field = nil
            return phase.exchange(Self.cancelled, ordering: .acquiringAndReleasing) == Self.live
        }
    }

    /// Drops the closure.
    ///
    /// No call may be running or begin.
    @usableFromInline
    func dispose() {}

    /// Whether an object is what the observer belongs to, the observer itself or this observation.
    final func belongs(to object: AnyObject) -> Bool {
        !isInternal && owner === object || object === self
            || (object as? ScopedObservation)?.observation === self
    }

    /// Whether its owner or observer is gone.
    @usableFromInline final var isOrphaned: Bool { ownerID != nil && owner == nil }
}

/// An observation that ends with this object.
///
/// ```swift
/// final class Screen { var observations: [ScopedObservation] = [] }
/// screen.observations.append(person.name.observe { print($0 ?? "") }.scoped())
/// ```
public final class ScopedObservation: Sendable {
    /// The observation itself.
    public let observation: Observation

    init(_ observation: Observation) {
        self.observation = observation
    }

    deinit { cancel() }

    /// Whether the observer will not be called again: it was cancelled, or what it observed is gone.
    public var isCancelled: Bool { observation.isCancelled }

    /// Ends the observation, as the release of this object would.
    public func cancel() { observation.cancel() }
}

extension Observation {
    /// One of nothing, that has ended.
    static var ended: Observation {
        let observation = Observation(starting: false)
        observation.cancel()
        return observation
    }
}

/// Why a hook of the library is called.
package enum HookCall: Sendable {
    /// It was just added, and learns the value there is.
    case first
    case change
    /// The field was set to a value that it takes for the one it had.
    case set
}

/// When an observer is called.
///
/// ```swift
/// person.name.observe(when: .changes) { old, new in print(old ?? "", new ?? "") }
/// ```
public enum ObservationTrigger: Sendable, Hashable {
    /// Once when it is added, then at every set, also to the value that was there.
    case everySet
    /// Only when the value differs from the one before.
    case changes
}
