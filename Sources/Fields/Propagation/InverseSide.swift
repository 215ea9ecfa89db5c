import ModelKitValues

/// What makes a field one side of a relation, for the fields on the other side.
@usableFromInline
package class InverseSide: FieldRelation {
    /// What the field says of an object.
    ///
    /// The lock must not be held.
    func view(of object: RelatedObject, in field: AnyField) -> InverseView? { nil }

    /// Takes what a set of a field of the other side means for the field of the step.
    ///
    /// The lock must be held, and stays so.
    func take(_ step: InverseStep, _ stamp: RelatedStamp, _ outflow: inout InverseOutflow) {}
}

extension AnyField {
    /// The relation that the field is one side of; the lock must be held.
    final var side: InverseSide? {
        // There are no other relations.
        details?.relation.map { unsafeDowncast($0, to: InverseSide.self) }
    }

    /// What the field says of an object; nil of a field that is no side of a relation.
    final func inverseView(of object: RelatedObject) -> InverseView? {
        lock.withLock { side }?.view(of: object, in: self)
    }
}

/// An object on one side of a relation.
package typealias RelatedObject = any AnyObject & Sendable

/// What a set of one field means for a field of another object.
package struct InverseStep {
    let field: AnyField
    /// The revision at which the field was looked at.
    let revision: UInt64
    var removed: [RelatedObject] = []
    var added: [RelatedObject] = []

    var isEmpty: Bool { removed.isEmpty && added.isEmpty }
}

/// A field of a relation as it was looked at.
struct InverseView {
    let revision: UInt64
    /// Whether the field has the object that was asked for.
    let contains: Bool
    /// The object that has to leave if another one comes.
    let occupant: RelatedObject?
    /// The fields of objects that have this field's owner.
    let inverse: @Sendable (RelatedObject) -> AnyField?
}

/// What is to be done once the fields of a plan are set and their locks are free.
struct InverseOutflow {
    /// The fields whose observers are to be notified.
    var notified: [AnyField] = []
    /// The fields of other objects that are bound to others.
    var bound: [AnyField] = []
    /// The computations that have read what was set.
    var nodes: [ComputedNode] = []
    /// Whether what a binding has brought is another value than the field had.
    var isChange = false
    /// The revision of the value before.
    var before: UInt64 = 0
    /// What was replaced, which must not die before.
    var remains: [Any] = []
}

/// The times of a set, where they are not those of the system's clock.
struct RelatedStamp {
    /// The time of the clock that the task has brought, or of a field that this one is set from.
    var custom: Stamp?
    /// When the value that is taken from another field was changed there.
    var changed: Stamp?
    /// That of the value which a binding brings.
    var order: Order?
    /// Whether the inside of the value has changed, although it may be the same.
    var isForced = false
    /// Whether the time is of a clock that the task has brought.
    var hasOwnTime = false

    /// Those of what follows from the set.
    var following: RelatedStamp { RelatedStamp(custom: changed == nil ? custom : nil) }
}
