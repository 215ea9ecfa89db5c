/// A committed change on its way to the observers.
///
/// It has no reference of its own: what is trivial to copy for simple values is copied quickly.
@usableFromInline
struct Change<Value: Equatable & Sendable>: Sendable {
    @usableFromInline var old: Value?
    @usableFromInline var new: Value?
    /// Whether the values differ.
    @usableFromInline var isChange: Bool
    /// Whether it stands for several commits, whose first and last values are still to be compared.
    @usableFromInline var isJoined = false
    /// Whether it is one also if the values are equal.
    @usableFromInline var isForced = false
    /// Whether a script belongs to it, which is kept beside the queue.
    @usableFromInline var hasScript = false
    /// The revision of the last of its commits.
    @usableFromInline var revision: UInt64
    @usableFromInline var cause = Cause()

    @inlinable @inline(__always)
    init(old: Value?, new: Value?, isChange: Bool, revision: UInt64) {
        self.old = old
        self.new = new
        self.isChange = isChange
        self.revision = revision
    }

    /// Whether it is what an observer is told when it is added, which no commit has made.
    var isFirst: Bool { revision == 0 }

    /// Lets it begin at an older value.
    ///
    /// No value is compared, so this may be done under a lock.
    @inlinable
    mutating func join(from old: Value?) {
        self.old = old
        isJoined = true
    }
}

/// A change with its edits.
@usableFromInline
struct Queued<Value: Equatable & Sendable>: Sendable {
    @usableFromInline var change: Change<Value>
    /// The edits that lead from the old array to the new, if it is an array and they are known.
    @usableFromInline var script: EditScript?

    @inlinable
    init(_ change: Change<Value>, _ script: EditScript?) {
        self.change = change
        self.script = script
    }
}

/// The start of what was not delivered to observers yet.
///
/// An object, guarded by the lock of the field: values in the middle of a field's state would make
/// it dear to set up.
@usableFromInline
final class Withheld<Value: Equatable & Sendable> {
    @usableFromInline let old: Value?
    /// The edits since, if all are known.
    @usableFromInline var script: EditScript?
    /// Whether there is a change also if the values are equal.
    @usableFromInline var isForced: Bool

    @inlinable
    init(old: Value?, script: EditScript?, isForced: Bool) {
        self.old = old
        self.script = script
        self.isForced = isForced
    }
}

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
