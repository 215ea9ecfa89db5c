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
            state.ruleCount = state.rules.count
            // Asking one rule of all is quicker than walking through them.
            state.allRules = state.rules.count == 1 ? state.rules[0] : .all(state.rules)
            verdict = .unknown
        }
        return self
    }

    /// The rules, in the order in which they were added.
    public final var rules: [Rule<Value>] { lock.withLock { state?.rules ?? [] } }

    /// What the rules and `known` say against the value, which the field keeps.
    @inlinable
    final func validateValue(adding known: [Issue]) -> [Issue] {
        lock.lock()
        let value = storage
        let rule = state?.allRules
        let ruleCount = state?.ruleCount ?? 0
        let revision = lastRevision
        let added = details?.addedIssues(at: revision) ?? []
        lock.unlock()
        var found: [Issue] = []
        rule?.check(value, at: [], into: &found)
        collectElementIssues(of: value, at: [], into: &found)
        found += added
        found += known
        keep(found, of: revision, by: ruleCount)
        return found
    }

    final func collectIssues(at path: FieldPath, into issues: inout [Issue]) {
        let (value, rule, added) = lock.withLock {
            (storage, state?.allRules, details?.addedIssues(at: lastRevision) ?? [])
        }
        rule?.check(value, at: path, into: &issues)
        collectElementIssues(of: value, at: path, into: &issues)
        issues += added.map { $0.prefixed(by: path) }
    }
}

extension AnyField {
    /// Keeps what a validation found, unless the field was set or given a rule since.
    @usableFromInline
    final func keep(_ found: [Issue], of revision: UInt64, by ruleCount: Int) {
        // A field without rules has no place for issues until there is one.
        if !found.isEmpty { _ = ensureDetails() }
        lock.lock()
        guard lastRevision == revision, details?.ruleCount ?? 0 == ruleCount else {
            return lock.unlock()
        }
        verdict = found.isBlocking ? .invalid : .valid
        var old: [Issue] = []
        if let details, !(details.issues.isEmpty && found.isEmpty) {
            old = details.issues
            details.issues = found
        }
        lock.unlock()
        withExtendedLifetime(old) {}
    }
}
