public import ModelKitFields

extension Form {
    /// What is known about whether the form is valid, to be observed:
    /// `form.validity.onMain --> { state in save.isEnabled = state == .valid }`.
    ///
    /// It is `state`, delivered when it differs: once after `validate()`, however many fields there are.
    /// While somebody observes, each field validates by itself when it is set, as its `validates(_:)`
    /// says. Of a form with a model that has a `check` the state is unknown, or invalid, until the first
    /// `validate()`; from then on, while somebody observes, `check` is called again when a field differs that
    /// it has read, in a `batch` once. It lives as long as the form.
    public var validity: Computed<ValidationState> {
        if let made = madeValidity.withLock({ $0 }) { return made }
        let new = Computed { [weak self] in self?.observedState }
        return madeValidity.withLock { made in
            let validity = made ?? new
            made = validity
            return validity
        }
    }

    /// Calls a closure with the state: once now, then whenever it differs.
    ///
    /// ```swift
    /// form.observeState { state in print(state) }   // unknown
    /// form.validate()                               // invalid(["Name is required"])
    /// ```
    ///
    /// As `validity` in all else.
    ///
    /// - Returns: What ends it, which may be dropped.
    @discardableResult
    public func observeState(
        _ body: @escaping @Sendable (_ state: ValidationState) -> Void
    ) -> Observation {
        validity.observe { (state: ValidationState?) in body(state ?? .unknown) }
    }

    /// Calls a closure with its owner and the state, while the owner lives.
    ///
    /// The owner is held weakly and handed in, so that the closure need not capture it.
    @discardableResult
    public func observeState<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ body: @escaping @Sendable (_ owner: Owner, _ state: ValidationState) -> Void
    ) -> Observation {
        validity.observe(owner) { owner, _, state in body(owner, state ?? .unknown) }
    }

    /// The states as a sequence: the present one, then each that differs from the one before.
    ///
    /// A slow consumer gets the newest next. An iterator observes from its creation on; it ends when its
    /// task is cancelled, when it is released, and with the form, which it does not hold.
    public var states: some AsyncSequence<ValidationState, Never> & Sendable {
        validity.values.compactMap { $0 }
    }

    /// The state; during a change of several steps the one before.
    private var observedState: ValidationState {
        _ = marker.value
        let before = current
        if before.openChanges > 0, let reported = before.reportedState { return reported.state }
        let moment = Revision.current
        let state = state
        return withContents { contents in
            // Half of a change may be in it, whose end has this made again.
            if contents.openChanges > 0 || contents.changeCount != before.changeCount {
                return contents.reportedState?.state ?? state
            }
            if contents.reportedState?.moment ?? 0 <= moment {
                contents.reportedState = (state, moment)
            }
            return state
        }
    }

    /// Makes a change of several steps, of which observers of the state are notified once.
    func asOneChange(_ body: () -> Void) {
        // What is reported meanwhile.
        if madeValidity.withLock({ $0 != nil }) { untracked { _ = observedState } }
        withContents {
            $0.openChanges += 1
            $0.changeCount += 1
        }
        body()
        withContents { $0.openChanges -= 1 }
        marker.touch()
    }
}
