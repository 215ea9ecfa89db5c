import ModelKitValues

/// When a field validates its value by itself.
///
/// ```swift
/// let email = Field<String>().require(.email).validates(.onCommit)
/// ```
///
/// It does so only while somebody observes its validation; otherwise nothing is evaluated but by
/// `validate()`, whatever the mode.
public enum ValidationMode: Hashable, Sendable {
    /// At every set, when observers are notified of it; in a `batch` once, at its end.
    ///
    /// Observers see the new state and not the unknown one in between, unless async rules have to
    /// answer first.
    case onChange

    /// At the end of editing, by the last `endEditing()`, also if the value has stayed.
    ///
    /// A set while nobody edits is validated at once; one while somebody does makes the state
    /// unknown.
    case onCommit

    /// Only by `validate()` and what is called like it.
    case onDemand
}

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

    /// Validates what was edited, if the mode says so and somebody listens.
    final func noteEditingEnd() {
        let live = lock.withLock { details?.validationMode == .onCommit ? details?.live : nil }
        if let live, live.isObserved { validateOutside() }
    }

    /// Validates as no part of a validation that the task may be in.
    final func validateOutside() { ValidationPath.outside { _ = validate() } }
}
