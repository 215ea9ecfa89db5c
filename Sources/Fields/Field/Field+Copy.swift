extension Field {
    /// Lets copies be made by a closure, for a subclass of another module.
    package final func makeCopies(_ make: @escaping @Sendable () -> Field<Value>) {
        let state = ensureState()
        lock.withLock { state.makeCopy = make }
    }

    /// A new field of the same kind, without a value.
    final func makeCopy() -> Field<Value> {
        let make = lock.withLock { state?.makeCopy }
        return make?() ?? Field<Value>()
    }

    /// Takes over all that a copy has in common with another field.
    ///
    /// Nobody else may know this one yet.
    final func adopt(_ source: Field<Value>) {
        let original = source.readTracked { source.state }
        let own = original == nil ? nil : ensureState()
        let old = (storage, own?.domain, own?.equality, own?.transformer)
        source.lock.lock()
        storage = source.storage
        lastRevision = source.lastRevision == 0 ? 0 : Revision.next()
        lastChange = lastRevision
        updated = source.updated
        changed = source.changed
        load = source.load
        if let own, let original {
            own.adopt(original)
            traits.formUnion(source.traits.intersection([.equality, .domain]))
        }
        source.lock.unlock()
        withExtendedLifetime(old) {}
    }
}

extension FieldState {
    /// Takes over what a field was declared with.
    ///
    /// The lock of the other's field must be held.
    fileprivate func adopt(_ source: FieldState) {
        name = source.name
        key = source.key
        priority = source.priority
        isIdentifier = source.isIdentifier
        rules = source.rules
        ruleCount = source.ruleCount
        allRules = source.allRules
        asyncRules = source.asyncRules
        if source.checks != nil { checks = Checks() }
        validationMode = source.validationMode
        domain = source.domain
        equality = source.equality
        transformer = source.transformer
        holdsModels = source.holdsModels
        contextual = source.contextual
    }
}
