public import ModelKitValues

extension FieldCore {
    /// What the rules and `known` say against the value, which the field keeps.
    ///
    /// Where the type is known to the compiler, it leaves one of these calls.
    @inlinable @inline(__always)
    final func validateKnown(adding known: [Issue]) -> Findings {
        if Value.self == String.self { return cast(to: String.self).validateValue(adding: known) }
        if Value.self == Int.self { return cast(to: Int.self).validateValue(adding: known) }
        if Value.self == Double.self { return cast(to: Double.self).validateValue(adding: known) }
        if Value.self == Bool.self { return cast(to: Bool.self).validateValue(adding: known) }
        return validateValue(adding: known)
    }

    /// What the rules and `known` say against the value, which the field keeps.
    @inlinable
    final func validateValue(adding known: [Issue]) -> Findings {
        var basis = ValidationBasis(revision: 0, knowing: [])
        var rule: RuleCore<Value>?
        var (asksOthers, isSpecial) = (false, false)
        // No closure, which is not always inlined; of a tuple with the value, metadata would be looked up.
        @inline(__always)
        func read() -> Value? {
            basis = ValidationBasis(revision: lastRevision, knowing: known)
            isSpecial = hasClassForm
            keptDeclaration?._withUnsafeGuaranteedRef { declaration in
                basis.ruleCount = declaration.ruleCount
                isSpecial = isSpecial || declaration.mustJoinRules
                rule = declaration.knownRule(of: Value.self)
            }
            keptDetails?._withUnsafeGuaranteedRef { details in
                asksOthers = details.rawChecks != nil
                isSpecial = isSpecial || details.holdsModels || details.rawLive != nil
            }
            return storage
        }
        let value = readTracked(read)
        if isSpecial {
            return validateSpecially(value, by: rule, asksOthers, on: basis)
        }
        var found: [Issue] = []
        rule?.check(value, at: [], into: &found)
        collectElementIssues(of: value, at: [], into: &found)
        if asksOthers { return ask(about: value, found, on: basis) }
        return Findings(issues: keep(found, on: basis))
    }

    /// The same where the value holds models, whose async rules may be asked, what the rules read is followed, or
    /// they are still to be joined.
    @usableFromInline @inline(never)
    final func validateSpecially(
        _ value: Value?,
        by rule: RuleCore<Value>?,
        _ asksOthers: Bool,
        on basis: ValidationBasis
    ) -> Findings {
        let holdsModels = holdsModels
        let scope = holdsModels ? CheckScope.current : nil
        if holdsModels, scope == nil {
            return CheckScope(askingAgain: true).run { _ in
                validateSpecially(value, by: rule, asksOthers, on: basis)
            }
        }
        let rule = rule ?? lock.withLock { declaration?.joinRules(of: Value.self) }
        let asyncRules =
            asksOthers ? lock.withLock { state?.asyncRules }?.filter { $0.follows } : nil
        let isPlain =
            rule == nil && elementField == nil && !hasClassForm && asyncRules?.isEmpty ?? true
        let reads = isPlain ? nil : followedReads
        // Once the findings are kept.
        defer { reads?.catchUp() }
        let find = { [self] in
            var found: [Issue] = []
            rule?.check(value, at: [], into: &found)
            collectElementIssues(of: value, at: [], into: &found)
            if reads != nil, let asyncRules { _ = Checks.followed(by: asyncRules) }
            return found
        }
        let noted = scope?.noteCount
        let found = reads?.follow(find) ?? find()
        if scope?.noteCount != noted {
            let added = lock.withLock { details?.addedIssues(at: basis.revision) ?? [] }
            let all = found + basis.known
            if !all.isBlocking, !added.isBlocking {
                if lock.withLock({ isCurrent(basis) }) { resetValidationState() }
                return Findings(issues: all, isPending: true)
            }
        }
        if asksOthers { return ask(about: value, found, on: basis) }
        return Findings(issues: keep(found, on: basis))
    }

    final func collectIssues(at path: FieldPath, into issues: inout [Issue]) {
        if Tracking.isOn { noteAnswersRead() }
        let (value, revision, rule, asyncRules) = readTracked {
            (
                storage, lastRevision, declaration?.joinRules(of: Value.self),
                state?.asyncRules ?? []
            )
        }
        let start = issues.count
        rule?.check(value, at: path, into: &issues)
        collectElementIssues(of: value, at: path, into: &issues)
        // Async rules may have answered in a context in which the others had nothing against it.
        let isBlocked = issues.isBlocking(from: start)
        let decided = isBlocked ? [:] : Checks.decide(asyncRules, about: value)
        let followed = isBlocked ? [] : Checks.followed(by: asyncRules)
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
    final func keep(_ found: [Issue], on basis: ValidationBasis) -> [Issue] {
        let isPlain = found.isEmpty && basis.known.isEmpty
        // A field without rules has no place for issues until there is one.
        if !isPlain { _ = ensureDetails() }
        lock.lock()
        if isPlain, keptDetails?._withUnsafeGuaranteedRef({ $0.hasNothingToReport }) ?? true {
            if isCurrent(basis) {
                verdict = .valid
                keptDeclaration?._withUnsafeGuaranteedRef { $0.issuesStart = basis.start }
            }
            lock.unlock()
            return []
        }
        return keepLocked(found, on: basis)
    }

    /// The same.
    ///
    /// Unlocks; the lock must be held, and there must be details. It is an answer if async rules have
    /// given one just now.
    final func keepLocked(
        _ found: [Issue],
        on basis: ValidationBasis,
        isAnswer: Bool = false
    ) -> [Issue] {
        guard let details else {
            lock.unlock()
            return found + basis.known
        }
        var all = found
        if details.added != nil { all += details.addedIssues(at: basis.revision) }
        all += basis.known
        var old: [Issue] = []
        var hasChanged = false
        if isCurrent(basis) {
            let found = all.isBlocking ? Verdict.invalid : .valid
            hasChanged = verdict != found
            // When it was found is a change, too, where that shows whether it counts still.
            hasChanged = hasChanged || hasClassForm || details.holdsModels
            hasChanged = hasChanged || !all.isEmpty || !details.issues.isEmpty
            verdict = found
            old = details.issues
            details.issues = all
            declaration?.issuesStart = basis.start
            details.includesKnown = !basis.known.isEmpty
        }
        let followers = details.followers(findings: hasChanged, answers: isAnswer)
        lock.unlock()
        withExtendedLifetime(old) {}
        refresh(followers)
        return all
    }

    /// Keeps that the value is valid, if there is nothing to ask about it and nobody to notify: then that is
    /// all that a validation does.
    ///
    /// - Returns: Whether that is so.
    package final func validateUnasked() -> Bool {
        if hasClassForm || Tracking.isOn || elementField?.hasRules ?? false { return false }
        lock.lock()
        defer { lock.unlock() }
        let hasRules = keptDeclaration?._withUnsafeGuaranteedRef { $0.ruleCount > 0 } ?? false
        let isAsking =
            keptDetails?._withUnsafeGuaranteedRef { $0.holdsModels || !$0.hasNothingToReport }
            ?? false
        if hasRules || isAsking { return false }
        keptDeclaration?._withUnsafeGuaranteedRef { $0.issuesStart = Revision.current }
        verdict = .valid
        return true
    }

    /// Whether the field was neither set nor given a rule since a validation began.
    ///
    /// The lock must be held.
    final func isCurrent(_ basis: ValidationBasis) -> Bool {
        let ruleCount = keptDeclaration?._withUnsafeGuaranteedRef { $0.ruleCount } ?? 0
        return lastRevision == basis.revision && ruleCount == basis.ruleCount
    }
}

extension FieldDetails {
    /// Whether a validation that finds nothing changes nothing but the verdict.
    ///
    /// The lock must be held.
    fileprivate final var hasNothingToReport: Bool {
        issues.isEmpty && added == nil && live == nil && findingsMarker == nil
    }
}
