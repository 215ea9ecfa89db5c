public import ModelKitValues

extension Field {
    /// Binds a field to this one: it takes this field's value now and whenever it is set.
    ///
    /// The bound field holds the value when the set statement returns, and passes it on to those
    /// bound to it. Neither field is kept alive. Binding twice is binding once; a field is not bound
    /// to itself. `removeObserver` ends it.
    ///
    /// - Returns: The target, so that `a --> b --> c` is a chain.
    @discardableResult
    public final func bind(to target: Field<Value>) -> Field<Value> {
        link(to: target)
        return target
    }

    /// Binds two fields to each other.
    ///
    /// Both start with the other's value.
    public final func bindBothWays(to other: Field<Value>) {
        guard let revision = other.link(to: self) else { return }
        linkBack(to: other, knowing: revision)
    }

    /// Adds a link and sends the value along it.
    ///
    /// - Returns: The revision under which the value was sent; nil when the fields are the same.
    @discardableResult
    private func link(to target: Field<Value>) -> UInt64? {
        if refusesBinding(to: target) { return nil }
        let custom = FieldClock.overriddenStamp()
        let (binding, isFull) = addBinding(to: target)
        lock.lock()
        let value = storage
        let revision = noteLink(by: binding)
        lock.unlock()
        if isFull { removeDeadBindings(ensureDetails()) }
        let options = PropagationOptions(hasOwnTime: custom != nil)
        target.receive(value, Order(revision), custom ?? Stamp.system(), options, from: self)
        return revision
    }

    /// Adds the link back, along which nothing is sent unless this field was set since it took the
    /// other's value.
    private func linkBack(to target: Field<Value>, knowing known: UInt64) {
        let isFull = addBinding(to: target).isFull
        lock.lock()
        let value = storage
        let order = order
        let stamp = updated
        lock.unlock()
        if isFull { removeDeadBindings(ensureDetails()) }
        // An older one waits while somebody edits this field.
        if order > Order(known) {
            target.receive(value, order, stamp, PropagationOptions(), from: self)
        }
    }

    /// Notes the revision under which the value is sent along a new binding: a later one than that of
    /// every set before it, so that the target takes it.
    ///
    /// What bindings bring of an earlier set is sent along it as late. The lock must be held.
    final func noteLink(by binding: Binding) -> UInt64 {
        let revision = Revision.next()
        details?.linkedAt = revision
        binding.linkedAt = revision
        return revision
    }

    /// Whether a field is this one, which is not bound to itself.
    final func refusesBinding(to target: AnyField) -> Bool {
        if target !== self { return false }
        ModelKitDiagnostics.report(
            Diagnostic(code: .selfBinding, message: "a field was bound to itself", field: label)
        )
        return true
    }

    /// Adds a binding, or puts it in the place of the one to the same field.
    ///
    /// - Returns: It, and whether it is time to look for dead ones.
    final func addBinding(
        to target: AnyField,
        by transform: Transform<Value>? = nil
    ) -> (binding: Binding, isFull: Bool) {
        let details = ensureDetails()
        let binding = Binding(to: target, by: transform)
        let upstream = lock.withLock { details.upstream }
        upstream?.prepare()
        defer { upstream?.prepare() }
        lock.lock()
        let old = details.add(binding)
        let isFull = details.bindingCount >= details.bindingLimit
        lock.unlock()
        // Not before: its closure may hold values of the user.
        withExtendedLifetime(old) {}
        return (binding, isFull)
    }

    /// Takes a value that another field sends, unless this field holds a newer one, and sends it on.
    private func receive(
        _ value: Value?,
        _ order: Order,
        _ stamp: Stamp,
        _ options: PropagationOptions,
        from source: Field<Value>
    ) {
        var propagation = Propagation<Value>(value, order, stamp)
        propagation.options = options
        accept(&propagation, from: nil)
        propagation.run(from: ObjectIdentifier(source))
        propagation.deliver()
    }

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
        guard let state else {
            lock.unlock()
            withExtendedLifetime(old) {}
            return []
        }
        let bindings =
            isLate
            ? sendLate(order, &propagation, isChange: isChange || isForced, since: before)
            : state.bindings
        if !state.dependents.isEmpty { propagation.dirtied += state.dependents }
        if state.observers.isEmpty {
            lock.unlock()
            withExtendedLifetime(old) {}
        } else {
            var change = Change(
                old: old,
                new: value,
                isChange: isChange || isForced,
                revision: revision
            )
            change.isForced = isForced
            let script = state.recordsEdits ? propagation.edits?.script(from: old, to: value) : nil
            enqueue(change, isForced ? .reset : script, state, &propagation.owing)
        }
        return bindings
    }

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
        let pass = propagation.pass ?? PropagationPass()
        propagation.pass = pass
        let (late, others) = bindings(for: order)
        if pass.noteLate(ObjectIdentifier(self), isChange: isChange) {
            propagation.superseded += late.map { Superseded(self, along: $0) }
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
            if propagation.options.isForced { noteInsideLocked(&propagation.dirtied) }
            propagation.superseded.append(Superseded(self))
        } else if order != propagation.order || details?.linkedAt ?? 0 > order.origin {
            follow(&propagation)
        } else if let details, Forwarders.areAny,
            propagation.followed.insert(ObjectIdentifier(self)).inserted
        {
            propagation.add(details.bindings, of: self, from: nil)
            propagation.dirtied += details.dependents
        }
    }

    /// Has this field's own value sent on where another thread may be on its way with it.
    ///
    /// The lock must be held.
    final func follow(_ propagation: inout Propagation<Value>) {
        guard let details, !details.bindings.isEmpty, Forwarders.areAny else { return }
        let pass = propagation.pass ?? PropagationPass()
        propagation.pass = pass
        if pass.follows(self, at: lastRevision) { propagation.superseded.append(Superseded(self)) }
    }

    /// Notes that the inside of a value has changed that this field may hold.
    final func noteInside(_ dirtied: inout [ComputedNode]) {
        lock.withLock { noteInsideLocked(&dirtied) }
    }

    private func noteInsideLocked(_ dirtied: inout [ComputedNode]) {
        noteLateChange()
        if let details { dirtied += details.dependents }
    }

    /// A propagation of the value that this field holds, which follows the one that brought it.
    @usableFromInline @inline(never)
    final func resend(_ sendsLate: Bool) -> Propagation<Value> {
        lock.lock()
        var propagation = Propagation(storage, order, updated)
        if let details {
            let (late, others) = bindings(for: order)
            if sendsLate { propagation.superseded = late.map { Superseded(self, along: $0) } }
            propagation.add(others, of: self, from: nil)
            propagation.dirtied = details.dependents
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

    /// Whether a set is newer than the value and than what was sent along new bindings.
    ///
    /// The lock must be held.
    @inlinable @inline(__always)
    final func isNewest(_ revision: UInt64) -> Bool {
        revision > lastRevision && revision > details?.linkedAt ?? 0
    }

    /// Takes the lock for a commit of a set that is newer than whatever the field holds, if the field has
    /// no traits, and tells whether the value differs; otherwise leaves it free and gives nil.
    @inlinable @inline(__always)
    final func lockComparing(_ value: Value?, newerThan order: Order) -> Bool? {
        if !order.isPlain { return nil }
        let revision = order.revision
        if hasKnownEquality(Value.self) {
            lock.lock()
            if isNewest(revision), traits.isEmpty { return differs(storage, value) }
            lock.unlock()
            return nil
        }
        while true {
            lock.lock()
            let seen = storage
            let before = lastRevision
            let isTaken = isNewest(revision) && traits.isEmpty
            lock.unlock()
            if !isTaken { return nil }
            let isChange = differs(seen, value)
            lock.lock()
            if lastRevision == before, traits.isEmpty { return isChange }
            lock.unlock()
        }
    }
}
