public import ModelKitValues

/// All that a field knows of the validity of its value, read at once.
///
/// ```swift
/// let status = email.validationStatus
/// spinner.isHidden = !status.isValidating
/// label.text = status.issues.first?.description
/// ```
public struct ValidationStatus: Hashable, Sendable {
    /// What the last validation said; unknown before it, after every set, and while async rules are
    /// asked.
    public let state: ValidationState

    /// What it found, warnings too, an issue of an array's element with its index; none while the
    /// state is unknown.
    public let issues: [Issue]

    /// Whether async rules are being asked, or wait to be, about this value.
    public let isValidating: Bool
}

extension AnyField {
    /// All that is known of the validity of the value, of one moment.
    public final var validationStatus: ValidationStatus {
        if Tracking.isOn { noteValidationRead() }
        return knownStatus
    }

    /// The same, of whose reading nobody is notified.
    final var knownStatus: ValidationStatus {
        lock.lock()
        let kept = verdict
        let issues = kept == .unknown ? [] : details?.issues ?? []
        let isValidating = isAsking
        lock.unlock()
        return ValidationStatus(
            state: ValidationState(kept, issues),
            issues: issues,
            isValidating: isValidating
        )
    }

    /// Whether async rules are being asked, or wait to be, about this value.
    ///
    /// It is true from the validation that asks them until the last has answered.
    public final var isValidating: Bool {
        if Tracking.isOn { noteValidationRead() }
        return lock.withLock { isAsking }
    }

    /// The lock must be held.
    final var isAsking: Bool { details?.checks?.run?.revision == lastRevision }
}
