public import ModelKitValues

extension Field {
    /// Adds the rule that something stands for.
    @discardableResult
    public final func require(_ rule: some RuleConvertible<Value>) -> Self {
        require(rule.rule)
    }

    /// Adds rules of several types, in this order.
    @discardableResult
    @_disfavoredOverload  // a list of rules alone is one of `Rule`s, so that `.required` is found
    public final func require(_ rules: [any RuleConvertible<Value>]) -> Self {
        require(rules.map { $0.rule })
    }

    /// Adds a rule that a closure checks, its parts by name.
    @discardableResult
    @_disfavoredOverload  // a closure alone is the one without names
    public final func require(
        message: String = "is invalid",
        allowNil: Bool = true,
        test: @escaping @Sendable (_ value: Value) -> Bool
    ) -> Self {
        require(message, allowNil: allowNil, test)
    }

    /// Has nil be no value: it "is required".
    @discardableResult
    public final func requireNotNil() -> Self {
        require(.required)
    }
}
