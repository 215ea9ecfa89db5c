extension AnyField {
    /// Validates the value in contexts, and in no others: `article.title.validate(in: .publish)`.
    ///
    /// - Returns: The state, which the field keeps with the contexts.
    @discardableResult
    public final func validate(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> ValidationState {
        ValidationContext.withCurrent(Set([context] + more)) { validate() }
    }

    /// Validates the value in contexts, unless that was done since it was last set, and no validation
    /// in others since then.
    @discardableResult
    public final func validateIfNeeded(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> ValidationState {
        ValidationContext.withCurrent(Set([context] + more)) { validateIfNeeded() }
    }

    /// Validates the value in contexts, and waits until its async rules have answered.
    @discardableResult
    public final func validated(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) async -> ValidationState {
        await ValidationContext.withCurrent(Set([context] + more)) { await validated() }
    }

    /// What is wrong with the value now in contexts, warnings too: nothing is kept, and nobody is notified.
    public final func currentIssues(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> [Issue] {
        ValidationContext.withCurrent(Set([context] + more)) { currentIssues() }
    }

    /// The contexts of the validation that has found the state; none while it is unknown.
    public final var validationContexts: Set<ValidationContext> {
        if Tracking.isOn { noteFindingsRead() }
        return lock.withLock { verdict == .unknown ? [] : details?.contexts ?? [] }
    }
}
