public import ModelKitValues

/// Why the work of a submit was not begun.
///
/// ```swift
/// do {
///     try await form.submit { try await api.save(person) }
/// } catch FormError.invalid {
///     focus(form.firstInvalid?.field)
/// }
/// ```
public enum FormError: IssuesError, Hashable, Sendable {
    /// The fields are invalid, or the form as a whole; with warnings, too.
    case invalid([Issue])
    /// Another submit is under way.
    case alreadySubmitting

    /// What is wrong, in the order of the form.
    public var issues: [Issue] {
        if case .invalid(let issues) = self { issues } else { [] }
    }

    public var description: String {
        switch self {
        case .invalid(let issues): issues.map(\.description).joined(separator: "; ")
        case .alreadySubmitting: "the form is being submitted already"
        }
    }
}
