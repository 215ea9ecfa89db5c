/// What an evaluation has read.
@usableFromInline
struct Reading {
    /// Before, what the evaluation before has read: mostly the same is read again, in this order.
    @usableFromInline var dependencies: Dependencies?
    /// Whether it differs from that.
    @usableFromInline var hasDiverged = false
    /// Whether some of it was right when the value was asked for, and may be so no more.
    @usableFromInline var isOutdated = false
    /// Whether it is part of a cycle, or may be.
    @usableFromInline var hasCycle = false
    /// Whether some of it was read before and some after a set of another thread; where it is part of
    /// another evaluation, whether that may be.
    @usableFromInline var isTorn = false
    /// The computations that are to be looked at as it has set something, and the fields that they feed:
    /// until it ends, those of them that read it would find a cycle.
    @usableFromInline var postponed: Backlog?
    /// Whether a relation was read that is not loaded.
    @usableFromInline var lacksRelation = false
    /// The fields that were set meanwhile by this thread.
    @usableFromInline var ownSets: Set<ObjectIdentifier> = []

    @inlinable
    init() {}

    /// Begins an evaluation, perhaps one that is done again.
    mutating func begin() {
        (isOutdated, hasCycle, lacksRelation, ownSets) = (false, false, false, [])
    }
}
