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

    /// Stores the value and tells of it.
    ///
    /// Unlocks; the lock must be held.
    @inlinable @inline(__always)
    final func commitLocked(
        _ newValue: Value?,
        isChange: Bool,
        _ custom: Stamp?,
        changed changeStamp: Stamp? = nil
    ) -> UInt64 {
        let stamp = custom ?? Stamp.system()
        let revision = Revision.next()
        let old = storage
        storage = newValue
        // A clock that the task has brought may be behind the one of earlier sets.
        if custom != nil { updated = .none }
        noteCommit(revision, stamp, changed: isChange)
        if isChange, let changeStamp { changed = changeStamp }
        guard let state else {
            lock.unlock()
            // Not before: releasing the old value may run code of the user.
            withExtendedLifetime(old) {}
            return revision
        }
        let change = Change(
            old: old,
            new: newValue,
            isChange: isChange,
            revision: revision
        )
        tell(change, state, stamp)
        return revision
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
    final func tell(_ change: Change<Value>, _ state: FieldState<Value>, _ stamp: Stamp) {
        if state.bindings.isEmpty, state.dependents.isEmpty {
            if state.observers.isEmpty {
                lock.unlock()
                return withExtendedLifetime(change) {}
            }
            if state.isIdle, DeliveryLoop.current == nil {
                // Nobody else delivers and nothing waits: the queue is not needed.
                state.isDraining = true
                state.isContended = false
                let observers = state.observers
                var told = change
                state.restoreWithheld(&told)
                DeliveryLoop.run { loop in
                    state.drainer = loop
                    lock.unlock()
                    if told.isJoined { compare(&told) }
                    deliver(told, to: observers, state, loop)
                    drainQueue(state, loop)
                }
                return withExtendedLifetime(change) {}
            }
        }
        var wave = Wave<Value>(change.new, change.revision, stamp)
        wave.add(state.bindings, of: self, from: nil)
        if !state.dependents.isEmpty { wave.dirtied = state.dependents }
        if state.observers.isEmpty {
            lock.unlock()
            withExtendedLifetime(change) {}
        } else {
            enqueue(change, state, &wave.owing)
        }
        wave.run()
        wave.deliver()
    }
}
