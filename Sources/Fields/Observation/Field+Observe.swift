extension Field: ValueSource, ValueObserver {
    /// Calls a closure with the value: once now, then whenever the field is set.
    ///
    /// The closure runs on the thread that sets the field (or on one that already delivers other
    /// changes), with no lock held.
    @inlinable @discardableResult
    public final func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation {
        register(Observer(trigger, .value(body)))
    }

    /// Calls a closure with the old and the new value: once now, when the old one is nil, then
    /// whenever the field is set.
    ///
    /// Each old value is the new one of the call before.
    @inlinable @discardableResult
    public final func observe(
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        register(Observer(trigger, .change(body)))
    }

    /// Calls a closure with its owner and the value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @inlinable @discardableResult
    public final func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.owned { object, new in
            // The observer hands in the owner it was made with.
            body(unsafeDowncast(object, to: Owner.self), new)
        }
        return register(Observer(trigger, owner: owner, action))
    }

    /// Calls a closure with its owner, the old and the new value, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public final func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        when trigger: ObservationTrigger = .everySet,
        _ body: @escaping @Sendable (_ owner: Owner, _ old: Value?, _ new: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.edits { observer, change, _ in
            guard let object = observer.owner else { return }
            // The observer has the owner that it was made with.
            body(unsafeDowncast(object, to: Owner.self), change.old, change.new)
        }
        return register(Observer(trigger, owner: owner, action))
    }

    /// Notifies an object of the value: once now, if it does not ask for changes only, then whenever
    /// the field is set.
    ///
    /// It is held weakly. A field that asks for every set is bound to this one, and so is one that
    /// backs an object; of changes they are notified like others.
    ///
    /// - Returns: The observer.
    @discardableResult
    public final func addObserver<Object: ValueObserver<Value>>(
        _ observer: Object,
        when trigger: ObservationTrigger = .everySet
    ) -> Object {
        if Field.bind(self, to: observer, when: trigger) { return observer }
        let action = Observer<Value>.Action.object { object, field, new in
            // The observer hands in the object it was made with, and this field.
            let field = unsafeDowncast(field, to: Field<Value>.self)
            unsafeDowncast(object, to: Object.self).valueChanged(field, value: new)
        }
        register(Observer(trigger, owner: observer, action))
        return observer
    }

    /// Sets the value to that of the observable.
    @inlinable
    public final func valueChanged(_ observable: any ValueObservable<Value>, value: Value?) {
        set(value)
    }
}

extension Field where Value == String {
    /// The value as a text that is never nil, as text fields take it: empty where there is no value, which
    /// an empty one sets.
    ///
    /// ```swift
    /// TextField("Name", text: Bindable(person.name).text)
    /// ```
    ///
    /// Reads are tracked by the Observation module, also while `FieldTracking` is off.
    public final var text: String {
        get { observed ?? "" }
        set { value = newValue.isEmpty ? nil : newValue }
    }
}

extension Field {
    /// The value, of whose changes the Observation module is notified also while `FieldTracking` is off.
    ///
    /// It is notified after a change is stored, in the order of deliveries, on the thread that delivers.
    public final var observed: Value? {
        noteAccess()
        return value
    }
}
