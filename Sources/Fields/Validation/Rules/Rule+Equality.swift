extension Rule where Value: Equatable {
    /// Equal to a value by `==`: "must be equal to 6".
    @inlinable
    public static func equal(_ expected: Value) -> Rule {
        let (issue, data) = compared("equal", "must be equal to", expected)
        return Rule(issue, constraint: .oneOf([data])) { $0 == expected }
    }

    /// Not equal to a value by `==`: "must not be equal to 6".
    @inlinable
    public static func notEqual(_ unexpected: Value) -> Rule {
        let (issue, data) = compared("notEqual", "must not be equal to", unexpected)
        return Rule(issue, constraint: .not(.oneOf([data]))) { $0 != unexpected }
    }

    /// One of a list: "must be one of red, green". Takes time in proportion to the list.
    @inlinable
    public static func oneOf(_ allowed: [Value]) -> Rule {
        let (issue, data) = listed("oneOf", "must be one of", allowed)
        return Rule(issue, constraint: .oneOf(data)) { allowed.contains($0) }
    }

    /// None of a list: "must not be one of red, green". Takes time in proportion to the list.
    @inlinable
    public static func noneOf(_ forbidden: [Value]) -> Rule {
        let (issue, data) = listed("noneOf", "must not be one of", forbidden)
        return Rule(issue, constraint: .not(.oneOf(data))) { !forbidden.contains($0) }
    }

    @usableFromInline
    static func compared(
        _ code: String,
        _ phrase: String,
        _ value: Value
    ) -> (Issue, AttributeValue) {
        let data = AttributeValue(describing: value)
        let issue = Issue(
            code: code,
            message: "\(phrase) \(data.phrase)",
            parameters: ["value": data]
        )
        return (issue, data)
    }

    /// A message shows ten values at most: beyond, it is no help but a page.
    @usableFromInline
    static func listed(
        _ code: String,
        _ phrase: String,
        _ values: [Value]
    ) -> (Issue, [AttributeValue]) {
        let data = values.map { AttributeValue(describing: $0) }
        let shown = data.prefix(10).map(\.phrase).joined(separator: ", ")
        let rest = data.count > 10 ? ", …" : ""
        let issue = Issue(
            code: code,
            message: "\(phrase) \(shown)\(rest)",
            parameters: ["values": .array(data)]
        )
        return (issue, data)
    }
}
