/// Where a value stands among those that bindings bring: of two, that of the later set counts.
///
/// Revisions alone do not tell: a domain may make a value of an older set only after a newer set was
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

    /// Whether the revision tells all of it.
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

/// The order of a value that is held under a revision which does not tell it.
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

// The lock must be held.
extension AnyField {
    /// That of the value.
    @inlinable final var order: Order {
        if let given = details?.given, given.revision == lastRevision { return given.order }
        return Order(lastRevision)
    }

    /// That under which the value is sent along a binding: where it is of an earlier set than what was
    /// sent along it first, it has to follow that.
    final func order(along binding: Binding) -> Order {
        let own = order
        return own.origin > binding.linkedAt ? own : binding.order(ofLate: lastRevision)
    }

    /// The own binding that an order has begun at, if it has.
    final func binding(of order: Order) -> Binding? {
        guard let details, order.origin <= details.linkedAt else { return nil }
        // Where a default value was replaced, all have the same.
        let begun = details.bindings.filter { $0.linkedAt == order.origin }
        return begun.first { self.order(along: $0).step == order.step } ?? begun.first
    }

    /// An order as it is for this field: of what comes back that was sent along an own binding, it is
    /// that of the value which was sent; nil where that is known, or is not the value any more.
    @usableFromInline
    final func own(_ order: Order) -> Order? {
        guard let binding = binding(of: order) else { return order }
        let sent = self.order(along: binding)
        guard sent.origin == order.origin, sent.step == order.step, sent < order else { return nil }
        return self.order.following(at: order.revision)
    }
}
