/// Calls a closure on the main thread with the value, now and whenever the field is set.
@discardableResult
public func --> <Value>(
    source: OnMain<Value>,
    body: @escaping @MainActor @Sendable (_ value: Value?) -> Void
) -> Observation { source.observe(body) }

/// Calls a closure on the main thread with the old and the new value.
@discardableResult
public func --> <Value>(
    source: OnMain<Value>,
    body: @escaping @MainActor @Sendable (_ old: Value?, _ new: Value?) -> Void
) -> Observation { source.observe(body) }

/// Calls a closure on the main thread now and whenever the field is set.
@discardableResult
public func --> <Value>(
    source: OnMain<Value>,
    body: @escaping @MainActor @Sendable () -> Void
) -> Observation { source.observe(body) }

/// Calls an owner's closure on the main thread while the owner lives.
@discardableResult
public func --> <Value>(source: OnMain<Value>, closure: OwnedMainClosure<Value>) -> Observation {
    closure.observe(source)
}

/// Stops every observation that belongs to an owner or observer, or the one of a token.
public func -/-> <Value>(source: OnMain<Value>, observer: AnyObject) {
    source.removeObserver(observer)
}
