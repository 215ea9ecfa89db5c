/// Where a value stands among those that bindings bring: of two, that of the later set counts, and of
/// those that come of one set, the one that was made last.
///
/// A domain may have made a value of an older set only after a newer one was made, so revisions alone
/// do not tell.
@usableFromInline
struct Order: Comparable, Sendable {
    /// The revision of the set that the value comes of.
    @usableFromInline let origin: UInt64
    /// Its own one.
    @usableFromInline let revision: UInt64

    @inlinable
    init(origin: UInt64, revision: UInt64) {
        self.origin = origin
        self.revision = revision
    }

    /// That of a set.
    @inlinable
    init(_ revision: UInt64) { self.init(origin: revision, revision: revision) }

    @inlinable var isSet: Bool { origin == revision }

    @inlinable
    static func < (one: Order, other: Order) -> Bool {
        one.origin == other.origin ? one.revision < other.revision : one.origin < other.origin
    }

    /// That of what a domain puts in the place of the value.
    func following() -> Order { Order(origin: origin, revision: Revision.next()) }
}

/// The order of a value that a field holds under a revision which does not tell it.
@usableFromInline
struct Given: Sendable {
    @usableFromInline let revision: UInt64
    @usableFromInline let order: Order

    @inlinable
    init(_ order: Order, at revision: UInt64) {
        self.order = order
        self.revision = revision
    }
}

extension AnyField {
    /// That of the value.
    ///
    /// The lock must be held.
    @usableFromInline final var order: Order {
        if let given = details?.given, given.revision == lastRevision { return given.order }
        return Order(lastRevision)
    }
}
