/// A link along which a field's commits are stored in another: of the same value type, or by a
/// transform.
///
/// It keeps neither of them alive.
@usableFromInline
final class Binding: Sendable {
    /// To find the target without loading the weak reference.
    @usableFromInline let targetID: ObjectIdentifier
    @usableFromInline weak let target: AnyField?

    // Safe, these three: they are read and written under the lock of the field that it goes from alone.
    /// The revision under which the value was sent along it that there was when it was made.
    @exclusivity(unchecked) nonisolated(unsafe) var linkedAt: UInt64 = 0
    /// The order under which the target has the value of a revision already, where it has made it.
    @exclusivity(unchecked) nonisolated(unsafe) var known: Given?
    /// Whether it was taken from its field, or another one is in its place.
    @exclusivity(unchecked) nonisolated(unsafe) var isOver = false

    /// A `Transform` of the values of the field that the binding goes from.
    @usableFromInline let transform: (any AnyObject & Sendable)?

    /// The order under which a value of a revision is sent along it that is of an earlier set than what
    /// was sent along it first.
    func order(ofLate revision: UInt64) -> Order {
        if let known, known.revision == revision { return known.order }
        if revision < linkedAt { return Order(linkedAt) }
        return Order(origin: linkedAt, step: revision, revision: revision)
    }

    @usableFromInline @inline(never)
    func noteKnown(_ order: Order, at revision: UInt64) { known = Given(order, at: revision) }

    init(to target: AnyField, by transform: (any AnyObject & Sendable)?) {
        self.target = target
        self.transform = transform
        targetID = ObjectIdentifier(target)
    }
}
