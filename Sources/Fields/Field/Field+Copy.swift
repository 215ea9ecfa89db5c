import ModelKitValues

extension Field {
    /// A new field of the same kind, without a value.
    final func makeCopy() -> Field<Value> {
        if type(of: self) == Field<Value>.self { return Field<Value>() }
        return (self as? any FormingField)?.makeBlank() as? Field<Value> ?? Field<Value>()
    }

    /// Takes over all that a copy has in common with another field.
    ///
    /// Nobody else may know this one yet.
    final func adopt(_ source: Field<Value>) {
        let original = source.readTracked { source.state }
        let own = original == nil ? nil : ensureState()
        let old = (storage, own?.domain, own?.equality, own?.transformer, details)
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
