extension Rule where Value: Collection {
    /// At least this many elements: "count must be greater than or equal to 1".
    @inlinable
    public static func minItems(_ count: Int) -> Rule {
        Rule(
            .count("minItems", "greater than or equal to", count, as: "min"),
            constraint: .minItems(count)
        ) { $0.count >= count }
    }

    /// At most this many elements: "count must be less than or equal to 10".
    @inlinable
    public static func maxItems(_ count: Int) -> Rule {
        Rule(
            .count("maxItems", "less than or equal to", count, as: "max"),
            constraint: .maxItems(count)
        ) { $0.count <= count }
    }

    /// Exactly this many elements: "count must be equal to 2".
    @inlinable
    public static func count(_ count: Int) -> Rule {
        Rule(
            .count("count", "equal to", count, as: "value"),
            constraint: .all([.minItems(count), .maxItems(count)])
        ) { $0.count == count }
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
        standard("unique", "must not contain duplicates", .uniqueItems) { values in
            if values.count > 16 { return Set(values).count == values.count }
            return values.indices.allSatisfy { !values[..<$0].contains(values[$0]) }
        }
    }
}

extension Rule where Value: Collection, Value.Element: Sendable {
    /// No two elements have the same of something: "must not contain duplicates".
    ///
    /// ```swift
    /// struct Line: Sendable { var product: String }
    /// let order: Rule<[Line]> = .unique { $0.product }
    /// ```
    ///
    /// - Parameter key: What no two may share. Called on any thread.
    /// - Returns: The rule.
    public static func unique<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Value.Element) -> Key
    ) -> Rule {
        standard("unique", "must not contain duplicates") { values in
            var seen: Set<Key> = []
            return values.allSatisfy { seen.insert(key($0)).inserted }
        }
    }

    /// So many elements satisfy a rule: "must contain at least 1 matching element".
    ///
    /// ```swift
    /// let team: Rule<[String]> = .contains(.equal("lead"), max: 1)
    /// ```
    ///
    /// - Parameters:
    ///   - rule: What the elements have to satisfy.
    ///   - min: How many at least.
    ///   - max: How many at most, if there is a limit.
    /// - Returns: The rule.
    public static func contains(
        _ rule: Rule<Value.Element>,
        min: Int = 1,
        max: Int? = nil
    ) -> Rule {
        Rule(
            .contains(min: min, max: max),
            constraint: .containsItems(rule.constraint, min: min, max: max)
        ) { [core = rule.core] values in
            var count = 0
            var unused: [Issue] = []
            for value in values where core.body(value, .verdict, &unused) {
                count += 1
                if count > max ?? .max || max == nil && count >= min { break }
            }
            return count >= min && count <= max ?? .max
        }
    }
}

extension Issue {
    @usableFromInline
    static func count(
        _ code: String,
        _ comparison: String,
        _ count: Int,
        as name: String
    ) -> Issue {
        Issue(code, "count must be " + comparison, .int(Int64(count)), as: name)
    }

    /// That not so many elements satisfy something.
    package static func contains(min: Int, max: Int?) -> Issue {
        let bounds = [min > 0 || max == nil ? "at least \(min)" : nil, max.map { "at most \($0)" }]
        let numbers = bounds.compactMap(\.self).joined(separator: " and ")
        let noun = (max ?? min) == 1 ? "element" : "elements"
        var parameters: [String: AttributeValue] = ["min": .int(Int64(min))]
        if let max { parameters["max"] = .int(Int64(max)) }
        return Issue(
            standard: "contains",
            message: "must contain \(numbers) matching \(noun)",
            parameters: parameters
        )
    }
}
