/// What has a value that can be observed.
///
/// Fields are the observables of the library.
///
/// ```swift
/// func show<T>(_ observable: any ValueObservable<T>) { print(observable.value as Any) }
/// ```
public protocol ValueObservable<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The current value.
    var value: Value? { get }
}

/// An object that a field notifies of its value: once when it is added, then at every set.
///
/// ```swift
/// final class Logger: ValueObserver {
///     func valueChanged(_ observable: any ValueObservable<String>, value: String?) {
///         print(value ?? "none")
///     }
/// }
/// person.name --> logger
/// ```
///
/// The field holds it weakly.
public protocol ValueObserver<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Takes the new value, on the thread that delivers the change.
    func valueChanged(_ observable: any ValueObservable<Value>, value: Value?)
}

/// An object that identifies closures, so that they end with it: `field --> owner { value in … }`.
///
/// ```swift
/// final class Screen: ObservationOwner {}
/// person.name --> screen { name in print(name ?? "") }
/// person.name -/-> screen
/// ```
///
/// The field holds the owner weakly. A closure that uses its owner should capture it weakly;
/// `field.observe(owner) { owner, value in … }` hands it in, so that nothing is captured.
public protocol ObservationOwner: AnyObject, Sendable {}
