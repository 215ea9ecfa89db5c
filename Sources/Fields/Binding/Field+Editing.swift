import ModelKitValues

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
        var propagation = Propagation(parked.value, parked.brought, parked.stamp)
        propagation.options = parked.options
        accept(&propagation, from: nil)
        propagation.run()
        propagation.deliver()
    }

    /// Keeps the value of a propagation until nobody edits this field, if it is the newest.
    ///
    /// Unlocks; the lock must be held.
    @usableFromInline @inline(never)
    final func park(_ propagation: Propagation<Value>, _ order: Order) {
        guard let state else { return lock.unlock() }
        let old = state.parked
        if old.map({ order > $0.order }) ?? true {
            state.parked = Parked(
                propagation,
                order,
                isForced: propagation.options.isForced || old?.options.isForced ?? false
            )
        } else if propagation.options.isForced {
            state.parked?.isForced = true
        }
        lock.unlock()
        withExtendedLifetime(old) {}
    }
}

/// What a propagation has brought while somebody was editing.
struct Parked<Value: Equatable & Sendable>: Sendable {
    let value: Value?
    /// As it is for the field.
    let order: Order
    /// As the propagation had it.
    let brought: Order
    let stamp: Stamp
    private(set) var options: PropagationOptions
    var isForced: Bool {
        get { options.isForced }
        set { options.isForced = newValue }
    }

    init(_ propagation: Propagation<Value>, _ order: Order, isForced: Bool) {
        (value, stamp, options) = (propagation.value, propagation.stamp, propagation.options)
        (self.order, brought) = (order, propagation.order)
        options.isForced = isForced
    }
}
