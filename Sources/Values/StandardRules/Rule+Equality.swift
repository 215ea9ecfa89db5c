extension Rule where Value: Equatable {
    /// Equal to a value by `==`: "must be equal to 6".
    @inlinable
    public static func equal(_ expected: Value) -> Rule {
        Rule(
            Issue("equal", "must be equal to", .init(describing: expected), as: "value"),
            constraint: .oneOf(describing: [expected])
        ) { $0 == expected }
    }

    /// Not equal to a value by `==`: "must not be equal to 6".
    @inlinable
    public static func notEqual(_ unexpected: Value) -> Rule {
        Rule(
            Issue("notEqual", "must not be equal to", .init(describing: unexpected), as: "value"),
            constraint: .not(.oneOf(describing: [unexpected]))
        ) { $0 != unexpected }
    }

    /// One of a list: "must be one of red, green".
    ///
    /// Takes time in proportion to the list.
    @inlinable
    public static func oneOf(_ allowed: [Value]) -> Rule {
        Rule(
            Issue("oneOf", "must be one of", .list(allowed), as: "values"),
            constraint: .oneOf(describing: allowed)
        ) { allowed.contains($0) }
    }

    /// None of a list: "must not be one of red, green".
    ///
    /// Takes time in proportion to the list.
    @inlinable
    public static func noneOf(_ forbidden: [Value]) -> Rule {
        Rule(
            Issue("noneOf", "must not be one of", .list(forbidden), as: "values"),
            constraint: .not(.oneOf(describing: forbidden))
        ) { !forbidden.contains($0) }
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
