import ModelKitValues

extension Field {
    /// Sets a value of whatever type, or says why that is none of this field's.
    final func setAny(_ newValue: Any?) throws(Issue) {
        guard let new = newValue.flatMap(unwrapped) else { return set(nil) }
        guard let value = new as? Value else {
            throw .wrongType(type(of: new), expected: Value.self)
        }
        set(value)
    }
}

extension Issue {
    /// A value of another type than a field has.
    static func wrongType(_ found: Any.Type, expected: Any.Type) -> Issue {
        Issue(
            code: "type",
            message: "must be \(expected), not \(found)",
            parameters: ["found": .string("\(found)")]
        )
    }
}

/// A value out of all the optionals around it; nil if one of them has none.
package func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any OptionalValue {
        guard let wrapped = optional.wrapped else { return nil }
        value = wrapped
    }
    return value
}

private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { map { $0 as Any } }
}
