extension AnyField {
    /// Says when the field validates by itself while somebody observes its validation; at first it
    /// is `.onChange`.
    ///
    /// - Returns: The field, so that it can be written in its declaration.
    @discardableResult
    public final func validates(_ mode: ValidationMode) -> Self {
        let details = lockDetails()
        details.validationMode = mode
        lock.unlock()
        return self
    }

    /// When the field validates by itself while somebody observes its validation.
    public final var validationMode: ValidationMode {
        lock.withLock { details?.validationMode ?? .onChange }
    }

    /// Follows a set or a new rule as the mode says, and lets go of answers that have been superseded.
    final func followChange() {
        lock.lock()
        let live = details?.live
        let mode = details?.validationMode
        let isValidated = verdict != .unknown && details?.live?.validatedAt == lastRevision
        let isEditing = traits.contains(.held)
        let stale = details?.checks?.takeRun(unless: lastRevision)
        details?.live?.followedAt = lastRevision
        lock.unlock()
        stale?.end()
        guard let live else { return }
        guard live.isObserved else { return refresh(live) }
        switch mode {
        case .onChange where !isValidated: validateOutside()
        case .onCommit where !isEditing: validateOutside()
        default: refresh(live)
        }
    }

    /// Validates as no part of a validation that the task may be in.
    final func validateOutside() { TaskValues.outsideValidation { _ = validate() } }

    /// Keeps bindings from changing the value while somebody edits it, until `endEditing()`.
    ///
    /// A text that is being composed is not taken from under the cursor. The field's own sets go on,
    /// also along its bindings. Several may edit at once; the last one's end counts.
    public final func beginEditing() {
        let details = lockDetails()
        details.editors += 1
        let isFirst = traits.insert(.held).inserted
        lock.unlock()
        if isFirst { attributesDidChange() }
    }

    /// Whether somebody is editing the value.
    public final var isEditing: Bool {
        if Tracking.isOn { noteAttributeRead() }
        return lock.withLock { traits.contains(.held) }
    }

    /// Ends what `beginEditing()` began.
    ///
    /// The last one who ends lets the field take the newest value that bindings have brought
    /// meanwhile, unless it was set later itself. Without a beginning it does nothing.
    public final func endEditing() { typed?.endTypedEditing() }
}

extension TypedField {
    /// Takes the value that came while somebody was editing, unless the field was set later.
    fileprivate func endTypedEditing() {
        lock.lock()
        guard let state = core.state, state.editors > 0 else { return lock.unlock() }
        state.editors -= 1
        guard state.editors == 0 else { return lock.unlock() }
        traits.remove(.held)
        let parked = state.parked.take()
        lock.unlock()
        attributesDidChange()
        if let parked { core.receive(parked.parcel) }
        // What was edited is validated now, if the mode says so and somebody listens.
        let live = lock.withLock { details?.validationMode == .onCommit ? details?.live : nil }
        if let live, live.isObserved { validateOutside() }
    }
}
