extension FieldCore {
    /// Has the value sent along the bindings along which one of a later set was sent first, by propagations of
    /// their own.
    ///
    /// The lock must be held.
    ///
    /// - Parameters:
    ///   - order: That of the value.
    ///   - propagation: What has brought it.
    ///   - isChange: Whether it differs from the one before, which those who are bound have.
    ///   - before: The revision of that.
    /// - Returns: The other bindings.
    @usableFromInline @inline(never)
    final func sendLate(
        _ order: Order,
        _ propagation: inout Propagation<Value>,
        isChange: Bool,
        since before: UInt64
    ) -> [Binding] {
        let pass = propagation.pass.orMade(PropagationPass())
        let (late, others) = bindings(for: order)
        if pass.noteLate(ObjectIdentifier(self), isChange: isChange) {
            propagation.supersede(late.map { Superseded(field: self, binding: $0) })
        } else if !isChange {
            for binding in late {
                binding.noteKnown(binding.order(ofLate: before), at: lastRevision)
            }
        }
        return others
    }

    /// The bindings along which values of an order are late, and the others.
    ///
    /// The lock must be held.
    private func bindings(for order: Order) -> (late: [Binding], others: [Binding]) {
        guard let details else { return ([], []) }
        if details.linkedAt <= order.origin { return ([], details.bindings) }
        return (
            details.bindings.filter { $0.linkedAt > order.origin },
            details.bindings.filter { $0.linkedAt <= order.origin }
        )
    }

    /// Notes that this field holds a newer value than the propagation, if it does, or lets the propagation go on
    /// where another thread has brought its value.
    @usableFromInline @inline(never)
    final func noteOvertaking(_ propagation: inout Propagation<Value>) {
        lock.lock()
        defer { lock.unlock() }
        guard let brought = own(propagation.order) else { return follow(&propagation) }
        let order = order
        if order > brought {
            if propagation.options.isForced { noteInside(&propagation.pending.nodes) }
            propagation.supersede([Superseded(field: self)])
        } else if order != propagation.order || details?.linkedAt ?? 0 > order.origin {
            follow(&propagation)
        } else if let details, Forwarders.areAny,
            propagation.follows(self)
        {
            propagation.add(details.bindings, of: self, from: nil)
            propagation.pending.nodes += details.dependents
        }
    }

    /// Has this field's own value sent on where another thread may be on its way with it.
    ///
    /// The lock must be held.
    final func follow(_ propagation: inout Propagation<Value>) {
        guard let details, !details.bindings.isEmpty, Forwarders.areAny else { return }
        if propagation.pass.orMade(PropagationPass()).follows(self, at: lastRevision) {
            propagation.supersede([Superseded(field: self)])
        }
    }

    /// Notes that the inside of a value has changed that this field may hold.
    ///
    /// The lock must be held.
    final func noteInside(_ nodes: inout [ComputedNode]) {
        noteLateChange()
        if let details { nodes += details.dependents }
    }

    /// A propagation of the value that this field holds, which follows the one that brought it.
    @usableFromInline @inline(never)
    final func resend(_ sendsLate: Bool) -> Propagation<Value> {
        lock.lock()
        var propagation = Propagation(storage, order, updated)
        if let details {
            let (late, others) = bindings(for: order)
            if sendsLate {
                propagation.supersede(late.map { Superseded(field: self, binding: $0) })
            }
            propagation.add(others, of: self, from: nil)
            propagation.pending.nodes = details.dependents
        }
        lock.unlock()
        return propagation
    }

    /// A propagation that brings the value along a binding, or along the one in its place, if there is one.
    final func resend(along binding: Binding) -> Propagation<Value> {
        lock.lock()
        defer { lock.unlock() }
        let current =
            binding.isOver
            ? details?.binding(to: binding.targetID) : binding
        guard let current else { return Propagation(storage, order, updated) }
        var propagation = Propagation(storage, order(along: current), updated)
        propagation.add([current], of: self, from: nil)
        return propagation
    }
}
