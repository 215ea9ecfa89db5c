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
        send(to: target, by: transform(to: target, by: forward))
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
        target.addBinding(to: self, by: target.transform(to: self, by: backward))
        send(to: target, by: transform(to: target, by: forward))
        return target
    }

    /// Adds a binding and sends the value along it.
    private func send(to target: AnyField, by transform: Transform<Value>) {
        let first = link(to: target, by: transform)
        let pass = PropagationPass()
        transform.send(first, pass)
        pass.run()
        pass.deliver()
    }

    /// A transform that brings the values of this field to another, and keeps neither alive.
    func transform<Target>(
        to target: Field<Target>,
        by convert: @escaping @Sendable (Value?) throws -> Target?
    ) -> Transform<Value> {
        let sender = ObjectIdentifier(self)
        return Transform { [weak self, weak target] parcel, pass in
            guard let target,
                target.isOlder(than: parcel.order, pass, parcel.options)
            else { return }
            let value: Target?
            do {
                value = try convert(parcel.value)
            } catch {
                self?.noteFailure(error, at: parcel.held, pass)
                return
            }
            var propagation = Propagation<Target>(value, parcel.order, parcel.stamp)
            propagation.options = parcel.options
            propagation.pass = pass
            target.accept(&propagation, from: sender)
            propagation.spread(from: parcel.origin)
            propagation.leave(to: pass)
        }
    }

    /// Whether what is to be brought is newer than this field's value, which is asked before code of
    /// the user makes a value of it; otherwise the field's own value is sent on where another thread may have brought
    /// it.
    private func isOlder(
        than order: Order,
        _ pass: PropagationPass,
        _ options: PropagationOptions
    ) -> Bool {
        let (brought, own, revision) = lock.withLock { (self.own(order), self.order, lastRevision) }
        if let brought, brought > own { return true }
        if brought.map({ own > $0 }) ?? false || pass.follows(self, at: revision) {
            if options.isForced { lock.withLock { noteInside(&pass.pending.nodes) } }
            Superseded<Value>(field: self).resend(in: pass, options)
        }
        return false
    }
}

extension AnyField {
    /// Keeps why a value could not be brought to a bound field, until the field is set.
    final func noteFailure(_ error: any Error, at revision: UInt64, _ pass: PropagationPass) {
        guard let followers = addValidationIssues([Issue](thrown: error), at: revision) else {
            return
        }
        // Observers are notified when all that is bound has its value.
        pass.pending.deliveries.append(
            DeliveryLoop.Entry(field: self) { field, _ in field.refresh(followers) }
        )
    }
}
