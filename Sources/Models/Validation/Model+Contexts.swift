public import ModelKitFields

extension Model {
    /// Validates the model in contexts, and in no others: `article.validate(in: .publish)`.
    ///
    /// Its `check` asks `ValidationContext.publish.isCurrent`.
    ///
    /// - Returns: The state, as from `validate()`.
    @discardableResult
    public func validate(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> ValidationState {
        ValidationContext.withCurrent(Set([context] + more)) { validate() }
    }

    /// Validates the model in contexts, and waits until the async rules of its fields have answered.
    @discardableResult
    public func validated(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) async -> ValidationState {
        await ValidationContext.withCurrent(Set([context] + more)) { await validated() }
    }

    /// What is wrong with the model now in contexts: no field keeps it, and nobody is notified.
    public func currentIssues(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> [Issue] {
        ValidationContext.withCurrent(Set([context] + more)) { currentIssues() }
    }
}
