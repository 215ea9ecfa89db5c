#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One thing that is wrong with a value: what, where, how bad.
///
/// The message is a fragment, so that a label can stand before it. `description` puts the path
/// there:
///
/// ```swift
/// let issue = Issue(code: "date", path: ["terms", 2, "start"], message: "must not be after the end")
/// issue.description   // "terms[2].start must not be after the end"
/// ```
///
/// It is an `Error`; the errors that carry several of them say so.
public struct Issue: Hashable, Sendable {
    /// How bad an issue is.
    ///
    /// Only `.error` makes a value invalid.
    ///
    /// ```swift
    /// let blocking = issues.filter { $0.severity == .error }
    /// ```
    public enum Severity: Int, Hashable, Sendable, Comparable {
        case info
        case warning
        case error

        public static func < (lhs: Severity, rhs: Severity) -> Bool {
            lhs.rawValue < rhs.rawValue
        }
    }

    /// What was broken, for programs: stable, and never translated ("minLength", "required").
    public var code: String

    /// Where, seen from the value that was checked.
    public var path: FieldPath

    /// What is wrong, for people, as the end of a sentence: "must be greater than 0".
    public var message: String

    /// The numbers and texts inside the message, for translations: `["min": 8]`.
    public var parameters: [String: AttributeValue]

    /// How bad it is.
    public var severity: Severity

    public init(
        code: String = "custom",
        path: FieldPath = [],
        message: String,
        parameters: [String: AttributeValue] = [:],
        severity: Severity = .error
    ) {
        self.code = code
        self.path = path
        self.message = message
        self.parameters = parameters
        self.severity = severity
    }
}

/// The name that validation code of other libraries uses for an issue.
public typealias ValidationError = Issue

extension Issue: LocalizedError, CustomStringConvertible {
    /// Path and message; of an issue with an empty path only the message.
    public var description: String {
        path.isEmpty ? message : "\(path) \(message)"
    }

    public var errorDescription: String? { description }
}

extension Issue {
    /// What a presence rule says of nil.
    @usableFromInline
    static var required: Issue { Issue(code: "required", message: "is required") }
}

extension [Issue] {
    /// Whether one of them makes the value invalid.
    package var isBlocking: Bool { contains { $0.severity == .error } }

    /// The texts of those that do.
    var blockingMessages: [String] { filter { $0.severity == .error }.map(\.description) }

    /// Puts a path before the paths of those from an index on.
    @usableFromInline
    mutating func nest(from start: Int, under path: FieldPath) {
        if path.isEmpty { return }
        for index in start..<count {
            self[index].path = path.appending(self[index].path)
        }
    }
}
