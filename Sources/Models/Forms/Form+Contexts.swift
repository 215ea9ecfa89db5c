public import ModelKitFields

extension Form {
    /// Validates every field that is enabled in contexts, and in no others.
    ///
    /// - Returns: The state. It becomes unknown where a field is validated in other contexts later,
    ///   as by itself when it is set.
    @discardableResult
    public func validate(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> ValidationState {
        ValidationContext.withCurrent(Set([context] + more)) { validate() }
    }

    /// Validates every field that is enabled in contexts, and waits until their async rules have
    /// answered.
    @discardableResult
    public func validated(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) async -> ValidationState {
        await ValidationContext.withCurrent(Set([context] + more)) { await validated() }
    }

    /// What is wrong with the form now in contexts: no field keeps it, and nobody is notified.
    public func currentIssues(
        in context: ValidationContext,
        _ more: ValidationContext...
    ) -> [Issue] {
        ValidationContext.withCurrent(Set([context] + more)) { currentIssues() }
    }

    /// Validates the form in contexts and does some work once, which is in the contexts, too: so
    /// `commit()` inside demands what they do.
    ///
    /// ```swift
    /// try await form.submit(in: .draft) { try form.commit() }   // what is missing may be
    /// ```
    ///
    /// - Returns: What the work returns.
    /// - Throws: What `submit` throws.
    @discardableResult
    public func submit<Result>(
        in context: ValidationContext,
        _ more: ValidationContext...,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async throws -> Result {
        try await ValidationContext.withCurrent(Set([context] + more), isolation: isolation) {
            try await submit(isolation: isolation, work)
        }
    }
}
