public import ModelKitValues

extension AnyField {
    /// Calls a closure with the validation state: once now, then whenever it differs.
    ///
    /// ```swift
    /// age.observeValidationState { state in saveButton.isEnabled = !state.isInvalid }
    /// ```
    ///
    /// The first call has what is known, which is nothing before the first validation. While
    /// somebody observes, the field validates by itself, as `validates(_:)` says. The closure runs
    /// like an observer of the value; `onMain` has the same method.
    @discardableResult
    public final func observeValidationState(
        _ body: @escaping @Sendable (_ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = listenLive()
        return live.state.register { [use] (state: ValidationState?) in
            withExtendedLifetime(use) { body(state ?? .unknown) }
        }
    }

    /// Calls a closure with its owner and the validation state, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public final func observeValidationState<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = listenLive()
        return live.state.register(owner) { [use] owner, state in
            withExtendedLifetime(use) { body(owner, state ?? .unknown) }
        }
    }

    /// Calls a closure with the validation state, the issues and whether async rules are asked: once
    /// now, then whenever one of them differs.
    ///
    /// As `observeValidationState` in all else.
    @discardableResult
    public final func observeValidationStatus(
        _ body: @escaping @Sendable (_ status: ValidationStatus) -> Void
    ) -> Observation {
        let (live, use) = listenLive()
        return live.status.register { [use] (status: ValidationStatus?) in
            withExtendedLifetime(use) { if let status { body(status) } }
        }
    }
}

extension FieldCore {
    fileprivate func register(
        _ body: @escaping @Sendable (_ value: Value?) -> Void
    ) -> Observation { register(Observer(.everySet, .value(body))) }

    fileprivate func register<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ value: Value?) -> Void
    ) -> Observation {
        let action = Observer<Value>.Action.owned { object, new in
            // The observer hands in the owner it was made with.
            body(unsafeDowncast(object, to: Owner.self), new)
        }
        return register(Observer(.everySet, owner: owner, action))
    }
}
