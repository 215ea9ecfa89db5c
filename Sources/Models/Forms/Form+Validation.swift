public import ModelKitFields

extension Form {
    /// Validates every field that is enabled, and the models by their `check`.
    ///
    /// - Returns: The state.
    @discardableResult
    public func validate() -> ValidationState {
        asOneChange { validateParts() }
        return state
    }

    private func validateParts() {
        forgetOutdated()
        let (seen, run) = withContents { state in
            state.validations.begun += 1
            return (state, state.validations.begun)
        }
        let found = seen.parts.map { part in
            var (revision, issues): (UInt64?, [Issue]) = (nil, [])
            // A check may set what it computes, of which those before it know nothing then.
            for _ in 0..<8 where part.revision != revision {
                revision = part.revision
                issues = part.validate(seen.isEnabled).general
            }
            return (revision: revision ?? 0, issues: issues)
        }
        let contexts = ValidationContext.current
        withContents { state in
            // One that began later may have ended sooner.
            guard state.validations.found < run else { return }
            state.validations.found = run
            state.found = found
            state.contexts = contexts
        }
    }

    /// Forgets what was said of models that were changed since, and where nothing is said any more.
    private func forgetOutdated() {
        // Not under the lock, which others hold while they say something.
        let outdated = current.verdicts.filter(\.isOutdated)
        if !outdated.isEmpty { forget(outdated) }
        withContents { $0.forgetSilentPlaces() }
    }

    private func forget(_ outdated: [ModelVerdict]) {
        let dropped = withContents { state in
            let dropped = state.verdicts.filter { old in
                outdated.contains { $0.isSame(as: old) }
            }
            state.verdicts.removeAll { old in dropped.contains { $0.isSame(as: old) } }
            return dropped
        }
        for verdict in dropped { verdict.field.removeAddedIssue(verdict.issue) }
        // Said again meanwhile.
        for verdict in current.verdicts
        where dropped.contains(where: { $0.isSaid(verdict.issue, of: verdict.field) }) {
            verdict.field.addValidationError(verdict.issue)
        }
    }

    /// Validates every field that is enabled, and waits until their async rules have answered.
    ///
    /// All fields ask at once. One that is set meanwhile is validated again, and waited for.
    /// Cancelling the task ends the wait, but not the asking.
    ///
    /// - Returns: The state.
    @discardableResult
    public func validated() async -> ValidationState {
        await CheckScope.untilAnswered { _ in validate() }
    }

    /// What is known about whether the form is valid.
    ///
    /// It is invalid if anything is, otherwise unknown if a field is, as it was set since, or was
    /// validated in other contexts than the form.
    public var state: ValidationState {
        let (issues, isUnknown) = look()
        let errors = issues.filter { $0.issue.severity == .error }
        if !errors.isEmpty { return .invalid(errors.map(\.description)) }
        return isUnknown ? .unknown : .valid
    }
}
