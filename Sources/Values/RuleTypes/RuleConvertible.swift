/// What a rule can be made of: rules in types of their own.
///
/// ```swift
/// let grade = Field<Int>().require(RangeRule(min: 1, max: 6))
/// let nick = Field<String>().require([NotBlankRule<String>(), LengthRule(max: 20)])
/// ```
public protocol RuleConvertible<Value>: Sendable {
    associatedtype Value: Sendable

    /// The rule that it stands for.
    var rule: Rule<Value> { get }
}

extension Rule: RuleConvertible {
    public var rule: Rule { self }
}
