public import ModelKitValues

extension FieldCore {
    /// Sets the value, unless a revision is given and the field was set since.
    ///
    /// - Returns: The revision of the commit; nil when there was none.
    @inlinable @discardableResult
    final func commit(_ newValue: Value?, at expected: UInt64? = nil) -> UInt64? {
        let custom = FieldClock.overriddenStamp()
        guard let isChange = lockComparing(newValue) else {
            return commitSpecially(newValue, at: expected, custom)
        }
        if let expected, expected != lastRevision {
            lock.unlock()
            return nil
        }
        return commitLocked(newValue, isChange: isChange, custom)
    }

    /// Stores the value and notifies of it.
    ///
    /// Unlocks; the lock must be held.
    @inlinable @inline(__always) @discardableResult
    final func commitLocked(
        _ newValue: Value?,
        isChange: Bool,
        _ custom: Stamp?,
        changed changeStamp: Stamp? = nil,
        following order: Order? = nil
    ) -> UInt64 {
        let stamp = custom ?? Stamp.system()
        let revision = Revision.next()
        let old = storage
        storage = newValue
        // A clock that the task has brought may be behind the one of earlier sets.
        if custom != nil { updated = .none }
        noteCommit(revision, stamp, changed: isChange)
        if isChange, let changeStamp { changed = changeStamp }
        if let order {
            details?.given = Given(order.following(at: revision), at: revision)
        }
        if keptDetails?._withUnsafeGuaranteedRef({ $0.isAlone }) ?? true {
            lock.unlock()
        } else {
            notifySet(from: old, to: newValue, isChange: isChange, revision, stamp)
        }
        // Not before: releasing the old value may run code of the user.
        withExtendedLifetime(old) {}
        return revision
    }

    /// Sends a set to observers and bound fields, apart from what a field without any needs, so that
    /// the compiler takes that in.
    ///
    /// Unlocks; the lock must be held.
    @inlinable @inline(never)
    final func notifySet(
        from old: Value?,
        to new: Value?,
        isChange: Bool,
        _ revision: UInt64,
        _ stamp: Stamp
    ) {
        let change = Change(old: old, new: new, isChange: isChange, revision: revision)
        withState { notify(change, nil, $0, stamp) }
    }

    /// Sends a change to observers and bound fields.
    ///
    /// Unlocks; the lock must be held.
    @inlinable
    final func notify(
        _ change: Change<Value>,
        _ script: EditScript?,
        _ state: FieldState<Value>,
        _ stamp: Stamp
    ) {
        if let thread = mayDeliverNow(state) { return deliverNow(change, script, state, thread) }
        if state.isUnbound {
            // Also if the value is the same: another thread may still be bringing it to bound fields.
            var pending = Pending()
            pending.nodes = state.dependents
            if state.observers.isEmpty {
                lock.unlock()
                withExtendedLifetime(change) {}
            } else {
                enqueue(change, script, state, &pending.deliveries)
            }
            return DeliveryLoop.deliver(pending)
        }
        var propagation = Propagation<Value>(change.new, order, stamp)
        propagation.options.isForced = change.isForced
        propagation.options.hasOwnTime = FieldClock.isOverridden
        if let script {
            propagation.edits = PropagatedEdits(from: change.old, to: change.new, script)
        }
        let isLate = state.linkedAt > propagation.order.origin
        let bindings =
            isLate
            ? sendLate(propagation.order, &propagation, isChange: true, since: 0) : state.bindings
        propagation.add(bindings, of: self, from: nil)
        if !state.dependents.isEmpty { propagation.pending.nodes = state.dependents }
        if state.observers.isEmpty {
            lock.unlock()
            withExtendedLifetime(change) {}
        } else {
            enqueue(change, script, state, &propagation.pending.deliveries)
        }
        propagation.run()
    }
}

extension AnyField {
    /// Notifies every observer, also those of changes, although there is no new value.
    ///
    /// It is for a value whose inside has changed: an object, a file behind a URL. It counts as a
    /// set, also along bindings, and moves both times; only the load state stays.
    public final func touch() { typed?.touchTyped() }
}

extension TypedField {
    fileprivate func touchTyped() {
        let custom = FieldClock.overriddenStamp()
        lock.lock()
        let stamp = custom ?? Stamp.system()
        let revision = Revision.next()
        let known = load
        if custom != nil { updated = .none }
        noteCommit(revision, stamp, changed: true)
        load = known
        guard let state = core.state else { return lock.unlock() }
        var change = Change(
            old: core.storage,
            new: core.storage,
            isChange: true,
            revision: revision
        )
        change.isForced = true
        // No edits could show that the elements have changed inside.
        core.notify(change, .reset, state, stamp)
    }
}
