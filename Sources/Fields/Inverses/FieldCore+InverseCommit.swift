/// What a set makes of a field that is one side of a relation.
struct RelatedEdit<Value: Equatable & Sendable> {
    /// The objects that the field no longer has.
    let removed: [RelatedObject]
    /// The objects that it did not have.
    let added: [RelatedObject]
    /// Does it; nil if the field stays as it is.
    ///
    /// It runs under the lock, and no code of the user. What it takes out it gives, to be released
    /// after the lock.
    let perform: ((inout Value?) -> (removed: Any, isChange: Bool, script: EditScript?))?
    /// Whether the field is unloaded and stays so, without the objects that are removed, and with those
    /// that are added.
    var isUnloaded = false
    /// Whether others report the objects that are added, which are not all that there may be.
    var isPartial = false
    /// The objects of the value that still have the field's owner, where the others are to have it no more.
    var leaving: RememberedObjects?
}

extension FieldCore {
    /// Sets the field and those of the objects that come and go, all under their locks at once.
    ///
    /// - Parameters:
    ///   - inverse: The field's relation.
    ///   - stamp: The times of the set.
    ///   - outflow: What is to be done afterwards is added to it.
    ///   - find: Gives the edit of the value that it is given, or nil if there is to be none. It runs
    ///     without a lock, and again when one of the fields was set meanwhile.
    /// - Returns: The revision of the commit; nil when there was none.
    final func commitRelated(
        _ inverse: Inverse<Value>,
        _ stamp: RelatedStamp,
        _ outflow: inout InverseOutflow,
        _ find: (Value?, RememberedObjects?, UInt64) -> RelatedEdit<Value>?
    ) -> UInt64? {
        while true {
            let edit: RelatedEdit<Value>?
            let revision: UInt64
            do {
                lock.lock()
                let seen = storage
                revision = lastRevision
                let unloaded = inverse.unloaded
                lock.unlock()
                edit = find(seen, unloaded, revision)
                // Here the value is let go, so that an edit in place needs no copy.
            }
            guard let edit else { return nil }
            var plan = InversePlan(of: self)
            if let owner = inverse.owner, let field = inverse.field {
                plan.relate(owner, removed: edit.removed, added: edit.added, by: field)
            }
            if plan.isTorn { continue }
            var committed: UInt64?
            var made = InverseOutflow()
            let isDone = plan.run(at: revision) {
                if let perform = edit.perform {
                    let known = load
                    committed = store(stamp, &made, perform)
                    noteMembers(
                        of: inverse,
                        since: revision,
                        removed: edit.removed,
                        added: edit.added
                    )
                    inverse.noteTaken(edit.removed, edit.added)
                    if edit.isPartial, known != .loaded { load = .incomplete }
                } else if let left = edit.leaving {
                    inverse.unloaded = left
                } else if edit.isUnloaded {
                    remember(removed: edit.removed, added: edit.added, &made)
                }
                for step in plan.steps where !step.isEmpty {
                    step.field.side?.take(step, stamp.following, &made)
                }
            }
            guard isDone else { continue }
            outflow = made
            // Not before: what was replaced may run code of the user when it dies.
            withExtendedLifetime((plan, edit)) {}
            return committed
        }
    }

    /// Has observers notified and bound fields set.
    final func deliver(_ outflow: InverseOutflow) {
        let pass = PropagationPass()
        outflow.leave(to: pass)
        pass.run()
        pass.deliver()
    }

    /// What the field says of an object.
    final func view(of object: RelatedObject) -> InverseView? {
        lock.lock()
        let (value, revision, inverse) = (storage, lastRevision, state?.inverse)
        let unloaded = inverse?.unloaded
        lock.unlock()
        guard let inverse, let field = inverse.field else { return nil }
        let isThere =
            unloaded?.contains(object) ?? value.map { has(object, in: $0, at: revision, inverse) }
        return InverseView(
            revision: revision,
            contains: isThere ?? false,
            occupant: inverse.shape.isSingle ? inverse.objects(of: value, unloaded).first : nil,
            inverse: field
        )
    }

    /// Takes what a set of another field means for this one.
    ///
    /// The lock must be held, and stays so.
    final func takeRelated(
        _ step: InverseStep,
        _ stamp: RelatedStamp,
        _ outflow: inout InverseOutflow
    ) {
        guard let inverse = state?.inverse else { return }
        forgetElements(&outflow.remains)
        // Not the whole shape, which is much to copy.
        let isSingle = inverse.shape.isSingle
        if inverse.unloaded != nil, hasNoValue,
            inverse.isDerived || !isSingle || step.added.isEmpty
        {
            // What is not loaded stays so: nobody has asked for the rest of it.
            return remember(removed: step.removed, added: step.added, &outflow)
        }
        let known = load
        // One that others report is not all that there may be.
        defer { if !inverse.isDerived, !isSingle, known != .loaded { load = .incomplete } }
        let before = lastRevision
        defer {
            noteMembers(of: inverse, since: before, removed: step.removed, added: step.added)
        }
        inverse.noteTaken(step.removed, step.added)
        // Other objects that a copy has still do not have its owner.
        var joined = isSingle || inverse.isDerived ? nil : inverse.unloaded.take()
        for object in step.removed { joined?.remove(object) }
        for object in step.added { joined?.insert(object) }
        var step = step
        if joined != nil, let storage {
            if inverse.members?.revision != before {
                inverse.members = InverseMembers(inverse.shape.objects(storage), at: before)
            }
            let there = inverse.members?.identities ?? []
            step.added.removeAll { there.contains(ObjectIdentifier($0)) }
        }
        _ = store(stamp, &outflow) { value in
            // Several objects are kept alive by the step.
            let old = isSingle ? value : nil
            return (old as Any, true, inverse.shape.edit(&value, step))
        }
        // A copy that all of them know is like any other object.
        inverse.unloaded = joined?.count == storage.map(inverse.shape.count) ? nil : joined
    }

    /// Whether it has none: with one it is that of a copy, which joins with the first object that others add.
    ///
    /// Not inlined, so that only where it is asked for the metadata of the value is, too.
    @inline(never) private var hasNoValue: Bool { storage == nil }

    /// Keeps in mind what an unloaded field would have.
    ///
    /// The lock must be held, and stays so.
    private func remember(
        removed: [RelatedObject],
        added: [RelatedObject],
        _ outflow: inout InverseOutflow
    ) {
        guard let inverse = state?.inverse, inverse.unloaded != nil else { return }
        let (order, before) = (order, lastRevision)
        lastRevision = Revision.next()
        // It is no set that bindings would have to know.
        details?.given = Given(order, at: lastRevision)
        for binding in details?.bindings ?? [] where binding.linkedAt > order.origin {
            binding.noteKnown(binding.order(ofLate: before), at: lastRevision)
        }
        for object in removed { inverse.unloaded?.remove(object) }
        for object in added { inverse.unloaded?.insert(object) }
        if let alive = inverse.unloaded?.removeDead() { outflow.remains += alive as [Any] }
    }

    /// Stores what a closure makes of the value, and notes what is to be done afterwards.
    ///
    /// The lock must be held, and stays so.
    ///
    /// - Returns: The revision of the commit.
    private func store(
        _ stamp: RelatedStamp,
        _ outflow: inout InverseOutflow,
        _ perform: (inout Value?) -> (removed: Any, isChange: Bool, script: EditScript?)
    ) -> UInt64 {
        // It may have taken the value of an older set later.
        let before = lastRevision
        let given = stamp.order.flatMap { isNewest($0.revision) ? $0.revision : nil }
        let revision = given ?? Revision.next()
        let isDelivered = state.map { !$0.observers.isEmpty } ?? false
        // Without an observer nobody asks for the old value, and the edit needs no copy of it.
        let old = isDelivered ? storage : nil
        var value = storage
        storage = nil
        let (removed, isChange, script) = perform(&value)
        storage = value
        // A clock that the task has brought may be behind the one of earlier sets.
        if stamp.custom != nil, stamp.order == nil || stamp.hasOwnTime { updated = .none }
        let hasChanged = isChange || stamp.isForced
        noteCommit(revision, stamp.custom ?? Stamp.system(), changed: hasChanged)
        if isChange, let time = stamp.changed { changed = time }
        // What was read or validated since this revision was taken had the old value.
        if given != nil, lastChange == revision { noteLateChange() }
        if let order = stamp.order {
            (outflow.isChange, outflow.before) = (hasChanged, before)
            if order.origin != revision { details?.given = Given(order, at: revision) }
        }
        guard let state else { return revision }
        state.inverse?.unloaded = nil
        outflow.remains.append(removed)
        outflow.nodes += state.dependents
        if !state.bindings.isEmpty { outflow.bound.append(self) }
        guard isDelivered else { return revision }
        outflow.remains.append(old as Any)
        var change = Change(old: old, new: nil, isChange: hasChanged, revision: revision)
        change.isForced = stamp.isForced
        state.withhold(change, stamp.isForced ? .reset : state.recordsEdits ? script : nil)
        outflow.notified.append(self)
        return revision
    }
}

extension TypedField {
    func enqueueWithheld(for pass: PropagationPass) {
        lock.lock()
        core.enqueueWithheld(&pass.pending.deliveries)
    }

    func sendOn(in pass: PropagationPass) {
        let options = PropagationOptions(hasOwnTime: FieldClock.isOverridden)
        Superseded(field: core).resend(in: pass, options)
    }
}
