public import ModelKitFields

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error that says what is wrong with values, and where: ``Form/submit(isolation:_:)`` tells the
/// fields.
///
/// ```swift
/// struct Refusal: IssuesError { let issues: [Issue] }
/// ```
public protocol IssuesError: LocalizedError, CustomStringConvertible {
    /// What is wrong, in the order in which it is to be told.
    var issues: [Issue] { get }
}

extension IssuesError {
    /// The issues, separated by semicolons.
    public var description: String { issues.map(\.description).joined(separator: "; ") }

    public var errorDescription: String? { description }
}
