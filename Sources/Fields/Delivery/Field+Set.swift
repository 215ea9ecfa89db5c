public import ModelKitValues

extension Field {
    @inlinable
    final func set(_ newValue: Value?) {
        commit(newValue, at: nil)
    }

    /// Sets the value, unless a revision is given and the field was set since.
    ///
    /// - Returns: The revision of the commit; nil when there was none.
    @inlinable @discardableResult
    final func commit(_ newValue: Value?, at expected: UInt64?) -> UInt64? {
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
        guard let state else {
            lock.unlock()
            // Not before: releasing the old value may run code of the user.
            withExtendedLifetime(old) {}
            return revision
        }
        notifySet(from: old, to: newValue, isChange: isChange, revision, state, stamp)
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
        _ state: FieldState<Value>,
        _ stamp: Stamp
    ) {
        let change = Change(old: old, new: new, isChange: isChange, revision: revision)
        if let thread = mayDeliverNow(state) {
            deliverNow(change, nil, state, thread)
        } else {
            notify(change, nil, state, stamp)
        }
    }

    /// Takes the lock for a commit and tells whether the new value differs from the stored one;
    /// gives nil, with the lock free, if the field has traits.
    ///
    /// `==` of the user's types runs without the lock, so the comparison is made again when the
    /// field was set meanwhile.
    @inlinable @inline(__always)
    final func lockComparing(_ newValue: Value?) -> Bool? {
        if hasKnownEquality(Value.self) {
            lock.lock()
            if traits.isEmpty { return differs(storage, newValue) }
            lock.unlock()
            return nil
        }
        while true {
            lock.lock()
            let seen = storage
            let revision = lastRevision
            let isPlain = traits.isEmpty
            lock.unlock()
            if !isPlain { return nil }
            let isChange = differs(seen, newValue)
            lock.lock()
            if lastRevision == revision, traits.isEmpty { return isChange }
            lock.unlock()
        }
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
        if state.bindings.isEmpty {
            // Also if the value is the same: another thread may still be bringing it to bound fields.
            let dirtied = state.dependents
            var owing: [DeliveryLoop.Entry] = []
            if state.observers.isEmpty {
                lock.unlock()
                withExtendedLifetime(change) {}
            } else {
                enqueue(change, script, state, &owing)
            }
            return DeliveryLoop.deliver(owing, updating: dirtied)
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
        if !state.dependents.isEmpty { propagation.dirtied = state.dependents }
        if state.observers.isEmpty {
            lock.unlock()
            withExtendedLifetime(change) {}
        } else {
            enqueue(change, script, state, &propagation.owing)
        }
        propagation.run()
        propagation.deliver()
    }

    /// Whether the observers can be told without the queue: nobody else delivers, nothing waits, and
    /// there is nothing else to do.
    ///
    /// The lock must be held.
    ///
    /// - Returns: The state of this thread; nil if they cannot.
    @inlinable @inline(__always)
    final func mayDeliverNow(_ state: FieldState<Value>) -> UnsafeMutablePointer<ThreadState>? {
        guard state.bindings.isEmpty, state.dependents.isEmpty, state.isIdle,
            state.withheld == nil, !state.observers.isEmpty
        else { return nil }
        let thread = ThreadState.current
        return thread.pointee.loop == nil ? thread : nil
    }

    /// Delivers a change to the observers.
    ///
    /// Unlocks; the lock must be held.
    @inlinable @inline(__always)
    final func deliverNow(
        _ change: Change<Value>,
        _ script: EditScript?,
        _ state: FieldState<Value>,
        _ thread: UnsafeMutablePointer<ThreadState>
    ) {
        state.isDraining = true
        state.isContended = false
        let observers = state.observers
        DeliveryLoop.run(on: thread) { loop in
            state.drainer = loop
            lock.unlock()
            deliver(change, script, to: observers, state, loop)
            lock.lock()
            drainQueue(state, loop)
        }
    }
}
