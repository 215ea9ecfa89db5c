extension Field: ValueSource, ValueObserver {
    @inlinable public final var observerList: ObserverList<Value> { ObserverList(self) }

    /// Sets the value to that of the observable.
    @inlinable
    public final func valueChanged(_ observable: any ValueObservable<Value>, value: Value?) {
        commit(value)
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

extension ValueSource {
    /// The value, of whose changes the Observation module is notified also while `FieldTracking` is off.
    ///
    /// It is notified after a change is stored, in the order of deliveries, on the thread that delivers.
    public var observed: Value? {
        observerList.field.noteAccess()
        return value
    }
}
