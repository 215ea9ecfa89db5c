extension AnyField {
    /// Keeps bindings from changing the value while somebody edits it, until `endEditing()`.
    ///
    /// A text that is being composed is not taken from under the cursor. The field's own sets go on,
    /// also along its bindings. Several may edit at once; the last one's end counts.
    public final func beginEditing() {
        let details = lockDetails()
        details.editors += 1
        let isFirst = traits.insert(.held).inserted
        lock.unlock()
        if isFirst { attributesDidChange() }
    }

    /// Whether somebody is editing the value.
    public final var isEditing: Bool {
        if Tracking.isOn { noteAttributeRead() }
        return lock.withLock { traits.contains(.held) }
    }
}

extension Field {
    /// Takes the value that came while somebody was editing, unless the field was set later.
    final func release() {
        lock.lock()
        guard let state, state.editors > 0 else { return lock.unlock() }
        state.editors -= 1
        guard state.editors == 0 else { return lock.unlock() }
        traits.remove(.held)
        let parked = state.parked.take()
        lock.unlock()
        attributesDidChange()
        defer { noteEditingEnd() }
        guard let parked else { return }
        var wave = Wave(parked.value, parked.brought, parked.stamp)
        wave.manner = parked.manner
        accept(&wave, from: nil)
        wave.run()
        wave.deliver()
    }

    /// Keeps the value of a wave until nobody edits this field, if it is the newest.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func park(_ wave: Wave<Value>, _ order: Order) {
        guard let state else { return lock.unlock() }
        let old = state.parked
        if old.map({ order > $0.order }) ?? true {
            state.parked = Parked(
                wave,
                order,
                isForced: wave.manner.isForced || old?.manner.isForced ?? false
            )
        } else if wave.manner.isForced {
            state.parked?.isForced = true
        }
        lock.unlock()
        withExtendedLifetime(old) {}
    }
}

/// What a wave has brought while somebody was editing.
struct Parked<Value: Equatable & Sendable>: Sendable {
    let value: Value?
    /// As it is for the field.
    let order: Order
    /// As the wave had it.
    let brought: Order
    let stamp: Stamp
    private(set) var manner: Manner
    var isForced: Bool {
        get { manner.isForced }
        set { manner.isForced = newValue }
    }

    init(_ wave: Wave<Value>, _ order: Order, isForced: Bool) {
        (value, stamp, manner) = (wave.value, wave.stamp, wave.manner)
        (self.order, brought) = (order, wave.order)
        manner.isForced = isForced
    }
}
