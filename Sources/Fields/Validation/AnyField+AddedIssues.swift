public import ModelKitValues

extension AnyField {
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
        addValidationErrors([issue], at: nil)
    }

    /// Adds what somebody else says against the value that the field had at a revision; if it was set
    /// since, nothing is added.
    package final func addValidationErrors(_ issues: [Issue], at revision: UInt64?) {
        if let followers = addValidationIssues(issues, at: revision) { refresh(followers) }
    }

    /// What others than the rules have said against the value, be it validated since or not.
    package final var addedIssues: [Issue] {
        if Tracking.isOn { noteAnswersRead() }
        return lock.withLock { details?.addedIssues(at: lastRevision) ?? [] }
    }

    /// Whether there are any; a computation that asks is not notified.
    package final var hasAddedIssues: Bool {
        lock.withLock { details?.addedIssues(at: lastRevision).isEmpty == false }
    }

    /// What is said of the value, and whether a rule has found it or others have said it.
    package final var issuesBySource: [(issue: Issue, isAdded: Bool)] {
        if Tracking.isOn { noteFindingsRead() }
        return lock.withLock {
            guard verdict != .unknown, let details else { return [] }
            var issues = details.issues.map { (issue: $0, isAdded: false) }
            var added = Set(details.addedIssues(at: lastRevision))
            // A rule may have found the same, and comes first.
            for index in issues.indices.reversed() {
                if added.isEmpty { break }
                if added.remove(issues[index].issue) != nil { issues[index].isAdded = true }
            }
            return issues
        }
    }

    /// Forgets what others than the rules have said against the value.
    package final func removeAddedIssues() {
        let old = lock.withLock { details?.added.take() }
        if old != nil { noteTakenBack() }
    }

    /// Forgets some issues that others than the rules have said.
    package final func removeAddedIssues(_ issues: Set<Issue>) {
        let old = lock.withLock { () -> [Issue]? in
            let known = details?.addedIssues(at: lastRevision) ?? []
            guard known.contains(where: issues.contains) else { return nil }
            details?.added = (lastRevision, known.filter { !issues.contains($0) })
            return known
        }
        if old != nil { noteTakenBack() }
    }

    /// Forgets what was found beside that, and notifies those who follow.
    private func noteTakenBack() {
        resetValidationState()
        let followers = lock.withLock { details?.followers(findings: false) }
        if let followers { notifyComputations(followers) }
    }

    /// Adds issues of the value that the field has, or had at a revision, to those of the rules.
    ///
    /// - Returns: Those who are to be notified; nil if nothing was added.
    final func addValidationIssues(
        _ issues: [Issue],
        at revision: UInt64?
    ) -> ValidationFollowers? {
        let hasElementRules = elementField?.hasRules ?? false
        let details = lockDetails()
        defer { lock.unlock() }
        if let revision, revision != lastRevision, revision != order.revision { return nil }
        let known = details.addedIssues(at: lastRevision)
        var seen = Set(known)
        let new = issues.filter { seen.insert($0).inserted }
        if new.isEmpty { return nil }
        details.added = (lastRevision, known + new)
        traits.insert(.judged)
        details.issues = (verdict == .unknown ? known : details.issues) + new
        if details.issues.isBlocking {
            verdict = .invalid
        } else if declaration?.ruleCount ?? 0 == 0, !hasElementRules {
            verdict = .valid
        }
        return details.followers()
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
