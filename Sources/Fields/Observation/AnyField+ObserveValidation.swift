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
        observeLive({ $0.state }, body)
    }

    /// Calls a closure with its owner and the validation state, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public final func observeValidationState<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        observeStates(owner, body)
    }

    /// Calls a closure with the validation state, the issues and whether async rules are asked: once
    /// now, then whenever one of them differs.
    ///
    /// As `observeValidationState` in all else.
    @discardableResult
    public final func observeValidationStatus(
        _ body: @escaping @Sendable (_ status: ValidationStatus) -> Void
    ) -> Observation {
        observeLive({ $0 }, body)
    }
}

extension OnMain {
    /// Calls a closure on the main thread with the validation state: once now, then whenever it
    /// differs.
    ///
    /// Of pending states only the newest is delivered.
    @discardableResult
    public func observeValidationState(
        _ body: @escaping @MainActor @Sendable (_ state: ValidationState) -> Void
    ) -> Observation {
        source.field.observeLive({ $0.state }, in: .main) { state in
            MainActor.assumeIsolated { body(state) }
        }
    }

    /// Calls a closure on the main thread with its owner and the validation state, while the
    /// owner lives.
    @discardableResult
    public func observeValidationState<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @MainActor @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        source.field.observeStates(owner, in: .main) { owner, state in
            MainActor.assumeIsolated { body(owner, state) }
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
        source.field.observeLive({ $0 }, in: .main) { status in
            MainActor.assumeIsolated { body(status) }
        }
    }
}

extension AnyField {
    /// Observes a part of the status, whose live validation is kept up as long as the closure.
    fileprivate final func observeLive<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (_ status: ValidationStatus) -> Part,
        in place: Place? = nil,
        _ body: @escaping @Sendable (_ part: Part) -> Void
    ) -> Observation {
        let (live, use) = listenLive()
        return ObserverList(live.status, in: place).observe { [use] old, new in
            guard let new = new.map(part), old.map(part) != new else { return }
            withExtendedLifetime(use) { body(new) }
        }
    }

    fileprivate final func observeStates<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        in place: Place? = nil,
        _ body: @escaping @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        let (live, use) = listenLive()
        return ObserverList(live.status, in: place).observe(owner) { [use] owner, old, new in
            guard let new, old?.state != new.state else { return }
            withExtendedLifetime(use) { body(owner, new.state) }
        }
    }
}
