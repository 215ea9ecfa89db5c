public import ModelKitEssentials

/// What a partial could not do.
///
/// ```swift
/// do {
///     let user = try User(from: partial)
/// } catch Partial<User>.Error.keyPathNotSet(let keyPath) {
///     focus(keyPath == \User.firstName ? firstNameField : lastNameField)
/// }
/// ```
public enum PartialError<Root>: Error {
    /// No value is set for the key path.
    case keyPathNotSet(any PartialKeyPath<Root> & Sendable)

    /// The same by its other name, by which it can be caught, too.
    ///
    /// ```swift
    /// catch Partial<User>.Error.valueNotFound { … }
    /// ```
    public static func valueNotFound(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Self {
        .keyPathNotSet(keyPath)
    }
}

/// Whether an error is what a function makes of a key path: so the other names of a case are patterns.
public func ~= <Root>(
    make: (any PartialKeyPath<Root> & Sendable) -> PartialError<Root>,
    error: any Error
) -> Bool {
    guard case .keyPathNotSet(let keyPath)? = error as? PartialError<Root> else { return false }
    return make(keyPath) == .keyPathNotSet(keyPath)
}

extension PartialError: Equatable {
    public static func == (lhs: PartialError, rhs: PartialError) -> Bool {
        switch (lhs, rhs) {
        case (.keyPathNotSet(let lhs), .keyPathNotSet(let rhs)): lhs == rhs
        }
    }
}

extension PartialError: LocalizedError, CustomStringConvertible {
    /// Names the types only: a key path does not know the name of its property.
    public var description: String {
        switch self {
        case .keyPathNotSet(let keyPath):
            "a property of type \(type(of: keyPath).valueType) is not set in a partial \(Root.self)"
        }
    }

    public var errorDescription: String? { description }
}
