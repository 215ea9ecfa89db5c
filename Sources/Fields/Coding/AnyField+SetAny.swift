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

extension AnyField {
    /// Sets a value that is of the field's type, or nil; both may be in optionals.
    ///
    /// Throws an issue if it is of another type, and leaves the field as it is: nothing is
    /// converted.
    public final func setAnyValue(_ newValue: Any?) throws(Issue) { try typed?.setTyped(newValue) }
}

extension TypedField {
    /// Sets a value of whatever type, or says why that is none of this field's.
    fileprivate func setTyped(_ newValue: Any?) throws(Issue) {
        let new = newValue.flatMap(unwrapped)
        // Of nil itself the cast would make a value, where values are optionals.
        let value = new.flatMap { $0 as? Value }
        if let new, value == nil { throw .wrongType(type(of: new), expected: Value.self) }
        core.commit(value)
    }
}
