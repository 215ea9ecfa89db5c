extension Field {
    /// `accept` where the value is not simply stored: this field has traits, or a newer value.
    @inlinable @inline(never)
    final func acceptSpecially(_ wave: inout Wave<Value>, from sender: ObjectIdentifier?) {
        if becomesRelated() { return acceptRelated(&wave, from: sender) }
        let order = wave.order
        // Its revision does not tell the order, so this is kept there.
        if !order.isSet { _ = ensureDetails() }
        guard let taken = lockTaking(wave.value, unless: { _ in order <= self.order }) else {
            return noteOvertaking(&wave)
        }
        defer { withExtendedLifetime(taken) {} }
        if traits.contains(.held) { return park(wave) }
        if taken.isCoerced { return storeCoerced(taken, &wave) }
        let bindings = storeLocked(
            taken.value,
            order,
            isChange: taken.isChange,
            &wave,
            from: sender
        )
        wave.add(bindings, of: self, from: sender)
    }

    /// Stores what the domain makes of the value of a wave, as a later value of the same set, so that
    /// it goes also back to where the value came from.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func storeCoerced(_ taken: Taken<Value>, _ wave: inout Wave<Value>) {
        let next = wave.order.following()
        guard wave.noteCoercion(by: self, at: next.revision) else {
            lock.unlock()
            return reportDisjointDomains()
        }
        let bindings = storeLocked(taken.value, next, isChange: taken.isChange, &wave, from: nil)
        if !bindings.isEmpty { wave.overtaken.append(Overtaken(self)) }
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
