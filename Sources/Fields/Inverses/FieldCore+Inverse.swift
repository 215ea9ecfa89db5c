extension FieldCore {
    /// Makes the field one side of a relation.
    ///
    /// From now on every set keeps the fields of the objects that come and go in step, and theirs do
    /// the same for this one. The objects that it has already get its owner by `relate()`.
    ///
    /// A field that is one already stays as it is.
    package final func install(_ inverse: Inverse<Value>) {
        let state = ensureState()
        let old = lock.withLock { () -> Value? in
            if state.inverse != nil { return nil }
            state.relation = inverse
            traits.insert(.related)
            guard inverse.isDerived, load != .loaded else { return nil }
            // Its model stands for a record of which others know more.
            inverse.unloaded = RememberedObjects(storage.map(inverse.shape.objects) ?? [])
            defer { storage = nil }
            return storage
        }
        withExtendedLifetime(old) {}
    }

    /// Gives the objects that the field had before it was installed its owner.
    package final func relate() {
        guard let inverse = relation else { return }
        var outflow = InverseOutflow()
        _ = commitRelated(inverse, RelatedStamp(), &outflow) { value, unloaded, _ in
            let objects = inverse.objects(of: value, unloaded)
            let distinct = value.map(inverse.shape.distinct)
            guard isDifferent(value, distinct) else {
                return RelatedEdit(removed: [], added: objects, perform: nil)
            }
            // Until now one could be there twice.
            return RelatedEdit(removed: [], added: objects) { value in
                let old = value
                value = distinct
                return (old as Any, true, nil)
            }
        }
        deliver(outflow)
    }

    /// Has a set of the field reported, unless it becomes one side of a relation before.
    package final func expectInverse() { _ = lock.withLock { traits.insert(.related) } }

    /// Lets the field stand alone: for a model that is nobody's, such as one that a form edits.
    package final func expectNoInverse() {
        lock.withLock { if state?.inverse == nil { traits.remove(.related) } }
    }

    /// The object that the field belongs to, if it is one side of a relation.
    package final var relationOwner: RelatedObject? { relation?.owner }

    /// Whether it is to become one side of a relation.
    final var expectsInverse: Bool {
        lock.withLock { traits.contains(.related) && state?.inverse == nil }
    }

    final func commitRelated(
        _ newValue: Value?,
        at expected: UInt64?,
        _ stamp: RelatedStamp,
        afterLinking: Bool = false
    ) -> UInt64? {
        guard let inverse = relation else { return nil }
        var outflow = InverseOutflow()
        var before: [RelatedObject]?
        var isRefused = false
        let revision = commitRelated(inverse, stamp, &outflow) { seen, unloaded, revision in
            let isLate = expected.map { $0 != revision } ?? false
            if isLate, before == nil { return nil }
            isRefused = inverse.isDerived && unloaded != nil
            if isRefused { return nil }
            let new = normaliseRelated(newValue, inverse)
            if afterLinking {
                let objects = inverse.objects(of: seen, unloaded)
                if !isLate {
                    before = objects
                } else if let before, !inverse.hasCome(by: new, to: objects, since: before) {
                    return nil
                }
            }
            return replacement(inverse, new, of: seen, unloaded)
        }
        if isRefused { reportUnloaded("was set as a whole, which nobody knows; load it first") }
        deliver(outflow)
        return revision
    }

    /// Stores a value that was read, unless the field was set since: not by linking the objects of the value,
    /// which nobody else has, and some of which have its owner already.
    final func commitRead(_ newValue: Value, at expected: UInt64?) -> UInt64? {
        guard expected != nil, isRelated else { return commit(newValue, at: expected) }
        let custom = FieldClock.overriddenStamp()
        let stamp = RelatedStamp(custom: custom, hasOwnTime: custom != nil)
        return commitRelated(newValue, at: expected, stamp, afterLinking: true)
    }

    /// `accept` for a field of a relation.
    final func acceptRelated(
        _ propagation: inout Propagation<Value>,
        from sender: ObjectIdentifier?
    ) {
        guard let inverse = relation else { return }
        _ = ensureDetails()
        lock.lock()
        guard let brought = own(propagation.order) else {
            follow(&propagation)
            return lock.unlock()
        }
        let link = brought == propagation.order ? nil : binding(of: propagation.order)
        if traits.contains(.held), brought > order { return park(propagation, brought) }
        lock.unlock()
        let value = normaliseRelated(propagation.value, inverse)
        var stamp = RelatedStamp(custom: propagation.stamp, order: brought)
        stamp.isForced = propagation.options.isForced
        stamp.hasOwnTime = propagation.options.hasOwnTime
        let isCoerced = differs(value, propagation.value)
        if isCoerced {
            let next = brought.following()
            guard propagation.noteCoercion(by: self, at: next.revision) else {
                return reportDisjointDomains()
            }
            stamp.order = next
        }
        var outflow = InverseOutflow()
        let revision = commitRelated(inverse, stamp, &outflow) { seen, unloaded, _ in
            // Where it was set since it was looked at, it is looked at again.
            lock.withLock { brought > order } && !(inverse.isDerived && unloaded != nil)
                ? replacement(inverse, value, of: seen, unloaded) : nil
        }
        guard let revision else { return noteOvertaking(&propagation) }
        // What is bound to this field is the propagation's to reach.
        outflow.bound.removeAll { $0 === self }
        outflow.leave(to: propagation.pass.orMade(PropagationPass()))
        lock.lock()
        let isLate = details?.linkedAt ?? 0 > brought.origin
        let bindings =
            isLate
            ? sendLate(brought, &propagation, isChange: outflow.isChange, since: outflow.before)
            : details?.bindings ?? []
        if let link, !isCoerced, lastRevision == revision {
            link.noteKnown(propagation.order, at: revision)
        }
        lock.unlock()
        if isCoerced || brought != propagation.order {
            if !bindings.isEmpty {
                propagation.supersede([Superseded(field: self, sendsLate: false)])
            }
        } else {
            propagation.add(bindings, of: self, from: sender)
        }
    }

    /// The relation that the field is one side of.
    final var relation: Inverse<Value>? { lock.withLock { state?.inverse } }

    /// What the field takes in place of a value: objects are there once, also where equal ones may be
    /// there twice.
    private func normaliseRelated(_ value: Value?, _ inverse: Inverse<Value>) -> Value? {
        let value = lock.withLock { traits.contains(.domain) } ? normalise(value) : value
        return value.map(inverse.shape.distinct)
    }

    /// The edit that replaces a value by another.
    final func replacement(
        _ inverse: Inverse<Value>,
        _ new: Value?,
        of seen: Value?,
        _ unloaded: RememberedObjects?
    ) -> RelatedEdit<Value> {
        let old = inverse.objects(of: seen, unloaded)
        let objects = new.map(inverse.shape.objects) ?? []
        let oldIDs = Set(old.map { ObjectIdentifier($0) })
        var newIDs: Set<ObjectIdentifier> = []
        for object in objects { newIDs.insert(ObjectIdentifier(object)) }
        let isChange = isDifferent(seen, new)
        return RelatedEdit(
            removed: old.filter { !newIDs.contains(ObjectIdentifier($0)) },
            added: objects.filter { !oldIDs.contains(ObjectIdentifier($0)) },
            perform: { value in
                let old = value
                value = new
                return (old as Any, isChange, nil)
            }
        )
    }
}
