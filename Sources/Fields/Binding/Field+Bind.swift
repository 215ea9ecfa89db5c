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
        send(to: target)
        return target
    }

    /// Binds two fields to each other.
    ///
    /// Both start with the other's value.
    public final func bindBothWays(to other: Field<Value>) {
        guard let known = other.send(to: self) else { return }
        // Along the link back nothing is sent unless this field was set since it took the other's value.
        addBinding(to: other)
        let own = lock.withLock {
            Parcel(
                value: storage,
                order: order,
                stamp: updated,
                held: lastRevision,
                origin: ObjectIdentifier(self)
            )
        }
        // An older one waits while somebody edits this field.
        if own.order > Order(known) { other.receive(own) }
    }

    /// Adds a binding and sends the value along it.
    ///
    /// - Returns: The revision under which the value was sent; nil when the fields are the same.
    @discardableResult
    private func send(to target: Field<Value>) -> UInt64? {
        if refusesBinding(to: target) { return nil }
        let first = link(to: target)
        target.receive(first)
        return first.order.revision
    }
}
