extension Rule {
    /// A rule that passes if both pass.
    ///
    /// Both are asked, and both report.
    @inlinable
    public static func && (lhs: Rule, rhs: Rule) -> Rule {
        Rule(
            constraint: Constraint(all: [lhs.constraint, rhs.constraint]),
            canWarn: lhs.core.canWarn || rhs.core.canWarn,
            body: both(lhs.core.body, rhs.core.body)
        )
    }

    /// A closure holds on to its pair, where a loop over an array would retain and release each rule, which takes
    /// longer than to ask it.
    @usableFromInline
    static func both(
        _ first: @escaping RuleCore<Value>.Body,
        _ second: @escaping RuleCore<Value>.Body
    ) -> RuleCore<Value>.Body {
        { value, asking, issues in
            if first(value, asking, &issues) { return second(value, asking, &issues) }
            if asking == .everything { _ = second(value, asking, &issues) }
            return false
        }
    }

    /// A rule that passes if one of the two passes.
    ///
    /// If neither does, both report.
    ///
    /// The second is asked only if the first fails. A rule may be asked twice: for its verdict,
    /// and then for its reasons.
    @inlinable
    public static func || (lhs: Rule, rhs: Rule) -> Rule {
        any([lhs, rhs])
    }

    /// A rule that passes if both pass; the second is asked only if the first does.
    public func and(_ other: Rule) -> Rule { and([other]) }

    /// A rule that passes if all pass; each is asked only if those before do.
    public func and(_ others: [Rule]) -> Rule { .all([self] + others).stopAtFirst }

    /// A rule that passes if one of the two passes: `self || other`.
    public func or(_ other: Rule) -> Rule { self || other }

    /// A rule that passes if one of them passes; each is asked only if none before does.
    public func or(_ others: [Rule]) -> Rule { .any([self] + others) }

    /// A rule that passes if the other fails: `.not(rule)`.
    public static prefix func ! (rule: Rule) -> Rule {
        not(rule)
    }

    /// A rule that passes if all pass.
    ///
    /// All are asked, in order, and all report. Of an empty list everything passes.
    @inlinable
    public static func all(_ rules: [Rule]) -> Rule {
        if rules.isEmpty { return Rule(constraint: .all([])) { _, _, _ in true } }
        return Rule(
            constraint: Constraint(all: rules.map { $0.constraint }),
            canWarn: rules.contains { $0.core.canWarn },
            body: joined(rules[...])
        )
    }

    /// The bodies as a tree of pairs, so that a long list needs no deep stack.
    @usableFromInline
    static func joined(_ rules: ArraySlice<Rule>) -> RuleCore<Value>.Body {
        if rules.count == 1 { return rules[rules.startIndex].core.body }
        let middle = rules.startIndex + rules.count / 2
        return both(joined(rules[..<middle]), joined(rules[middle...]))
    }

    /// A rule that passes if one of them passes.
    ///
    /// They are asked in order until one does; if none does, all report. Of an empty list
    /// everything passes.
    @inlinable
    public static func any(_ rules: [Rule]) -> Rule {
        guard !rules.isEmpty else { return all([]) }
        return Rule(
            constraint: .any(rules.map { $0.constraint }),
            canWarn: rules.contains { $0.core.canWarn }
        ) { value, asking, issues in
            if asking == .failure { return rules[0].core.body(nil, asking, &issues) }
            for rule in rules where rule.core.body(value, .verdict, &issues) {
                if asking != .verdict && rule.core.canWarn {
                    _ = rule.core.body(value, asking, &issues)
                }
                return true
            }
            if asking == .verdict { return false }
            for rule in rules { _ = rule.core.body(value, asking, &issues) }
            return false
        }
    }

    /// A rule that passes if the other fails.
    ///
    /// nil passes.
    ///
    /// - Parameters:
    ///   - rule: The rule that has to fail; one that only warns does not fail.
    ///   - message: What is wrong with a value that passes it.
    ///   - code: The same for programs.
    /// - Returns: The rule.
    public static func not(
        _ rule: Rule,
        _ message: String = "is not allowed",
        code: String = "not"
    ) -> Rule {
        let failure = LazyIssue {
            Issue(code: code, message: message, unlike: ("not", "is not allowed"))
        }
        return Rule(constraint: .not(rule.constraint)) { [core = rule.core] value, asking, issues in
            if asking != .failure, value == nil || !core.body(value, .verdict, &issues) {
                return true
            }
            if asking != .verdict { issues.append(failure.issue) }
            return false
        }
    }

    /// The rule, asked only of values that meet a condition; all others pass.
    public func when(_ condition: @escaping @Sendable (Value?) -> Bool) -> Rule {
        Rule(constraint: .opaque, canWarn: core.canWarn) { [core] value, asking, issues in
            asking != .failure && !condition(value) || core.body(value, asking, &issues)
        }
    }
}
