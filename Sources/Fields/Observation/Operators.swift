precedencegroup BindingPrecedence {
    associativity: left
    higherThan: AssignmentPrecedence
    lowerThan: TernaryPrecedence
}

infix operator --> : BindingPrecedence
infix operator <-- : BindingPrecedence
infix operator <--> : BindingPrecedence
infix operator -/-> : BindingPrecedence

// MARK: - source --> observer

/// Binds the right field to the left: it takes the value now and whenever the left field is set.
///
/// - Returns: The right field, so that `a --> b --> c` is a chain.
@inlinable @discardableResult
public func --> <Value>(source: Field<Value>, target: Field<Value>) -> Field<Value> {
    source.bind(to: target)
}

/// Adds an observer, which is told the value now and whenever the field is set.
///
/// It is held weakly.
@inlinable @discardableResult
public func --> <Value, Observer: ValueObserver<Value>>(
    source: Field<Value>,
    observer: Observer
) -> Observer {
    source.addObserver(observer)
}

/// Calls a closure with the value, now and whenever the field is set.
@inlinable @discardableResult
public func --> <Value>(
    source: Field<Value>,
    body: @escaping @Sendable (_ value: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure with the old and the new value, now and whenever the field is set.
@inlinable @discardableResult
public func --> <Value>(
    source: Field<Value>,
    body: @escaping @Sendable (_ old: Value?, _ new: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure now and whenever the field is set.
@inlinable @discardableResult
public func --> <Value>(
    source: Field<Value>,
    body: @escaping @Sendable () -> Void
) -> Observation {
    source.observe(body)
}

/// Calls an owner's closure with the value, now and whenever the field is set, while the owner
/// lives.
@discardableResult
public func --> <Value>(source: Field<Value>, closure: OwnedClosure<Value?>) -> Observation {
    source.observeOwned(closure)
}

// MARK: - source.onMain --> observer

/// Calls a closure on the main thread with the value, now and whenever the field is set.
@discardableResult
public func --> <Value>(
    source: OnMain<Value>,
    body: @escaping @MainActor @Sendable (_ value: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure on the main thread with the old and the new value.
@discardableResult
public func --> <Value>(
    source: OnMain<Value>,
    body: @escaping @MainActor @Sendable (_ old: Value?, _ new: Value?) -> Void
) -> Observation {
    source.observe(body)
}

/// Calls a closure on the main thread now and whenever the field is set.
@discardableResult
public func --> <Value>(
    source: OnMain<Value>,
    body: @escaping @MainActor @Sendable () -> Void
) -> Observation {
    source.observe(body)
}

/// Calls an owner's closure on the main thread with the value, while the owner lives.
@discardableResult
public func --> <Value>(source: OnMain<Value>, closure: OwnedMainClosure<Value?>) -> Observation {
    source.observeOwned(closure)
}

// MARK: - observer <-- source

/// Binds the left field to the right.
///
/// It is `source --> target` from the other side.
///
/// - Returns: The source.
@inlinable @discardableResult
public func <-- <Value>(target: Field<Value>, source: Field<Value>) -> Field<Value> {
    source.bind(to: target)
    return source
}

/// Adds an observer.
///
/// It is `source --> observer` from the other side.
@inlinable @discardableResult
public func <-- <Value, Observer: ValueObserver<Value>>(
    observer: Observer,
    source: Field<Value>
) -> Field<Value> {
    source.addObserver(observer)
    return source
}

/// Calls a closure with the value, now and whenever the field is set.
@inlinable @discardableResult
public func <-- <Value>(
    body: @escaping @Sendable (_ value: Value?) -> Void,
    source: Field<Value>
) -> Observation {
    source.observe(body)
}

// MARK: - Both ways, and the end

/// Binds two fields to each other.
///
/// Both start with the right one's value.
@inlinable
public func <--> <Value>(left: Field<Value>, right: Field<Value>) {
    left.bindBothWays(to: right)
}

/// Stops every observation that belongs to an owner or observer, and the binding to a field.
@inlinable
public func -/-> <Value>(source: Field<Value>, observer: AnyObject) {
    source.removeObserver(observer)
}
