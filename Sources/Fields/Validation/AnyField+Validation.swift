extension AnyField {
    /// Validates the value unless that was done since it was last set.
    ///
    /// - Returns: The state, which is then known.
    @discardableResult
    public final func validateIfNeeded() -> ValidationState {
        let state = validationState
        return state == .unknown ? validate() : state
    }

    /// Forgets what the last validation found, as a set does.
    ///
    /// What was added against this value comes back with the next validation.
    public final func resetValidationState() {
        let stale = lock.withLock { () -> [Issue] in
            verdict = .unknown
            guard let details else { return [] }
            defer { details.issues = [] }
            return details.issues
        }
        withExtendedLifetime(stale) {}
    }

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
        addValidationIssue(issue, at: nil)
    }

    /// Adds an issue of the value that the field has, or had at a revision, to those of the rules.
    final func addValidationIssue(_ issue: Issue, at revision: UInt64?) {
        let details = lockDetails()
        defer { lock.unlock() }
        if let revision, revision != lastRevision { return }
        let known = details.addedIssues(at: lastRevision)
        if known.contains(issue) { return }
        details.added = (lastRevision, known + [issue])
        details.issues = verdict == .unknown ? known + [issue] : details.issues + [issue]
        verdict = details.issues.isBlocking ? .invalid : .valid
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
