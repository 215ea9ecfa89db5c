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

/// Binds the right field to the left: it takes the value now and whenever the left one is set.
///
/// - Returns: The right field, so that `a --> b --> c` is a chain.
@inlinable @discardableResult
public func --> <Source: ValueSource>(
    source: Source,
    target: Field<Source.Value>
) -> Field<Source.Value> { source.bind(to: target) }

/// Adds an observer, which receives the value now and whenever it is set.
///
/// It is held weakly.
///
/// - Returns: The observer, so that `a --> b --> c` is a chain.
@inlinable @discardableResult
public func --> <Source: ValueSource, Observer: ValueObserver<Source.Value>>(
    source: Source,
    observer: Observer
) -> Observer { source.addObserver(observer, when: .everySet) }

/// Calls a closure with the value, at the start and whenever it is set.
@inlinable @discardableResult
public func --> <Source: ObservationSource>(
    source: Source,
    body: @escaping @Sendable (_ value: Source.Value?) -> Void
) -> Observation { source.observe(when: .everySet, body) }

/// Calls a closure with the old and the new value, at the start and whenever it is set.
@inlinable @discardableResult
public func --> <Source: ObservationSource>(
    source: Source,
    body: @escaping @Sendable (_ old: Source.Value?, _ new: Source.Value?) -> Void
) -> Observation { source.observe(when: .everySet, body) }

/// Calls a closure at the start and whenever the value is set.
@inlinable @discardableResult
public func --> <Source: ObservationSource>(
    source: Source,
    body: @escaping @Sendable () -> Void
) -> Observation { source.observe(when: .everySet, body) }

/// Calls an owner's closure, at the start and whenever the value is set, while the owner lives.
@discardableResult
public func --> <Source: ObservationSource>(
    source: Source,
    closure: OwnedClosure<Source.Value>
) -> Observation { closure.observe(source.observerList) }

// MARK: - observer <-- source

/// Binds the left field to the right.
///
/// It is `source --> target` from the other side.
///
/// - Returns: The source.
@inlinable @discardableResult
public func <-- <Source: ValueSource>(target: Field<Source.Value>, source: Source) -> Source {
    source.bind(to: target)
    return source
}

/// Adds an observer.
///
/// It is `source --> observer` from the other side.
///
/// - Returns: The source.
@inlinable @discardableResult
public func <-- <Source: ValueSource, Observer: ValueObserver<Source.Value>>(
    observer: Observer,
    source: Source
) -> Source {
    source.addObserver(observer, when: .everySet)
    return source
}

// MARK: - Both ways, and the end

/// Binds two fields to each other.
///
/// Both start with the right one's value.
///
/// - Returns: The right field, so that `a <--> b <--> c` is a chain.
@inlinable @discardableResult
public func <--> <Value>(left: Field<Value>, right: Field<Value>) -> Field<Value> {
    left.bindBothWays(to: right)
    return right
}

/// Binds a field and an object that is backed by one to each other.
///
/// - Returns: The object.
@discardableResult
public func <--> <Right: FieldBacked>(left: Field<Right.Value>, right: Right) -> Right {
    left.bindBothWays(to: right.field)
    return right
}

/// Binds an object that is backed by a field, and a field to each other.
///
/// - Returns: The right field.
@discardableResult
public func <--> <Left: FieldBacked>(
    left: Left,
    right: Field<Left.Value>
) -> Field<Left.Value> { left.field <--> right }

/// Stops every observation that belongs to an owner or observer, the one of a token, and the binding
/// to a field.
@inlinable
public func -/-> <Source: ObservationSource>(source: Source, observer: AnyObject) {
    source.removeObserver(observer)
}
