extension FieldCore {
    /// Takes the value again.
    final func constrainValue() {
        while true {
            let (value, revision, held) = lock.withLock { (storage, lastRevision, order) }
            let taken = normalise(value)
            if !differs(value, taken) { return }
            if revision != 0 {
                // Not as a set of its own: a newer one may be on its way along a binding.
                let custom = FieldClock.overriddenStamp()
                if commitSpecially(taken, at: revision, custom, following: held) != nil { return }
            } else if storeDefault(taken) {
                return
            }
        }
    }

    /// Stores another default value, unless the field was set meanwhile.
    private func storeDefault(_ value: Value?) -> Bool {
        lock.lock()
        guard lastRevision == 0 else {
            lock.unlock()
            return false
        }
        let old = storage
        storage = value
        // It counts as no set, but a computed field may have read the old one, and bound ones have it.
        let revision = Revision.next()
        lastChange = revision
        details?.linkedAt = revision
        for binding in details?.bindings ?? [] { binding.linkedAt = revision }
        // Those who observe it already are notified with the next change.
        if let state, !state.observers.isEmpty {
            state.withhold(Change(old: old, new: value, isChange: true, revision: 0), .reset)
        }
        if Tracking.isOn { Tracking.didSet(self) }
        var propagation = Propagation<Value>(value, Order(revision), Stamp.system())
        if let details {
            propagation.add(details.bindings, of: self, from: nil)
            propagation.pending.nodes = details.dependents
        }
        lock.unlock()
        withExtendedLifetime(old) {}
        propagation.run(from: ObjectIdentifier(self))
        return true
    }

    /// Whether the domain takes a value as it is.
    final func admits(_ value: Value, at path: FieldPath, into issues: inout [Issue]) -> Bool {
        if !lock.withLock({ traits.contains(.domain) }) { return true }
        let start = issues.count
        collectDomainIssues(of: value, at: path, into: &issues)
        return !issues.isBlocking(from: start)
    }
}

extension TypedField {
    /// Takes the value again, as the field that describes the elements was given a domain.
    func takeElementDomain() {
        let details = ensureDetails()
        lock.withLock {
            details.domainChanges += 1
            traits.insert(.domain)
        }
        core.constrainValue()
    }
}
