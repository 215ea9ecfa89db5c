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
        let manner = Manner(hasOwnTime: custom != nil)
        target.receive(value, Order(revision), custom ?? Stamp.system(), manner, from: self)
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
        if order > Order(known) { target.receive(value, order, stamp, Manner(), from: self) }
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
        _ manner: Manner,
        from source: Field<Value>
    ) {
        var wave = Wave<Value>(value, order, stamp)
        wave.manner = manner
        accept(&wave, from: nil)
        wave.run(from: ObjectIdentifier(source))
        wave.deliver()
    }

    /// Stores the value of a wave, unless this field holds a newer one, and adds what follows to the
    /// wave.
    @inlinable @inline(__always)
    final func accept(_ wave: inout Wave<Value>, from sender: ObjectIdentifier?) {
        guard let isChange = lockComparing(wave.value, newerThan: wave.order) else {
            return acceptSpecially(&wave, from: sender)
        }
        let bindings = storeLocked(
            wave.value,
            wave.order,
            isChange: isChange,
            &wave
        )
        wave.add(bindings, of: self, from: sender)
    }

    /// Stores a value that a wave brings, and has the observers notified.
    ///
    /// Unlocks; the lock must be held.
    ///
    /// - Returns: The bindings along which the value goes on.
    @inlinable @inline(__always)
    final func storeLocked(
        _ value: Value?,
        _ order: Order,
        isChange: Bool,
        _ wave: inout Wave<Value>,
        knowing binding: Binding? = nil
    ) -> [Binding] {
        let isForced = wave.manner.isForced
        let isLate = details?.linkedAt ?? 0 > order.origin
        // It may have taken the value of an older set later.
        let before = lastRevision
        let revision = isNewest(order.revision) ? order.revision : Revision.next()
        if revision != order.revision { wave.journey?.noteHeld(order.revision, as: revision) }
        let old = storage
        storage = value
        if wave.manner.hasOwnTime { updated = .none }
        noteCommit(revision, wave.stamp, changed: isChange || isForced)
        if order.origin != revision { details?.given = Given(order, at: revision) }
        if let binding { binding.noteKnown(wave.order, at: revision) }
        // What was read or validated since this revision was taken had the old value.
        if lastChange == revision { noteLateChange() }
        guard let state else {
            lock.unlock()
            withExtendedLifetime(old) {}
            return []
        }
        let bindings =
            isLate
            ? sendLate(order, &wave, isChange: isChange || isForced, since: before) : state.bindings
        if !state.dependents.isEmpty { wave.dirtied += state.dependents }
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
            let script = state.recordsEdits ? wave.edits?.script(from: old, to: value) : nil
            enqueue(change, isForced ? .reset : script, state, &wave.owing)
        }
        return bindings
    }

    /// Has the value sent along the bindings along which one of a later set was sent first, by waves of
    /// their own.
    ///
    /// The lock must be held.
    ///
    /// - Parameters:
    ///   - order: That of the value.
    ///   - wave: What has brought it.
    ///   - isChange: Whether it differs from the one before, which those who are bound have.
    ///   - before: The revision of that.
    /// - Returns: The other bindings.
    @usableFromInline @inline(never)
    final func sendLate(
        _ order: Order,
        _ wave: inout Wave<Value>,
        isChange: Bool,
        since before: UInt64
    ) -> [Binding] {
        let journey = wave.journey ?? Journey()
        wave.journey = journey
        let (late, others) = bindings(for: order)
        if journey.noteLate(ObjectIdentifier(self), isChange: isChange) {
            wave.overtaken += late.map { Overtaken(self, along: $0) }
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

    /// Notes that this field holds a newer value than the wave, if it does, or lets the wave go on
    /// where another thread has brought its value.
    @usableFromInline @inline(never)
    final func noteOvertaking(_ wave: inout Wave<Value>) {
        lock.lock()
        defer { lock.unlock() }
        guard let brought = own(wave.order) else { return follow(&wave) }
        let order = order
        if order > brought {
            if wave.manner.isForced { noteInsideLocked(&wave.dirtied) }
            wave.overtaken.append(Overtaken(self))
        } else if order != wave.order || details?.linkedAt ?? 0 > order.origin {
            follow(&wave)
        } else if let details, Carriers.areAny,
            wave.followed.insert(ObjectIdentifier(self)).inserted
        {
            wave.add(details.bindings, of: self, from: nil)
            wave.dirtied += details.dependents
        }
    }

    /// Has this field's own value sent on where another thread may be on its way with it.
    ///
    /// The lock must be held.
    final func follow(_ wave: inout Wave<Value>) {
        guard let details, !details.bindings.isEmpty, Carriers.areAny else { return }
        let journey = wave.journey ?? Journey()
        wave.journey = journey
        if journey.follows(self, at: lastRevision) { wave.overtaken.append(Overtaken(self)) }
    }

    /// Notes that the inside of a value has changed that this field may hold.
    final func noteInside(_ dirtied: inout [ComputedNode]) {
        lock.withLock { noteInsideLocked(&dirtied) }
    }

    private func noteInsideLocked(_ dirtied: inout [ComputedNode]) {
        noteLateChange()
        if let details { dirtied += details.dependents }
    }

    /// A wave of the value that this field holds, which follows the one that brought it.
    @usableFromInline @inline(never)
    final func resend(_ sendsLate: Bool) -> Wave<Value> {
        lock.lock()
        var wave = Wave(storage, order, updated)
        if let details {
            let (late, others) = bindings(for: order)
            if sendsLate { wave.overtaken = late.map { Overtaken(self, along: $0) } }
            wave.add(others, of: self, from: nil)
            wave.dirtied = details.dependents
        }
        lock.unlock()
        return wave
    }

    /// A wave that brings the value along a binding, or along the one in its place, if there is one.
    final func resend(along binding: Binding) -> Wave<Value> {
        lock.lock()
        defer { lock.unlock() }
        let current =
            binding.isOver
            ? details?.binding(to: binding.targetID) : binding
        guard let current else { return Wave(storage, order, updated) }
        var wave = Wave(storage, order(along: current), updated)
        wave.add([current], of: self, from: nil)
        return wave
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
