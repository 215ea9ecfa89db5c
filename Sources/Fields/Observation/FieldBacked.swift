/// An object of the app that is observed and bound like a field, as its value is in one.
///
/// ```swift
/// final class Thermostat: FieldBacked {
///     let field = Field<Double>(value: 20).constrain(to: 5...30)
/// }
/// let hall = Thermostat(), target = Field<Double>()
/// hall --> { degrees in print(degrees ?? 0) }
/// hall <--> target            // both start with the right one's value
/// target.value = 40
/// hall.value                  // 30
/// ```
///
/// As an observer it is bound: it takes the values at once, along with all that is bound to it.
/// Observers are handed the object itself, not its field. What the arrows do not say, such as a
/// transform, is asked of `field`.
public protocol FieldBacked<Value>: ValueSource, ValueObserver {
    // Named once more, so that it is inferred from the type of `field`.
    associatedtype Value

    /// The field that holds the value, always the same one.
    var field: Field<Value> { get }
}

extension FieldBacked {
    /// The value of the field.
    public var value: Value? {
        get { field.value }
        set { field.value = newValue }
    }

    /// Sets the value to that of the observable.
    public func valueChanged(_ observable: any ValueObservable<Value>, value: Value?) {
        field.value = value
    }

    public var observerList: ObserverList<Value> { ObserverList(field) }

    /// Binds a field to this object's.
    ///
    /// - Returns: The field.
    @discardableResult
    public func bind(to target: Field<Value>) -> Field<Value> { field.bind(to: target) }

    fileprivate var anyField: AnyField { field }
}

/// The field that is bound where an object is: itself, or the one that it is backed by.
func boundField(of object: AnyObject) -> AnyField? {
    object as? AnyField ?? (object as? any FieldBacked)?.anyField
}
