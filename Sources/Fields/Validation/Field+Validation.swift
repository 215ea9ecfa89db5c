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
    public final func require(_ rule: Rule<Value>) -> Self {
        require([rule])
    }

    /// Adds rules, in this order.
    @discardableResult
    public final func require(_ rules: [Rule<Value>]) -> Self {
        let state = ensureState()
        let followers = lock.withLock {
            state.rules += rules
            state.ruleCount += rules.count
            // Asking one rule of all is quicker than walking through them.
            state.allRules = state.rules.count == 1 ? state.rules[0] : .all(state.rules)
            verdict = .unknown
            return state.followers()
        }
        notifyComputations(followers)
        followChange()
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
        let state = ensureState()
        let made = Checks()
        let (run, followers) = lock.withLock {
            state.asyncRules.append(rule)
            state.ruleCount += 1
            if state.checks == nil { state.checks = made }
            verdict = .unknown
            return (state.checks?.takeRun(), state.followers())
        }
        run?.end()
        notifyComputations(followers)
        followChange()
        return self
    }

    /// The rules, in the order in which they were added.
    public final var rules: [Rule<Value>] { lock.withLock { state?.rules ?? [] } }

    /// The async rules, in the order in which they were added.
    public final var asyncRules: [AsyncRule<Value>] { lock.withLock { state?.asyncRules ?? [] } }

    /// What the rules and `known` say against the value, which the field keeps.
    @inlinable
    final func validateValue(adding known: [Issue]) -> Findings {
        let (value, basis, rule, asksOthers, isSpecial) = readTracked {
            var basis = ValidationBasis(revision: lastRevision)
            guard let state else { return (storage, basis, Rule<Value>?.none, false, hasClassForm) }
            basis.ruleCount = state.ruleCount
            let isSpecial = hasClassForm || state.holdsModels || state.live != nil
            return (storage, basis, state.allRules, state.checks != nil, isSpecial)
        }
        if isSpecial {
            return validateSpecially(value, by: rule, asksOthers, adding: known, on: basis)
        }
        var found: [Issue] = []
        rule?.check(value, at: [], into: &found)
        collectElementIssues(of: value, at: [], into: &found)
        if asksOthers {
            return ask(about: value, found, adding: known, on: basis)
        }
        return Findings(issues: keep(found, adding: known, on: basis))
    }

    /// The same where the value holds models, whose async rules may be asked, or what the rules read is
    /// followed.
    @usableFromInline @inline(never)
    final func validateSpecially(
        _ value: Value?,
        by rule: Rule<Value>?,
        _ asksOthers: Bool,
        adding known: [Issue],
        on basis: ValidationBasis
    ) -> Findings {
        let asyncRules = asksOthers ? asyncRules.filter(\.follows) : []
        let isPlain = rule == nil && elementField == nil && !hasClassForm && asyncRules.isEmpty
        let reads = isPlain ? nil : followedReads
        // Once the findings are kept.
        defer { reads?.catchUp() }
        let find = { [self] in
            var found: [Issue] = []
            rule?.check(value, at: [], into: &found)
            collectElementIssues(of: value, at: [], into: &found)
            if reads != nil { _ = Checks.followed(by: asyncRules) }
            return found
        }
        if holdsModels {
            return validateModels(asksOthers, about: value, adding: known, on: basis) {
                reads?.follow(find) ?? find()
            }
        }
        let found = reads?.follow(find) ?? find()
        if asksOthers { return ask(about: value, found, adding: known, on: basis) }
        return Findings(issues: keep(found, adding: known, on: basis))
    }

    /// The same of a value that holds models, of which a closure tells what is wrong with them.
    private func validateModels(
        _ asksOthers: Bool,
        about value: Value?,
        adding known: [Issue],
        on basis: ValidationBasis,
        _ find: () -> [Issue]
    ) -> Findings {
        guard let scope = CheckScope.current else {
            return CheckScope(askingAgain: true).run { _ in
                validateModels(asksOthers, about: value, adding: known, on: basis, find)
            }
        }
        let before = scope.noteCount
        let found = find()
        let added = lock.withLock { details?.addedIssues(at: basis.revision) ?? [] }
        let isBlocked = found.isBlocking || known.isBlocking || added.isBlocking
        if !isBlocked, scope.noteCount > before {
            let all = found + known
            if isUnchanged(since: basis) { resetValidationState() }
            return Findings(issues: all, isPending: true)
        }
        if asksOthers { return ask(about: value, found, adding: known, on: basis) }
        return Findings(issues: keep(found, adding: known, on: basis))
    }

    final func collectIssues(at path: FieldPath, into issues: inout [Issue]) {
        if Tracking.isOn { noteSayingsRead() }
        let (value, revision, rule, asyncRules) = readTracked {
            (storage, lastRevision, state?.allRules, state?.asyncRules ?? [])
        }
        let start = issues.count
        rule?.check(value, at: path, into: &issues)
        collectElementIssues(of: value, at: path, into: &issues)
        // Async rules may have answered in a context in which the others had nothing against it.
        let isBlocked = issues.isBlocking(from: start)
        let decided = isBlocked ? [:] : Checks.decide(asyncRules, about: value)
        let followed = Checks.followed(by: asyncRules)
        let later = lock.withLock {
            let checks = isBlocked ? nil : details?.checks
            let answered =
                checks?.issues(at: revision, following: followed, deciding: decided) ?? []
            return answered + (details?.addedIssues(at: revision) ?? [])
        }
        issues += later.map { $0.prefixed(by: path) }
    }
}

extension AnyField {
    /// Keeps what a validation found, unless the field was set or given a rule since, with what
    /// others than the rules have added.
    ///
    /// - Returns: All of it.
    @usableFromInline
    final func keep(
        _ found: [Issue],
        adding known: [Issue],
        on basis: ValidationBasis
    ) -> [Issue] {
        let isPlain = found.isEmpty && known.isEmpty
        // A field without rules has no place for issues until there is one.
        if !isPlain { _ = ensureDetails() }
        lock.lock()
        if isPlain, details?.hasNothingToTell ?? true {
            if isCurrent(basis) {
                verdict = .valid
                details?.issuesStart = basis.start
            }
            lock.unlock()
            return []
        }
        return keepLocked(found, adding: known, on: basis)
    }

    /// The same.
    ///
    /// Unlocks; the lock must be held, and there must be details. It is an answer if async rules have
    /// given one just now.
    final func keepLocked(
        _ found: [Issue],
        adding known: [Issue],
        on basis: ValidationBasis,
        isAnswer: Bool = false
    ) -> [Issue] {
        guard let details else {
            lock.unlock()
            return found + known
        }
        var all = found
        if details.added != nil { all += details.addedIssues(at: basis.revision) }
        if !known.isEmpty { all += known }
        var old: [Issue] = []
        var isNews = false
        if isCurrent(basis) {
            let found = all.isBlocking ? Verdict.invalid : .valid
            isNews = verdict != found
            // When it was found is news, too, where that tells whether it counts still.
            isNews = isNews || hasClassForm || details.holdsModels
            isNews = isNews || !all.isEmpty || !details.issues.isEmpty
            verdict = found
            old = details.issues
            details.issues = all
            details.issuesStart = basis.start
            details.includesKnown = !known.isEmpty
        }
        let followers = details.followers(findings: isNews, sayings: isAnswer)
        lock.unlock()
        withExtendedLifetime(old) {}
        refresh(followers)
        return all
    }

    /// Keeps that the value is valid, if there is nothing to ask about it and nobody to tell: then that is
    /// all that a validation does.
    ///
    /// - Returns: Whether that is so.
    package final func validateUnasked() -> Bool {
        if hasClassForm || Tracking.isOn || elementField != nil { return false }
        lock.lock()
        defer { lock.unlock() }
        if let details {
            guard details.ruleCount == 0, !details.holdsModels, details.hasNothingToTell else {
                return false
            }
            details.issuesStart = Revision.current
        }
        verdict = .valid
        return true
    }

    fileprivate final func isUnchanged(since basis: ValidationBasis) -> Bool {
        lock.withLock { isCurrent(basis) }
    }

    /// Whether the field was neither set nor given a rule since a validation began.
    ///
    /// The lock must be held.
    private func isCurrent(_ basis: ValidationBasis) -> Bool {
        lastRevision == basis.revision && details?.ruleCount ?? 0 == basis.ruleCount
    }
}

extension FieldDetails {
    /// Whether a validation that finds nothing changes nothing but the verdict.
    ///
    /// The lock must be held.
    fileprivate final var hasNothingToTell: Bool {
        issues.isEmpty && added == nil && live == nil && findingsMarker == nil
    }
}

/// What a validation began with.
@usableFromInline
struct ValidationBasis: Sendable {
    /// That of the value.
    @usableFromInline let revision: UInt64
    /// How many rules there were, async ones too.
    @usableFromInline var ruleCount = 0
    /// A set with a greater revision, also of what the rules have read beside, came later.
    @usableFromInline let start = Revision.current

    @inlinable
    init(revision: UInt64) { self.revision = revision }
}

/// What a validation found.
@usableFromInline
struct Findings {
    @usableFromInline let issues: [Issue]
    /// Whether async rules have not answered yet.
    @usableFromInline let isPending: Bool

    @inlinable
    init(issues: [Issue], isPending: Bool = false) {
        self.issues = issues
        self.isPending = isPending
    }

    /// Whether the value is valid, and there is nothing more to tell.
    @inlinable
    var isPlain: Bool { issues.isEmpty && !isPending }
}
