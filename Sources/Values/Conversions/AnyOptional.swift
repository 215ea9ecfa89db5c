/// An optional of whatever type, for code that knows the type of a value at run time only.
package protocol AnyOptional {
    /// What it is an optional of, also where it is nil.
    static var wrappedType: Any.Type { get }
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    package static var wrappedType: Any.Type { Wrapped.self }
    package var wrapped: Any? { map { $0 as Any } }
}

/// A value out of all the optionals around it; nil if one of them has none.
package func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any AnyOptional {
        guard let wrapped = optional.wrapped else { return nil }
        value = wrapped
    }
    return value
}
