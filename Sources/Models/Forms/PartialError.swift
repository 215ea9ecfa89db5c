#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a partial could not do.
///
/// ```swift
/// do {
///     let user = try User(from: partial)
/// } catch Partial<User>.Error.valueNotFound(let keyPath) {
///     focus(keyPath == \User.firstName ? firstNameField : lastNameField)
/// }
/// ```
public enum PartialError<Root>: Error {
    /// No value is set for the key path.
    case valueNotFound(any PartialKeyPath<Root> & Sendable)

    /// The same by its other name.
    public static func keyPathNotSet(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Self {
        .valueNotFound(keyPath)
    }
}

extension PartialError: Equatable {
    public static func == (lhs: PartialError, rhs: PartialError) -> Bool {
        switch (lhs, rhs) {
        case (.valueNotFound(let lhs), .valueNotFound(let rhs)): lhs == rhs
        }
    }
}

extension PartialError: LocalizedError, CustomStringConvertible {
    /// Names the types only: a key path does not know the name of its property.
    public var description: String {
        switch self {
        case .valueNotFound(let keyPath):
            "a property of type \(type(of: keyPath).valueType) is not set in a partial \(Root.self)"
        }
    }

    public var errorDescription: String? { description }
}
