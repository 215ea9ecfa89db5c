extension FieldCore {
    /// Stores the value of a propagation, unless this field holds a newer one, and adds what follows to the
    /// propagation.
    @inlinable @inline(__always)
    final func accept(_ propagation: inout Propagation<Value>, from sender: ObjectIdentifier?) {
        guard let isChange = lockComparing(propagation.value, newerThan: propagation.order) else {
            return acceptSpecially(&propagation, from: sender)
        }
        let bindings = storeLocked(
            propagation.value,
            propagation.order,
            isChange: isChange,
            &propagation
        )
        propagation.add(bindings, of: self, from: sender)
    }

    /// Stores a value that a propagation brings, and has the observers notified.
    ///
    /// Unlocks; the lock must be held.
    ///
    /// - Returns: The bindings along which the value goes on.
    @inlinable @inline(__always)
    final func storeLocked(
        _ value: Value?,
        _ order: Order,
        isChange: Bool,
        _ propagation: inout Propagation<Value>,
        knowing binding: Binding? = nil
    ) -> [Binding] {
        let isForced = propagation.options.isForced
        let isLate = details?.linkedAt ?? 0 > order.origin
        // It may have taken the value of an older set later.
        let before = lastRevision
        let revision = isNewest(order.revision) ? order.revision : Revision.next()
        if revision != order.revision { propagation.pass?.noteHeld(order.revision, as: revision) }
        let old = storage
        storage = value
        if propagation.options.hasOwnTime { updated = .none }
        noteCommit(revision, propagation.stamp, changed: isChange || isForced)
        if order.origin != revision { details?.given = Given(order, at: revision) }
        if let binding { binding.noteKnown(propagation.order, at: revision) }
        // What was read or validated since this revision was taken had the old value.
        if lastChange == revision { noteLateChange() }
        let bindings = withState { state in
            let bindings =
                isLate
                ? sendLate(order, &propagation, isChange: isChange || isForced, since: before)
                : state.bindings
            if !state.dependents.isEmpty { propagation.pending.nodes += state.dependents }
            if state.observers.isEmpty {
                lock.unlock()
            } else {
                var change = Change(
                    old: old,
                    new: value,
                    isChange: isChange || isForced,
                    revision: revision
                )
                change.isForced = isForced
                let edits = state.recordsEdits ? propagation.edits : nil
                let script = isForced ? .reset : edits?.script(from: old, to: value)
                enqueue(change, script, state, &propagation.pending.deliveries)
            }
            return bindings
        }
        if bindings == nil { lock.unlock() }
        withExtendedLifetime(old) {}
        return bindings ?? []
    }

    /// Whether a set is newer than the value and than what was sent along new bindings.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final func isNewest(_ revision: UInt64) -> Bool {
        revision > lastRevision && revision > details?.linkedAt ?? 0
    }

    /// Takes the lock for a commit and returns whether the new value differs from the stored one;
    /// gives nil, with the lock free, if the field has traits, or holds a newer value than that of an order.
    ///
    /// `==` of the user's types runs without the lock, so the comparison is made again when the
    /// field was set meanwhile.
    @inlinable @inline(__always)
    final func lockComparing(_ value: Value?, newerThan order: Order? = nil) -> Bool? {
        if let order, !order.isPlain { return nil }
        if hasKnownEquality(Value.self) {
            lock.lock()
            if isTakenPlainly(order) { return differs(storage, value) }
            lock.unlock()
            return nil
        }
        while true {
            lock.lock()
            let seen = storage
            let before = lastRevision
            let isTaken = isTakenPlainly(order)
            lock.unlock()
            if !isTaken { return nil }
            let isChange = differs(seen, value)
            lock.lock()
            if lastRevision == before, traits.isEmpty { return isChange }
            lock.unlock()
        }
    }

    /// Whether a value is stored as it is: that of a set, or one that is newer than what the field holds.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final func isTakenPlainly(_ order: Order?) -> Bool {
        if let order, !isNewest(order.revision) { return false }
        return traits.isEmpty
    }
}
