extension Rule where Value: Equatable {
    /// Equal to a value by `==`: "must be equal to 6".
    @inlinable
    public static func equal(_ expected: Value) -> Rule {
        let data = AttributeValue(describing: expected)
        let issue = Issue("equal", "must be equal to", data, as: "value")
        return Rule(issue, constraint: .oneOf(describing: [expected])) { $0 == expected }
    }

    /// Not equal to a value by `==`: "must not be equal to 6".
    @inlinable
    public static func notEqual(_ unexpected: Value) -> Rule {
        let data = AttributeValue(describing: unexpected)
        let issue = Issue("notEqual", "must not be equal to", data, as: "value")
        return Rule(issue, constraint: .not(.oneOf(describing: [unexpected]))) { $0 != unexpected }
    }

    /// One of a list: "must be one of red, green".
    ///
    /// Takes time in proportion to the list.
    @inlinable
    public static func oneOf(_ allowed: [Value]) -> Rule {
        let data = allowed.map { AttributeValue(describing: $0) }
        let issue = Issue("oneOf", "must be one of", .array(data), as: "values")
        return Rule(issue, constraint: .oneOf(describing: allowed)) { allowed.contains($0) }
    }

    /// None of a list: "must not be one of red, green".
    ///
    /// Takes time in proportion to the list.
    @inlinable
    public static func noneOf(_ forbidden: [Value]) -> Rule {
        let data = forbidden.map { AttributeValue(describing: $0) }
        let issue = Issue("noneOf", "must not be one of", .array(data), as: "values")
        return Rule(issue, constraint: .not(.oneOf(describing: forbidden))) {
            !forbidden.contains($0)
        }
    }
}

extension Rule {
    /// The raw value of one of an enum's cases: "must be one of red, green".
    ///
    /// ```swift
    /// enum Color: String, CaseIterable { case red, green }
    /// let color: Rule<String> = .rawValue(of: Color.self)
    /// ```
    @inlinable
    public static func rawValue<Cases: RawRepresentable & CaseIterable>(
        of type: Cases.Type
    ) -> Rule where Cases.RawValue == Value, Value: Equatable {
        oneOf(type.allCases.map(\.rawValue))
    }
}
