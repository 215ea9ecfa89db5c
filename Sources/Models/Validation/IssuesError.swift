public import ModelKitFields

/// An error that says what is wrong with values, and where: ``Form/submit(isolation:_:)`` tells the
/// fields.
///
/// ```swift
/// struct Refusal: IssuesError { let issues: [Issue] }
/// ```
public protocol IssuesError: Error, CustomStringConvertible {
    /// What is wrong, in the order in which it is to be told.
    var issues: [Issue] { get }
}

extension IssuesError {
    /// The issues, separated by semicolons.
    public var description: String { issues.map(\.description).joined(separator: "; ") }
}
