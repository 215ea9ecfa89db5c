public import ModelKitFields

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What was wrong with a dictionary or a text that a model was to be made of: everything, not only
/// the first.
///
/// ```swift
/// do {
///     _ = try Person(dictionaryValue: ["name": 3, "tags": ["a", nil]])
/// } catch {
///     error.issues.map(\.description)
///     // ["name must be a string, not an integer", "tags[1] must not be null"]
/// }
/// ```
public struct ImportError: IssuesError, Hashable, Sendable {
    /// What was wrong, in the order of the fields; at least one.
    public let issues: [Issue]

    public init(issues: [Issue]) {
        self.issues = issues
    }
}

extension ImportError: LocalizedError {
    public var errorDescription: String? { description }
}
