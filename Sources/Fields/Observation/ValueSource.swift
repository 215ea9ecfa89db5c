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
}

extension ValueSource {
    /// Notifies an object of the value: once now, if it does not ask for changes only, then whenever it is
    /// set; that of a computed field counts as set when it differs.
    ///
    /// It is held weakly, and handed this object. A field that asks for every set is bound to this one, and
    /// so is one that backs an object; of changes they are notified like others.
    ///
    /// - Returns: The observer.
    @discardableResult
    public func addObserver<Object: ValueObserver<Value>>(
        _ observer: Object,
        when trigger: ObservationTrigger = .everySet
    ) -> Object {
        if trigger == .everySet, let field = boundField(of: observer) as? Field<Value> {
            bind(to: field)
            return observer
        }
        let action: Observer<Value>.Action =
            if self is Field<Value> {
                .object { object, field, new in
                    // The observer hands in the object it was made with, and this field.
                    let field = unsafeDowncast(field, to: Field<Value>.self)
                    unsafeDowncast(object, to: Object.self).valueChanged(field, value: new)
                }
            } else {
                .owned { [weak self, weak field = observerList.field] object, new in
                    // One that is backed by the field may be gone before it: there is nothing to notify of.
                    guard let self else { return field?.removeObserver(object) ?? () }
                    // The observer hands in the object it was made with.
                    unsafeDowncast(object, to: Object.self).valueChanged(self, value: new)
                }
            }
        _ = observerList.register(trigger, owner: observer, action)
        return observer
    }
}
