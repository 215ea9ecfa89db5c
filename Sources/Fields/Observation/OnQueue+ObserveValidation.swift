public import ModelKitValues

extension OnQueue {
    /// Calls a closure on the queue with the validation state: once soon, then whenever it
    /// differs.
    ///
    /// Of pending states only the newest is delivered.
    @discardableResult
    public func observeValidationState(
        _ body: @escaping @Sendable (_ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnQueue<ValidationState>(field: live.state, queue: queue).observe {
            [use] (state: ValidationState?) in
            withExtendedLifetime(use) { body(state ?? .unknown) }
        }
    }

    /// Calls a closure on the queue with its owner and the validation state, while the
    /// owner lives.
    @discardableResult
    public func observeValidationState<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnQueue<ValidationState>(field: live.state, queue: queue).observe(owner) {
            [use] owner, state in
            withExtendedLifetime(use) { body(owner, state ?? .unknown) }
        }
    }

    /// Calls a closure on the queue with the validation status: once soon, then whenever it
    /// differs.
    ///
    /// Of pending ones only the newest is delivered.
    @discardableResult
    public func observeValidationStatus(
        _ body: @escaping @Sendable (_ status: ValidationStatus) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnQueue<ValidationStatus>(field: live.status, queue: queue).observe {
            [use] (status: ValidationStatus?) in
            withExtendedLifetime(use) { if let status { body(status) } }
        }
    }

    /// Calls a closure on the queue with its owner and the validation status, while the
    /// owner lives.
    @discardableResult
    public func observeValidationStatus<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ status: ValidationStatus) -> Void
    ) -> Observation {
        let (live, use) = field.listenLive()
        return OnQueue<ValidationStatus>(field: live.status, queue: queue).observe(owner) {
            [use] owner, status in
            withExtendedLifetime(use) { if let status { body(owner, status) } }
        }
    }
}
