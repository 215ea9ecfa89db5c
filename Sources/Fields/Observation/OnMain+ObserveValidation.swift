public import ModelKitValues

extension OnMain {
    /// Calls a closure on the main thread with the validation state: once now, then whenever it
    /// differs.
    ///
    /// Of pending states only the newest is delivered.
    @discardableResult
    public func observeValidationState(
        _ body: @escaping @MainActor @Sendable (_ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnMain<ValidationState>(field: live.state).observe {
            [use] (state: ValidationState?) in
            withExtendedLifetime(use) { body(state ?? .unknown) }
        }
    }

    /// Calls a closure on the main thread with its owner and the validation state, while the
    /// owner lives.
    @discardableResult
    public func observeValidationState<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @MainActor @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnMain<ValidationState>(field: live.state).observe(owner) { [use] owner, state in
            withExtendedLifetime(use) { body(owner, state ?? .unknown) }
        }
    }

    /// Calls a closure on the main thread with the validation status: once now, then whenever it
    /// differs.
    ///
    /// Of pending ones only the newest is delivered.
    @discardableResult
    public func observeValidationStatus(
        _ body: @escaping @MainActor @Sendable (_ status: ValidationStatus) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnMain<ValidationStatus>(field: live.status).observe {
            [use] (status: ValidationStatus?) in
            withExtendedLifetime(use) { if let status { body(status) } }
        }
    }
}
