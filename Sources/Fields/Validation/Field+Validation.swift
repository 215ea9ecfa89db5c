extension Field {
    /// Adds a rule that a closure checks; nil passes it, unless `allowNil` is false.
    ///
    /// Rules are joined by AND, and checked in the order in which they were added.
    ///
    /// - Parameters:
    ///   - message: What a value that fails is told, as the end of a sentence: "must be even".
    ///   - allowNil: Whether nil passes; otherwise it "is required".
    ///   - test: Whether a value passes. It may be called on any thread, with no lock held.
    /// - Returns: The field, so that rules can be chained in its declaration.
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
            // Asking one rule of all is quicker than walking through them.
            state.allRules = .all(state.rules)
            verdict = .unknown
        }
        return self
    }

    /// The rules, in the order in which they were added.
    public final var rules: [Rule<Value>] { lock.withLock { state?.rules ?? [] } }

    final func validateValue(adding known: [Issue]) -> [Issue] {
        let (value, rule, revision) = lock.withLock { (storage, state?.allRules, lastRevision) }
        var found: [Issue] = []
        rule?.check(value, at: [], into: &found)
        collectElementIssues(at: [], into: &found)
        found += known
        // A field without rules has no place for issues until there is one.
        if !found.isEmpty { _ = ensureDetails() }
        let old = lock.withLock { () -> [Issue] in
            guard lastRevision == revision else { return [] }
            verdict = found.isBlocking ? .invalid : .valid
            guard let details, !(details.issues.isEmpty && found.isEmpty) else { return [] }
            let old = details.issues
            details.issues = found
            return old
        }
        withExtendedLifetime(old) {}
        return found
    }

    final func collectIssues(at path: FieldPath, into issues: inout [Issue]) {
        let (value, rule) = lock.withLock { (storage, state?.allRules) }
        rule?.check(value, at: path, into: &issues)
        collectElementIssues(at: path, into: &issues)
    }
}
