extension FieldCore {
    /// `commit` for a field with traits.
    @inlinable @inline(never)
    final func commitSpecially(
        _ newValue: Value?,
        at expected: UInt64?,
        _ custom: Stamp?,
        following order: Order? = nil
    ) -> UInt64? {
        if becomesRelated() {
            return valueRelation?.commit(newValue, in: self, at: expected, custom, following: order)
        }
        guard let taken = lockTaking(newValue, unless: { $0 != expected ?? $0 }) else { return nil }
        defer { withExtendedLifetime(taken) {} }
        return commitLocked(taken.value, isChange: taken.isChange, custom, following: order)
    }

    /// Whether sets have to keep the other side of a relation in step.
    ///
    /// A field that should do it and cannot is reported, once.
    @usableFromInline @inline(never)
    final func becomesRelated() -> Bool {
        lock.lock()
        let (isRelated, isExpected) = (details?.relation != nil, traits.contains(.related))
        if !isRelated { traits.remove(.related) }
        lock.unlock()
        if isExpected, !isRelated {
            let declared = elementField ?? self
            (declared as? any FormingField)?.noteUnrelated(label) ?? reportUnrelated(label)
        }
        return isRelated
    }

    /// Reports a set of a field that is to be one side of a relation, and is not.
    package final func reportUnrelated(_ label: String?) {
        ModelKitDiagnostics.report(
            .modelDeclaration,
            "a field with an inverse was set, and the other side was not, as the "
                + "init of its model does not call linkFields()",
            field: label
        )
    }

    /// Takes the lock for a commit of what the field makes of a value; gives nil, with the lock free,
    /// if the condition refuses the field's revision, which is asked under the lock.
    ///
    /// The code of the user runs without the lock, so it runs again when the field was set meanwhile.
    @inlinable
    final func lockTaking(_ value: Value?, unless refuses: (UInt64) -> Bool) -> Taken<Value>? {
        while true {
            lock.lock()
            let seen = storage
            let before = lastRevision
            let changes = details?.domainChanges ?? 0
            let hasDomain = traits.contains(.domain)
            let isRefused = refuses(before)
            lock.unlock()
            if isRefused { return nil }
            let new = hasDomain ? normalise(value) : value
            let taken = Taken(
                value: new,
                isChange: isDifferent(seen, new),
                isCoerced: hasDomain && differs(value, new),
                seen: seen
            )
            lock.lock()
            if lastRevision == before, details?.domainChanges ?? 0 == changes { return taken }
            lock.unlock()
        }
    }
}

/// What a field with traits makes of a value that it is to take.
@usableFromInline
struct Taken<Value: Equatable & Sendable> {
    @usableFromInline let value: Value?
    /// Whether it differs from the stored value.
    @usableFromInline let isChange: Bool
    /// Whether another value was to be taken.
    @usableFromInline let isCoerced: Bool
    /// The stored value, kept alive until the lock is free.
    @usableFromInline let seen: Value?

    @inlinable
    init(value: Value?, isChange: Bool, isCoerced: Bool, seen: Value?) {
        self.value = value
        self.isChange = isChange
        self.isCoerced = isCoerced
        self.seen = seen
    }
}
