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
        // What was said of models that were changed since; not under the lock, which others hold while they say
        // something.
        let outdated = current.verdicts.outdated(IssueLookup())
        if !outdated.isEmpty { forget(outdated) }
        let (seen, run) = withContents { state in
            state.forgetSilentPlaces()
            state.validations.begun += 1
            return (state, state.validations.begun)
        }
        let found = seen.parts.enumerated().map { index, part in
            let reads = followedReads(ofPart: index, part)
            defer { reads?.catchUp() }
            var (revision, issues): (UInt64?, [Issue]) = (nil, [])
            // A check may set what it computes, of which those before it know nothing then.
            for _ in 0..<8 where part.revision != revision {
                revision = part.revision
                issues = part.validate(seen.isEnabled, reads).general
            }
            return (revision: revision ?? 0, issues: issues)
        }
        withContents { state in
            // One that began later may have ended sooner.
            guard state.validations.found < run else { return }
            state.validations.found = run
            state.found = found
        }
    }

    private func forget(_ outdated: [ModelVerdict]) {
        let moments = Dictionary(outdated.map { ($0.key, $0.moment) }) { max($0, $1) }
        func isOutdated(_ verdict: ModelVerdict) -> Bool {
            moments[verdict.key].map { $0 >= verdict.moment } ?? false
        }
        let dropped = withContents { state in
            let dropped = state.verdicts.filter(isOutdated)
            state.verdicts.removeAll(where: isOutdated)
            return dropped
        }
        for verdicts in Dictionary(grouping: dropped, by: { ObjectIdentifier($0.field) }).values {
            verdicts[0].field.removeAddedIssues(Set(verdicts.map(\.issue)))
        }
        // Said again meanwhile.
        let keys = dropped.keys
        for verdict in current.verdicts where keys.contains(verdict.key) {
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
    /// It is invalid if anything is, otherwise unknown if a field is, as it was set since.
    public var state: ValidationState {
        let (issues, isUnknown) = look()
        let errors = issues.filter { $0.issue.severity == .error }
        if !errors.isEmpty { return .invalid(errors.map(\.description)) }
        return isUnknown ? .unknown : .valid
    }
}
