public import ModelKitValues

extension AnyField {
    /// Validates the value unless that was done since it was last set.
    ///
    /// - Returns: The state, which is unknown only while async rules are asked.
    @discardableResult
    public final func validateIfNeeded() -> ValidationState {
        let state = validationState
        return state == .unknown ? validate() : state
    }

    /// Forgets what the last validation found, as a set does.
    ///
    /// What was added against this value comes back with the next validation.
    ///
    /// An async rule that is being asked is cancelled, and all are asked again by then.
    public final func resetValidationState() {
        lock.lock()
        let wasKnown = verdict != .unknown
        verdict = .unknown
        guard let details else { return lock.unlock() }
        let (issues, answers) = (details.issues, details.checks?.answers ?? [:])
        details.issues = []
        details.checks?.answers = [:]
        let run = details.checks?.run.take()
        let followers = details.followers(findings: wasKnown, answers: !answers.isEmpty)
        lock.unlock()
        withExtendedLifetime((issues, answers)) {}
        run?.end()
        // Where nothing was known this is no change: a computation that validates would never end.
        if wasKnown || !answers.isEmpty || run != nil { refresh(followers) }
    }

    /// What is wrong with the value now, warnings too: nothing is kept, and nobody is notified.
    ///
    /// It is for a button that is enabled only for a valid form, before the form shows any error. Of
    /// async rules it has what they have answered about this value, and asks none.
    public final func currentIssues() -> [Issue] {
        var issues: [Issue] = []
        ValidationPath.keepingNothing { findIssues(at: [], into: &issues) }
        return issues
    }

    /// Whether `currentIssues()` has no error.
    public final var isCurrentlyValid: Bool { !currentIssues().isBlocking }

    final var hasRules: Bool { lock.withLock { declaration?.ruleCount ?? 0 > 0 } }

    /// Whether the state is what rules found before a revision.
    package final func isValidated(before revision: UInt64) -> Bool {
        guard hasRules || elementField?.hasRules ?? false else { return false }
        if Tracking.isOn { noteFindingsRead() }
        return lock.withLock {
            verdict != .unknown && declaration?.issuesStart ?? .max < revision
        }
    }

    /// The revision after which the last validation began: what the rules have read beside the value may
    /// be another since.
    package final var issuesStart: UInt64 {
        lock.withLock { declaration?.issuesStart ?? .max }
    }

    /// What the rules demand of a value, as data.
    package final var ruleConstraint: Constraint { typed?.typedRuleConstraint ?? .all([]) }

    /// What the last validation found; none before it and after a set.
    public final var issues: [Issue] {
        if Tracking.isOn { noteValidationRead() }
        return lock.withLock { verdict == .unknown ? [] : details?.issues ?? [] }
    }

    /// Whether there are rules that take time.
    package final var hasAsyncRules: Bool { lock.withLock { details?.checks != nil } }

    /// What the last validation said; unknown before it and after every set.
    ///
    /// `observeValidationState` notifies when it differs, and a computed field that reads it follows.
    public final var validationState: ValidationState {
        if Tracking.isOn { noteValidationRead() }
        lock.lock()
        let (kept, issues) = (verdict, verdict == .invalid ? details?.issues ?? [] : [])
        lock.unlock()
        return ValidationState(kept, issues)
    }
}

extension TypedField {
    fileprivate var typedRuleConstraint: Constraint {
        Constraint(
            all: core.lock.withLock { core.declaration?.rules(of: Value.self) ?? [] }
                .map { $0.constraint }
        )
    }
}
