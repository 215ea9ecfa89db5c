/// The rule that a value says something: "cannot be blank".
///
/// ```swift
/// NotBlankRule<String>().rule.issues(for: " ").map(\.message)   // ["cannot be blank"]
/// ```
///
/// nil is blank, and so is text of white space alone: `Rule.notBlank`.
public struct NotBlankRule<Value: Blankable & Sendable>: RuleConvertible {
    public init() {}

    public var rule: Rule<Value> { .notBlank }
}

/// The rule that a text has no character but some: "contains invalid characters".
///
/// ```swift
/// CharacterSetRule("0123456789ABCDEF").rule.issues(for: "J9").map(\.message)
/// // ["contains invalid characters"]
/// ```
///
/// nil and empty text pass: `Rule.characters(in:)`.
public struct CharacterSetRule: RuleConvertible {
    public let rule: Rule<String>

    public init(_ characters: String) {
        rule = .characters(in: characters)
    }

    /// Of a set of Unicode scalars, such as Foundation's `CharacterSet`.
    public init(characterSet: some SetAlgebra<Unicode.Scalar> & Sendable) {
        rule = .characterSet(characterSet)
    }

    /// 0 to 9 and A to F.
    public static let uppercaseHexadecimal = CharacterSetRule("0123456789ABCDEF")

    /// 0 to 9 and a to f.
    public static let lowercaseHexadecimal = CharacterSetRule("0123456789abcdef")
}
