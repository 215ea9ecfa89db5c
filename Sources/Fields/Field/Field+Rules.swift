public import ModelKitValues

extension Field {
    /// Adds a rule that a closure checks; nil passes it, unless `allowNil` is false.
    ///
    /// Rules are joined by AND, and checked in the order in which they were added.
    ///
    /// - Parameters:
    ///   - message: What is wrong with a value that fails, as the end of a sentence: "must be even".
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
    @inlinable
    public final func require(_ rule: Rule<Value>) -> Self {
        addRule(rule.core)
        return self
    }

    /// Adds rules, in this order.
    @discardableResult
    public final func require(_ rules: [Rule<Value>]) -> Self {
        addRules(rules.count) { declaration in
            declaration.append(contentsOf: rules.map { $0.core })
            return nil
        }
        return self
    }

    /// Adds a rule that takes time, which is asked when the others have nothing against a value.
    ///
    /// ```swift
    /// let email = Field<String>().require(.email).require(
    ///     AsyncRule("is taken", code: "taken") { try await api.isFree($0) }
    /// )
    /// await email.validated()   // .invalid(["is taken"])
    /// ```
    @discardableResult
    public final func require(_ rule: AsyncRule<Value>) -> Self {
        let made = Checks()
        let state = ensureState()
        addRules(1) { _ in
            state.asyncRules.append(rule)
            if state.rawChecks == nil { state.rawChecks = made }
            return state.checks?.run.take()
        }
        return self
    }

    /// The rules, in the order in which they were added.
    public final var rules: [Rule<Value>] {
        lock.withLock { declaration?.rules(of: Value.self) ?? [] }
    }

    /// The async rules, in the order in which they were added.
    public final var asyncRules: [AsyncRule<Value>] { lock.withLock { state?.asyncRules ?? [] } }

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
    public final func requireNotNil() -> Self { require(.required) }
}

extension AnyField {
    /// Adds a rule by its core.
    @usableFromInline
    final func addRule(_ core: AnyObject) {
        addRules(1) { declaration in
            declaration.append(core)
            return nil
        }
    }

    /// Adds rules by a closure, which runs under the lock and gives the run that asks without them.
    fileprivate final func addRules(_ count: Int, _ add: (Declaration) -> CheckRun?) {
        let declaration = ensureDeclaration()
        let (run, followers) = lock.withLock {
            declaration.ruleCount += count
            verdict = .unknown
            return (add(declaration), details?.followers())
        }
        run?.end()
        guard let followers else { return }
        notifyComputations(followers)
        followChange()
    }
}
