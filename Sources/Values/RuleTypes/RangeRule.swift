/// The rule that a value is inside of inclusive bounds, either of which may be missing.
///
/// ```swift
/// RangeRule(min: 6).rule.issues(for: 5).map(\.message)          // ["must be greater than or equal to 6"]
/// RangeRule(min: 6, max: 6).rule.issues(for: 7).map(\.message)  // ["must be equal to 6"]
/// ```
///
/// nil passes, NaN does not. Nothing is inside of bounds of which the lower is the greater one.
/// `Rule.range` takes ranges.
public struct RangeRule<Value: Comparable & Sendable>: RuleConvertible {
    public let rule: Rule<Value>

    public init(min: Value? = nil, max: Value? = nil) {
        rule = .range(RuleBounds(lower: min, upper: max))
    }
}

/// The rule that a text has a number of characters inside of inclusive bounds.
///
/// ```swift
/// LengthRule(length: 2).rule.issues(for: "abc").map(\.message)   // ["length must be equal to 2"]
/// ```
///
/// nil passes. `Rule.length` takes ranges, and counts in other units, too.
public struct LengthRule: RuleConvertible {
    public let rule: Rule<String>

    public init(min: Int? = nil, max: Int? = nil) {
        rule = .length(RuleBounds(lower: min, upper: max))
    }

    public init(length: Int) {
        rule = .length(length)
    }
}

/// The rule that an array has a number of elements inside of inclusive bounds.
///
/// ```swift
/// CountRule<String>(min: 1).rule.issues(for: []).map(\.message)
/// // ["count must be greater than or equal to 1"]
/// ```
///
/// nil passes. `Rule.count` takes ranges.
public struct CountRule<Element: Sendable>: RuleConvertible {
    public let rule: Rule<[Element]>

    public init(min: Int? = nil, max: Int? = nil) {
        rule = .count(RuleBounds(lower: min, upper: max))
    }

    public init(count: Int) {
        rule = .count(count)
    }
}
