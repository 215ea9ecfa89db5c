extension FieldCore {
    /// Takes the value away as one that is not known, not as one that is none.
    ///
    /// Observers are notified, bound fields keep their values, and no other side of a relation is set: the
    /// objects that were here are remembered until the field is set.
    final func unloadValue() {
        while true {
            lock.lock()
            let (seen, revision, inverse) = (storage, lastRevision, state?.inverse)
            let unloaded = inverse?.unloaded
            let isUnknown = storage == nil && load == .notLoaded
            lock.unlock()
            if isUnknown { return }
            let objects = inverse?.objects(of: seen, unloaded) ?? []
            let remembered = RememberedObjects(objects)
            lock.lock()
            guard lastRevision == revision else {
                lock.unlock()
                continue
            }
            storage = nil
            let next = Revision.next()
            noteCommit(next, .none, changed: true)
            (updated, changed, load) = (.none, .none, .notLoaded)
            inverse?.unloaded = remembered
            let taken = inverse?.taken.take()
            var outflow = InverseOutflow()
            if let state {
                outflow.nodes = state.dependents
                if !state.observers.isEmpty {
                    let change = Change(old: seen, new: nil, isChange: true, revision: next)
                    state.withhold(change, nil)
                    outflow.notified = [self]
                }
            }
            lock.unlock()
            withExtendedLifetime((seen, objects, taken)) {}
            return deliver(outflow)
        }
    }
    /// The objects that the field had when it was unloaded and that are alive; nil while its value
    /// says.
    package final var unloadedObjects: [RelatedObject]? {
        lock.withLock { state?.inverse?.unloaded }?.objects
    }

    /// Takes this field's owner out of objects that the field had when it was unloaded.
    ///
    /// - Returns: Whether it is unloaded, which it stays; if not, nothing is done.
    package final func forgetUnloaded(where condition: (RelatedObject) -> Bool) -> Bool {
        guard let inverse = relation else { return false }
        var outflow = InverseOutflow()
        var isUnloaded = false
        _ = commitRelated(inverse, RelatedStamp(), &outflow) { value, unloaded, _ in
            // With a value it is that of a copy, or of an object that has left.
            isUnloaded = unloaded != nil && value == nil
            let objects = unloaded?.objects.filter(condition) ?? []
            if objects.isEmpty { return nil }
            return RelatedEdit(removed: objects, added: [], perform: nil, isUnloaded: true)
        }
        deliver(outflow)
        return isUnloaded
    }

    /// Sets the value of another field, or what a closure makes of it, with its times and load state
    /// if they are to be restored.
    @discardableResult
    package final func takeValue(
        of other: FieldCore<Value>,
        at expected: UInt64?,
        restoring: Bool,
        as convert: (Value?) -> Value? = { $0 }
    ) -> UInt64? {
        let source = other.lock.withLock {
            (value: other.storage, load: other.load, updated: other.updated, changed: other.changed)
        }
        if restoring, !admitsMembers(source.load) {
            unloadValue()
            return revision
        }
        guard let revision = commit(convert(source.value), at: expected) else { return nil }
        lock.lock()
        // An observer may have set it, or another thread.
        if restoring, lastRevision == revision {
            (load, updated, changed) = (source.load, source.updated, source.changed)
        }
        lock.unlock()
        if restoring { attributesDidChange() }
        return revision
    }
}

extension AnyField {
    /// Takes the value away as not loaded.
    package final func unload() { typed?.unloadTyped() }
}

extension TypedField {
    fileprivate func unloadTyped() { core.unloadValue() }
}
