extension FieldCore {
    /// `accept` where the value is not simply stored: this field has traits, or a newer value.
    @inlinable @inline(never)
    final func acceptSpecially(
        _ propagation: inout Propagation<Value>,
        from sender: ObjectIdentifier?
    ) {
        if becomesRelated() {
            valueRelation?.accept(&propagation, in: self, from: sender)
            return
        }
        let sent = propagation.order
        // Its revision does not give the order, so this is kept there.
        if !sent.isPlain { _ = ensureDetails() }
        var order = sent
        let taken = lockTaking(propagation.value) { _ in
            guard let own = own(sent) else { return true }
            order = own
            return own <= self.order
        }
        guard let taken else { return noteOvertaking(&propagation) }
        defer { withExtendedLifetime(taken) {} }
        if traits.contains(.held) { return park(propagation, order) }
        if taken.isCoerced || order != sent { return storeOwn(taken, order, &propagation) }
        let bindings = storeLocked(
            taken.value,
            order,
            isChange: taken.isChange,
            &propagation
        )
        propagation.add(bindings, of: self, from: sender)
    }

    /// Stores what the domain makes of the value of a propagation, as a later value of the same set, so that
    /// it goes also back to where the value came from; or a value that others have made of the own one,
    /// under an order of the own one.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func storeOwn(
        _ taken: Taken<Value>,
        _ order: Order,
        _ propagation: inout Propagation<Value>
    ) {
        let next = taken.isCoerced ? order.following() : order
        guard !taken.isCoerced || propagation.noteCoercion(by: self, at: next.revision) else {
            lock.unlock()
            return reportDisjointDomains()
        }
        let bindings = storeLocked(
            taken.value,
            next,
            isChange: taken.isChange,
            &propagation,
            knowing: taken.isCoerced ? nil : binding(of: propagation.order)
        )
        if bindings.isEmpty { return }
        propagation.supersede([Superseded(field: self, sendsLate: false)])
    }

    final func reportDisjointDomains() {
        report(
            .disjointDomains,
            "bound fields have domains without a common value; each keeps its own"
        )
    }

    /// Keeps the value of a propagation until nobody edits this field, if it is the newest.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func park(_ propagation: Propagation<Value>, _ order: Order) {
        guard let state else { return lock.unlock() }
        let old = state.parked
        if old.map({ order > $0.order }) ?? true {
            state.parked = Parked(propagation.parcel(), order)
        }
        if old?.parcel.options.isForced ?? false || propagation.options.isForced {
            state.parked?.parcel.options.isForced = true
        }
        lock.unlock()
        withExtendedLifetime(old) {}
    }
}
