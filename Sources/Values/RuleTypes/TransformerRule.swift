/// A rule for something that is made of a value.
///
/// ```swift
/// let even = TransformerRule("the number of words", rule: .multipleOf(2)) { (text: String) in
///     text.split(separator: " ").count
/// }
/// even.rule.issues(for: "one two three").map(\.message)
/// // ["the number of words must be a multiple of 2"]
/// ```
///
/// nil passes. A value of which nothing can be made is nil to the rule.
public struct TransformerRule<From: Sendable, To: Sendable>: RuleConvertible {
    public let rule: Rule<From>

    /// A rule that asks another one.
    ///
    /// - Parameters:
    ///   - subject: What is made, as the beginning of the messages; none if it is missing.
    ///   - rule: What is asked about it.
    ///   - transform: Makes it. Called on any thread.
    public init(
        _ subject: String? = nil,
        rule: Rule<To>,
        transform: @escaping @Sendable (From) -> To?
    ) {
        self.rule = Rule(constraint: .opaque, canWarn: rule.core.canWarn) { value, asking, issues in
            if value == nil && asking != .failure { return true }
            let start = issues.count
            let passes = rule.core.body(value.flatMap(transform), asking, &issues)
            guard let subject else { return passes }
            for index in start..<issues.count { issues[index].prepend(subject) }
            return passes
        }
    }
}
