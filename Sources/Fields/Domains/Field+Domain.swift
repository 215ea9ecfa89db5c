public import ModelKitValues

extension Field {
    /// Lets the field hold only values of a domain.
    ///
    /// A set of a value from outside takes the nearest one inside, or nil, as the domain says; so
    /// does a default value, also one that is there already. A value that was set before is replaced,
    /// and stays as old as it is: what a bound field was set to since stays there. What a binding
    /// brings is treated like a set, and what is taken in its place goes back along a binding to
    /// there. A value from a dictionary or from JSON is not replaced: an issue says what is wrong
    /// with it, and the field keeps its value.
    ///
    /// The last domain counts. One of a field that describes the elements of an array holds for
    /// these.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func constrain(to domain: Domain<Value>) -> Self {
        let state = ensureState()
        let old = lock.withLock {
            let old = state.domain
            state.domain = domain
            state.domainChanges += 1
            traits.insert(.domain)
            return old
        }
        withExtendedLifetime(old) {}
        constrainValue()
        for array in lock.withLock({ state.arrays }) { array.target?.takeElementDomain() }
        return self
    }

    /// Lets the field hold only values of a list; a set of another makes it nil.
    @discardableResult
    public final func constrain(to values: [Value]) -> Self {
        constrain(to: .oneOf(values))
    }

    /// The values that the field may hold, if not all.
    public final var domain: Domain<Value>? { lock.withLock { state?.domain } }

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
        // Those who observe it already are told with the next change.
        if let state, !state.observers.isEmpty {
            state.withhold(Change(old: old, new: value, isChange: true, revision: 0), .reset)
        }
        if Tracking.isOn { Tracking.didSet(self) }
        var propagation = Propagation<Value>(value, Order(revision), Stamp.system())
        if let details {
            propagation.add(details.bindings, of: self, from: nil)
            propagation.dirtied = details.dependents
        }
        lock.unlock()
        withExtendedLifetime(old) {}
        propagation.run(from: ObjectIdentifier(self))
        propagation.deliver()
        return true
    }

    /// Whether the domain takes a value as it is.
    final func admits(_ value: Value, at path: FieldPath, into issues: inout [Issue]) -> Bool {
        if !lock.withLock({ traits.contains(.domain) }) { return true }
        var found: [Issue] = []
        collectDomainIssues(of: value, at: path, into: &found)
        issues += found
        return !found.isBlocking
    }
}

extension Field where Value: Comparable {
    /// Lets the field hold only values of a range; a set of another takes the end that it has
    /// passed, and one of NaN makes it nil.
    ///
    /// ```swift
    /// let age = Field<Int>().constrain(to: 0...150)
    /// let share = Field<Double>().constrain(to: 0..<1)
    /// ```
    @discardableResult
    public final func constrain(to range: some RuleRange<Value>) -> Self {
        constrain(to: .range(range))
    }
}
