/// Where a change stands in a chain of changes that observers caused.
///
/// A field that its own observers set again is found by counting. A longer round (the observers of a
/// set b, those of b set a) is found as Brent finds cycles: one field of the chain is watched, and at
/// every power of two of the chain's length the current one is watched instead.
@usableFromInline
struct Cause: Sendable {
    /// How many changes of this field in a row its own observers caused.
    @usableFromInline var ownDepth: UInt32 = 0
    /// How often the chain came back to the watched field.
    @usableFromInline var returns: UInt32 = 0
    @usableFromInline var length: UInt32 = 0
    @usableFromInline var watched: ObjectIdentifier?

    @inlinable
    init() {}

    @usableFromInline static let ownLimit: UInt32 = 100
    @usableFromInline static let returnLimit: UInt32 = 10_000

    /// The cause of a change of a field, set by an observer of another or the same field.
    @inlinable
    func following(_ field: ObjectIdentifier, setBy source: ObjectIdentifier) -> Cause {
        var next = self
        next.ownDepth = field == source ? ownDepth &+ 1 : 0
        next.length = length &+ 1
        if watched == field {
            next.returns &+= 1
        } else if next.length & (next.length &- 1) == 0 {
            next.watched = field
            next.returns = 0
        }
        return next
    }

    /// Whether the chain has gone on for so long that it will not end.
    @inlinable
    var isEndless: Bool {
        ownDepth > Cause.ownLimit || returns > Cause.returnLimit
    }
}
