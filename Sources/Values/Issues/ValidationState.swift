/// What is known about whether a value satisfies its rules.
///
/// ```swift
/// switch field.validate() {
/// case .valid: save()
/// case .invalid(let messages): show(messages)   // ["must be greater than 0", "must be even"]
/// case .unknown: break                          // set since the last validation
/// }
/// ```
public enum ValidationState: Hashable, Sendable {
    /// Not validated, or changed since.
    case unknown

    /// At least one rule is broken; a message for each, in the order of the rules.
    case invalid([String])

    /// No rule is broken.
    case valid
}

extension ValidationState {
    /// Whether it is `.valid`.
    ///
    /// An unknown state is neither valid nor invalid.
    public var isValid: Bool { self == .valid }

    /// Whether it is `.invalid`.
    ///
    /// An unknown state is neither valid nor invalid.
    public var isInvalid: Bool {
        if case .invalid = self { true } else { false }
    }

    /// The state of a value with these issues: their errors make it invalid, each with its path;
    /// warnings do not.
    public init(issues: [Issue]) {
        self = issues.isBlocking ? .invalid(issues.blockingMessages) : .valid
    }
    /// The same; unknown instead of valid where answers are still awaited.
    package init(issues: [Issue], isPending: Bool) {
        self = isPending && !issues.isBlocking ? .unknown : ValidationState(issues: issues)
    }
}
