extension Rule where Value: Collection {
    /// At least this many elements: "count must be greater than or equal to 1".
    @inlinable
    public static func minItems(_ count: Int) -> Rule {
        let issue = Issue(
            "minItems",
            "count must be greater than or equal to",
            .int(Int64(count)),
            as: "min"
        )
        return Rule(issue, constraint: .minItems(count)) { $0.count >= count }
    }

    /// At most this many elements: "count must be less than or equal to 10".
    @inlinable
    public static func maxItems(_ count: Int) -> Rule {
        let issue = Issue(
            "maxItems",
            "count must be less than or equal to",
            .int(Int64(count)),
            as: "max"
        )
        return Rule(issue, constraint: .maxItems(count)) { $0.count <= count }
    }

    /// Exactly this many elements: "count must be equal to 2".
    @inlinable
    public static func count(_ count: Int) -> Rule {
        let issue = Issue("count", "count must be equal to", .int(Int64(count)), as: "value")
        let constraint = Constraint.all([.minItems(count), .maxItems(count)])
        return Rule(issue, constraint: constraint) { $0.count == count }
    }

    /// A number of elements inside a range, which may be open at one end.
    ///
    /// The message names the end that was passed.
    @inlinable
    public static func count(_ range: some RuleRange<Int>) -> Rule {
        range.ruleBounds.rule(
            exactly: { .count($0) },
            min: { .minItems($0) },
            max: { .maxItems($0) },
            below: { .maxItems(Swift.max($0, 0) - 1) }
        )
    }
}

extension Rule where Value: Collection, Value.Element: Hashable {
    /// No two elements are equal: "must not contain duplicates".
    ///
    /// From 17 elements on it builds a set.
    @inlinable
    public static var unique: Rule {
        let issue = Issue(code: "unique", message: "must not contain duplicates")
        return Rule(issue, constraint: .uniqueItems) { values in
            if values.count > 16 { return Set(values).count == values.count }
            return values.indices.allSatisfy { !values[..<$0].contains(values[$0]) }
        }
    }
}
