extension AnyField {
    /// Validates the value unless that was done since it was last set, in the contexts of the task.
    ///
    /// - Returns: The state, which is unknown only while async rules are asked.
    @discardableResult
    public final func validateIfNeeded() -> ValidationState {
        let (state, contexts) = (validationState, validationContexts)
        return state == .unknown || contexts != ValidationContext.current ? validate() : state
    }

    /// Forgets what the last validation found, as a set does.
    ///
    /// What was added against this value comes back with the next validation.
    ///
    /// An async rule that is being asked is cancelled, and all are asked again by then.
    public final func resetValidationState() {
        lock.lock()
        verdict = .unknown
        guard let details else { return lock.unlock() }
        let stale = (details.issues, details.checks?.answers)
        details.issues = []
        details.checks?.answers = [:]
        let run = details.checks?.takeRun()
        let live = details.live
        lock.unlock()
        withExtendedLifetime(stale) {}
        run?.end()
        if let live { refresh(live) }
    }

    /// What is wrong with the value now, warnings too: nothing is kept, and nobody is told.
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

    /// Adds what somebody else says against the value, such as a server: the message ends a sentence.
    ///
    /// ```swift
    /// email.addValidationError("is taken already", code: "unique")
    /// email.validate()         // .invalid(["is taken already"]), until the field is set
    /// ```
    ///
    /// The state is then `.invalid`. Every validation finds it again, beside what the rules say,
    /// until the field is set, also to the same value.
    public final func addValidationError(_ message: String, code: String = "custom") {
        addValidationError(Issue(code: code, message: message))
    }

    /// Adds what somebody else says against the value; its path is seen from the value.
    ///
    /// One that is below an error does not make the value invalid.
    public final func addValidationError(_ issue: Issue) {
        addValidationError(issue, at: nil)
    }

    /// Adds what somebody else says against the value that the field had at a revision; if it was set
    /// since, nothing is added.
    package final func addValidationError(_ issue: Issue, at revision: UInt64?) {
        if let live = addValidationIssue(issue, at: revision) { refresh(live) }
    }

    private var hasRules: Bool { lock.withLock { details?.ruleCount ?? 0 > 0 } }

    /// Whether others than the rules have said something against the value.
    package final var hasAddedIssues: Bool {
        lock.withLock { details?.addedIssues(at: lastRevision).isEmpty == false }
    }

    /// Forgets what others than the rules have said against the value.
    package final func removeAddedIssues() {
        let old = lock.withLock { details?.added.take() }
        if old != nil { resetValidationState() }
    }

    /// Forgets one issue that others than the rules have said.
    package final func removeAddedIssue(_ issue: Issue) {
        let old = lock.withLock { () -> [Issue]? in
            let known = details?.addedIssues(at: lastRevision) ?? []
            guard known.contains(issue) else { return nil }
            details?.added = (lastRevision, known.filter { $0 != issue })
            return known
        }
        if old != nil { resetValidationState() }
    }

    /// Whether the state is what rules found before a revision.
    package final func isValidated(before revision: UInt64) -> Bool {
        guard hasRules || elementField?.hasRules ?? false else { return false }
        return lock.withLock {
            verdict != .unknown && details?.issuesStart ?? .max < revision
        }
    }

    /// Whether an issue is one that a validation found which began before a revision, so that what the
    /// rules have read beside the value may be another.
    package final func isFound(_ issue: Issue, before revision: UInt64) -> Bool {
        lock.withLock {
            guard let details, details.issuesStart < revision else { return false }
            return !details.addedIssues(at: lastRevision).contains(issue)
        }
    }

    /// Adds an issue of the value that the field has, or had at a revision, to those of the rules.
    ///
    /// - Returns: What is to be refreshed.
    final func addValidationIssue(_ issue: Issue, at revision: UInt64?) -> LiveValidation? {
        let hasElementRules = elementField?.hasRules ?? false
        let details = lockDetails()
        defer { lock.unlock() }
        if let revision, revision != lastRevision, revision != order.revision { return nil }
        let known = details.addedIssues(at: lastRevision)
        if known.contains(issue) { return nil }
        details.added = (lastRevision, known + [issue])
        details.issues = verdict == .unknown ? known + [issue] : details.issues + [issue]
        if details.issues.isBlocking {
            verdict = .invalid
        } else if details.ruleCount == 0, !hasElementRules {
            verdict = .valid
        }
        return details.live
    }
}

extension FieldDetails {
    /// What others than the rules say against the value of a revision.
    ///
    /// The lock must be held.
    @usableFromInline
    final func addedIssues(at revision: UInt64) -> [Issue] {
        if let added, added.revision == revision { added.issues } else { [] }
    }
}
