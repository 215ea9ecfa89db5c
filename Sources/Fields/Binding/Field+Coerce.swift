extension Field {
    /// `accept` where the value is not simply stored: this field has traits, or a newer value.
    @inlinable @inline(never)
    final func acceptSpecially(_ wave: inout Wave<Value>, from sender: ObjectIdentifier?) {
        if becomesRelated() { return acceptRelated(&wave, from: sender) }
        let sent = wave.order
        // Its revision does not tell the order, so this is kept there.
        if !sent.isPlain { _ = ensureDetails() }
        var order = sent
        let taken = lockTaking(wave.value) { _ in
            guard let own = own(sent) else { return true }
            order = own
            return own <= self.order
        }
        guard let taken else { return noteOvertaking(&wave) }
        defer { withExtendedLifetime(taken) {} }
        if traits.contains(.held) { return park(wave, order) }
        if taken.isCoerced || order != sent { return storeOwn(taken, order, &wave) }
        let bindings = storeLocked(
            taken.value,
            order,
            isChange: taken.isChange,
            &wave
        )
        wave.add(bindings, of: self, from: sender)
    }

    /// Stores what the domain makes of the value of a wave, as a later value of the same set, so that
    /// it goes also back to where the value came from; or a value that others have made of the own one,
    /// under an order of the own one.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func storeOwn(_ taken: Taken<Value>, _ order: Order, _ wave: inout Wave<Value>) {
        let next = taken.isCoerced ? order.following() : order
        guard !taken.isCoerced || wave.noteCoercion(by: self, at: next.revision) else {
            lock.unlock()
            return reportDisjointDomains()
        }
        let bindings = storeLocked(
            taken.value,
            next,
            isChange: taken.isChange,
            &wave,
            knowing: taken.isCoerced ? nil : binding(of: wave.order)
        )
        if !bindings.isEmpty { wave.overtaken.append(Overtaken(self, sendsLate: false)) }
    }

    final func reportDisjointDomains() {
        ModelKitDiagnostics.report(
            Diagnostic(
                code: .disjointDomains,
                message: "bound fields have domains without a common value; each keeps its own",
                field: label
            )
        )
    }
}
