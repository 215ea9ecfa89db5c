extension Field {
    /// Adds a rule that a closure checks; nil passes it, unless `allowNil` is false.
    ///
    /// Rules are joined by AND, and checked in the order in which they were added.
    ///
    /// - Parameters:
    ///   - message: What a value that fails is told, as the end of a sentence: "must be even".
    ///   - allowNil: Whether nil passes; otherwise it "is required".
    ///   - test: Whether a value passes. It may be called on any thread, with no lock held.
    @discardableResult
    public final func require(
        _ message: String = "is invalid",
        allowNil: Bool = true,
        _ test: @escaping @Sendable (_ value: Value) -> Bool
    ) -> Self {
        require(Rule(message, allowNil: allowNil, test))
    }

    /// Adds a rule.
    @discardableResult
    public final func require(_ rule: Rule<Value>) -> Self {
        require([rule])
    }

    /// Adds rules, in this order.
    @discardableResult
    public final func require(_ rules: [Rule<Value>]) -> Self {
        let state = ensureState()
        lock.withLock {
            state.rules += rules
            verdict = .unknown
        }
        return self
    }

    /// The rules, in the order in which they were added.
    public final var rules: [Rule<Value>] { lock.withLock { state?.rules ?? [] } }

    final func validateValue() -> ValidationState {
        let (value, rules, revision) = lock.withLock { (storage, state?.rules ?? [], lastRevision) }
        var found: [Issue] = []
        for rule in rules { rule.check(value, at: [], into: &found) }
        let isValid = !found.contains { $0.severity == .error }
        let old = lock.withLock { () -> [Issue] in
            guard lastRevision == revision else { return [] }
            verdict = isValid ? .valid : .invalid
            let old = details?.issues ?? []
            details?.issues = found
            return old
        }
        withExtendedLifetime(old) {}
        return isValid ? .valid : .invalid(found.blockingMessages)
    }

    final func collectIssues(at path: FieldPath, into issues: inout [Issue]) {
        let (value, rules) = lock.withLock { (storage, state?.rules ?? []) }
        for rule in rules { rule.check(value, at: path, into: &issues) }
    }
}
