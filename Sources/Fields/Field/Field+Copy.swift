extension Field {
    /// Takes over all that a copy has in common with another field, or all but what that was declared with.
    ///
    /// Nobody else may know this one yet.
    final func adopt(_ source: Field<Value>, declaration isDeclared: Bool = true) {
        let (original, declared) = source.readTracked {
            isDeclared ? (source.state, source.declaration) : (nil, nil)
        }
        let own = original == nil ? nil : ensureState()
        let old = (storage, own?.domain, own?.equality, own?.transformer, details, declaration)
        // Of what the parts of the other field were given after it was made, it has nothing.
        if original == nil { details = nil }
        source.lock.lock()
        storage = source.storage
        lastRevision = source.lastRevision == 0 ? 0 : Revision.next()
        lastChange = lastRevision
        updated = source.updated
        changed = source.changed
        load = source.load
        storing = source.storing
        declaration = declared.map(Declaration.init(copying:))
        if let own, let original {
            own.adopt(original)
            traits.formUnion(source.traits.intersection([.equality, .domain]))
        }
        source.lock.unlock()
        withExtendedLifetime(old) {}
    }

    /// Takes the value of another field if that is loaded and was set later than this one.
    ///
    /// A field that was never set, whatever its default value, was set before every other; of two
    /// that were set at the same time this one keeps its value. What is taken goes through the
    /// domain to observers and bound fields like a set, but `updatedAt` is that of the other field,
    /// and so is `changedAt` if the value differs.
    ///
    /// - Returns: Whether the value was taken.
    @discardableResult
    public final func merge(from other: Field<Value>) -> Bool {
        let source = other.lock.withLock {
            (value: other.storage, load: other.load, updated: other.updated, changed: other.changed)
        }
        guard source.load == .loaded else { return false }
        // nil may have been loaded there without being a change.
        let changed = source.changed.date == nil ? source.updated : source.changed
        while true {
            let (revision, own) = lock.withLock { (lastRevision, updated) }
            guard source.updated.seconds > own.seconds else { return false }
            if becomesRelated() {
                let stamp = RelatedStamp(custom: source.updated, changed: changed)
                if commitRelated(source.value, at: revision, stamp) != nil { return true }
                continue
            }
            guard let taken = lockTaking(source.value, unless: { $0 != revision }) else { continue }
            defer { withExtendedLifetime(taken) {} }
            _ = commitLocked(
                taken.value,
                isChange: taken.isChange,
                source.updated,
                changed: changed
            )
            return true
        }
    }

    /// Changes the value by a closure, without losing a set of another thread: the closure gets the
    /// value, and what it leaves is set.
    ///
    /// ```swift
    /// counter.modify { $0 = ($0 ?? 0) + 1 }
    /// let last = stack.modify { $0?.popLast() }
    /// ```
    ///
    /// No lock is held meanwhile, so the closure may read and set fields. If this one was set before
    /// the closure ended, it is run again with the new value; so it must not set this field itself,
    /// and what it does elsewhere may be done more than once. It is one set, also where the value
    /// stays the same, and none if the closure throws.
    ///
    /// - Returns: What the closure returned when its value was set.
    @discardableResult
    public final func modify<Result, Failure: Error>(
        _ body: (_ value: inout Value?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            let (before, revision) = lock.withLock { (storage, lastRevision) }
            var value = before
            let result = try body(&value)
            if commit(value, at: revision) != nil { return result }
        }
    }
}

extension FieldState {
    /// Takes over what a field was declared with.
    ///
    /// The lock of the other's field must be held.
    fileprivate func adopt(_ source: FieldState) {
        asyncRules = source.asyncRules
        if source.rawChecks != nil { rawChecks = Checks() }
        validationMode = source.validationMode
        domain = source.domain
        equality = source.equality
        transformer = source.transformer
        holdsModels = source.holdsModels
        contextual = source.contextual
    }
}
