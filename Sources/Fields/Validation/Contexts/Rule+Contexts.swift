extension Rule {
    /// The rule, asked only in some contexts; elsewhere everything passes.
    ///
    /// ```swift
    /// let summary = Field<String>().require(.notBlank.on(.publish))
    /// ```
    public func on(_ context: ValidationContext, _ more: ValidationContext...) -> Rule {
        let contexts = Set([context] + more)
        return asked(.on(contexts, constraint)) { !contexts.isDisjoint(with: $0) }
    }

    /// The rule, asked in all contexts and in none, but not in some.
    ///
    /// ```swift
    /// let title = Field<String>().require(.required.except(on: .draft))
    /// ```
    public func except(
        on context: ValidationContext,
        _ more: ValidationContext...
    ) -> Rule {
        let contexts = Set([context] + more)
        return asked(.except(on: contexts, constraint)) { contexts.isDisjoint(with: $0) }
    }

    private func asked(
        _ constraint: Constraint,
        _ isAsked: @escaping @Sendable (Set<ValidationContext>) -> Bool
    ) -> Rule {
        Rule(constraint: constraint, canWarn: core.canWarn) { [core] value, asking, issues in
            asking != .failure && !isAsked(ValidationContext.current)
                || core.body(value, asking, &issues)
        }
    }
}

extension AsyncRule {
    /// The rule, asked only in some contexts; elsewhere everything passes.
    public func on(_ context: ValidationContext, _ more: ValidationContext...) -> AsyncRule {
        let contexts = Set([context] + more)
        return when { _ in !contexts.isDisjoint(with: ValidationContext.current) }
    }

    /// The rule, asked in all contexts and in none, but not in some.
    public func except(
        on context: ValidationContext,
        _ more: ValidationContext...
    ) -> AsyncRule {
        let contexts = Set([context] + more)
        return when { _ in contexts.isDisjoint(with: ValidationContext.current) }
    }
}
