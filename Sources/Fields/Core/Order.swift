/// Where a value stands among those that bindings bring: of two, that of the later set counts.
///
/// Revisions alone do not show it: a domain may make a value of an older set only after a newer set was
/// made, and to a field that is bound the value is sent that there is, as if it were set then.
@usableFromInline
struct Order: Comparable, Sendable {
    /// The revision of the set that the value comes of, or under which it was sent along a new binding.
    @usableFromInline let origin: UInt64
    /// Along a binding: which of the values is sent that the field which was bound has held since.
    @usableFromInline let step: UInt64
    /// Its own: another one where a domain has put a value in the place of one that was brought.
    @usableFromInline let revision: UInt64

    @inlinable
    init(origin: UInt64, step: UInt64, revision: UInt64) {
        self.origin = origin
        self.step = step
        self.revision = revision
    }

    /// That of a set.
    @inlinable
    init(_ revision: UInt64) { self.init(origin: revision, step: revision, revision: revision) }

    /// Whether the revision is all of it.
    @inlinable var isPlain: Bool { origin == revision }

    @inlinable
    static func < (one: Order, other: Order) -> Bool {
        if one.origin != other.origin { return one.origin < other.origin }
        if one.step != other.step { return one.step < other.step }
        return one.revision < other.revision
    }

    /// That of what a domain puts in the place of the value.
    @usableFromInline
    func following(at revision: UInt64 = Revision.next()) -> Order {
        Order(origin: origin, step: step, revision: revision)
    }
}

/// The order of a value that is held under a revision which does not give it.
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
