/// What makes a field of a value type one side of a relation: how it takes a value.
@usableFromInline
package class ValueRelation<Value: Equatable & Sendable>: InverseSide {
    /// Sets the value, unless a revision is given and the field was set since.
    ///
    /// - Returns: The revision of the commit; nil when there was none.
    @usableFromInline
    func commit(
        _ value: Value?,
        in field: FieldCore<Value>,
        at expected: UInt64?,
        _ custom: Stamp?,
        following order: Order?
    ) -> UInt64? { nil }

    /// Takes the value of a propagation, unless the field holds a newer one, and adds what follows to the
    /// propagation.
    @usableFromInline
    func accept(
        _ propagation: inout Propagation<Value>,
        in field: FieldCore<Value>,
        from sender: ObjectIdentifier?
    ) {}
}

extension FieldCore {
    /// The relation that the field is one side of.
    @usableFromInline
    final var valueRelation: ValueRelation<Value>? {
        // A field is given only one of its own values.
        guard let relation = lock.withLock({ details?.relation }) else { return nil }
        return unsafeDowncast(relation, to: ValueRelation<Value>.self)
    }
}
