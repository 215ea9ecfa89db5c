import ModelKitValues

extension Field {
    /// Binds a field of another type to this one: it takes what a closure makes of this field's
    /// value, now and whenever it is set.
    ///
    /// If the closure throws, the target keeps its value and this field is invalid until it is set
    /// again: `issues` and `validate()` have what was thrown. An `Issue` is taken as it is,
    /// and so are those of an `IssuesError`; another error becomes one with the code "conversion".
    ///
    /// ```swift
    /// text.bind(to: length) { $0?.count }
    /// ```
    ///
    /// Neither field is kept alive. Fields are bound once: a later binding to the same field takes
    /// the place of this one. `removeObserver` ends it.
    ///
    /// - Parameters:
    ///   - target: The field that takes the values.
    ///   - forward: Makes the target's value. Called on the thread that sets, with no lock held, and
    ///     not for a value that has been superseded.
    /// - Returns: The target.
    @discardableResult
    public final func bind<Target>(
        to target: Field<Target>,
        forward: @escaping @Sendable (_ value: Value?) throws -> Target?
    ) -> Field<Target> {
        if refusesBinding(to: target) { return target }
        link(to: target, by: transform(to: target, by: forward))
        return target
    }

    /// Binds two fields of different types to each other, beginning with this one's value.
    ///
    /// What a closure has made of a value is not made into a value again: the text "007" stays while
    /// the number is 7. If a closure throws, the field on its other side keeps its value, and the
    /// one that was set is invalid until it is set again: `issues` and `validate()` have what was
    /// thrown. An `Issue` is taken as it is, and so are those of an `IssuesError`; another error
    /// becomes one with the code "conversion".
    ///
    /// ```swift
    /// text.bind(to: number, forward: { $0.flatMap(Int.init) }, backward: { $0.map(String.init) })
    /// ```
    ///
    /// Neither field is kept alive. Fields are bound once in each direction: a later binding takes
    /// the place of this one. `removeObserver` ends one direction.
    ///
    /// - Parameters:
    ///   - target: The other field.
    ///   - forward: Makes the target's value. Called on the thread that sets, with no lock held, and
    ///     not for a value that has been superseded.
    ///   - backward: Makes this field's value, likewise.
    /// - Returns: The target.
    @discardableResult
    public final func bind<Target>(
        to target: Field<Target>,
        forward: @escaping @Sendable (_ value: Value?) throws -> Target?,
        backward: @escaping @Sendable (_ value: Target?) throws -> Value?
    ) -> Field<Target> {
        if refusesBinding(to: target) { return target }
        // First, so that a value which the target takes in place of this one's comes back.
        let isFull = target.addBinding(to: self, by: target.transform(to: self, by: backward))
            .isFull
        if isFull { target.removeDeadBindings(target.ensureDetails()) }
        link(to: target, by: transform(to: target, by: forward))
        return target
    }

    /// Adds a link and sends the value along it.
    private func link(to target: AnyField, by transform: Transform<Value>) {
        let custom = FieldClock.overriddenStamp()
        let (binding, isFull) = addBinding(to: target, by: transform)
        lock.lock()
        let value = storage
        let held = order.revision
        let revision = noteLink(by: binding)
        lock.unlock()
        if isFull { removeDeadBindings(ensureDetails()) }
        let pass = PropagationPass()
        let parcel = Parcel(
            value: value,
            order: Order(revision),
            stamp: custom ?? Stamp.system(),
            options: PropagationOptions(hasOwnTime: custom != nil),
            held: held,
            origin: ObjectIdentifier(self)
        )
        transform.send(parcel, pass)
        pass.run()
        // It is a forwarder until it ends.
        withExtendedLifetime(pass) {
            DeliveryLoop.deliver(pass.owing, updating: pass.dirtied)
        }
    }
}

extension AnyField {
    /// Keeps why a value could not be brought to a bound field, until the field is set.
    final func noteFailure(_ error: any Error, at revision: UInt64, _ pass: PropagationPass) {
        guard let followers = addValidationIssues([Issue](thrown: error), at: revision) else {
            return
        }
        // Observers are notified when all that is bound has its value.
        pass.owing.append(
            DeliveryLoop.Entry(field: self) { field, _ in field.refresh(followers) }
        )
    }
}
