/// What has a value that is observed and that fields are bound to: a field, a computed field,
/// and an object that is backed by a field.
///
/// ```swift
/// func show(_ source: some ValueSource<String>, in label: Field<String>) {
///     print(source.value ?? "nothing")
///     source --> label
/// }
/// show(person.name, in: label)
/// ```
public protocol ValueSource<Value>: ObservationSource, ValueObservable {
    /// Binds a field: it takes the value now and whenever that is set.
    ///
    /// - Returns: The field.
    @discardableResult
    func bind(to target: Field<Value>) -> Field<Value>

    /// Notifies an object of the value: once at the start, if it does not ask for changes only, then at
    /// every set.
    ///
    /// It is held weakly. A field that asks for every set, and an object that is backed by one, is
    /// bound.
    ///
    /// - Returns: The observer.
    @discardableResult
    func addObserver<Object: ValueObserver<Value>>(
        _ observer: Object,
        when trigger: ObservationTrigger
    ) -> Object
}

extension Field {
    /// Notifies an object of the value as that of what this field brings it for.
    final func notify<Object: ValueObserver<Value>>(
        _ observer: Object,
        of source: some ValueObservable<Value>,
        when trigger: ObservationTrigger
    ) {
        let action = Observer<Value>.Action.owned { [weak self, weak source] object, new in
            // One that is backed by the field may be gone before it, and then there is nothing to notify of.
            guard let source else { return self?.removeObserver(object) ?? () }
            // The observer hands in the object it was made with.
            unsafeDowncast(object, to: Object.self).valueChanged(source, value: new)
        }
        register(Observer(trigger, owner: observer, action))
    }

    /// Binds the field that an observer is or is backed by.
    ///
    /// - Returns: Whether there is one: of changes alone nothing is bound.
    static func bind(
        _ source: some ValueSource<Value>,
        to observer: some ValueObserver<Value>,
        when trigger: ObservationTrigger
    ) -> Bool {
        guard trigger == .everySet, let field = boundField(of: observer) as? Field<Value> else {
            return false
        }
        source.bind(to: field)
        return true
    }
}
