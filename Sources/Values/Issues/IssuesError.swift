public import ModelKitEssentials

/// An error that says what is wrong with values, and where: a form adds them to its fields when a
/// submit throws one, and a binding to the field whose value it could not transfer.
///
/// ```swift
/// struct Refusal: IssuesError { let issues: [Issue] }
/// ```
public protocol IssuesError: LocalizedError, CustomStringConvertible {
    /// What is wrong, in the order in which it is to be reported.
    var issues: [Issue] { get }
}

extension IssuesError {
    /// The issues, separated by semicolons.
    public var description: String { issues.map(\.description).joined(separator: "; ") }

    // All that is demanded, so that types of it need not import Foundation.
    public var errorDescription: String? { description }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

extension [Issue] {
    /// What an error says of a value of which nothing could be made; one that is about no values
    /// has the code "conversion".
    package init(thrown error: any Error) {
        self = (error as? any IssuesError)?.issues ?? []
        if !isEmpty { return }
        let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        self = [error as? Issue ?? Issue(code: "conversion", message: text.excerpt(500))]
    }
}
