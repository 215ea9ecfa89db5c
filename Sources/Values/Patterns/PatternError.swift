public import ModelKitEssentials

/// Why a regular expression is no pattern.
///
/// ```swift
/// do throws(PatternError) {
///     _ = try Pattern(#"(a)\1"#)
/// } catch {
///     error.offset        // 3
///     error.description   // #"pattern "(a)\1" at 3: back-references are not supported"#
/// }
/// ```
public struct PatternError: Error, Hashable, Sendable {
    /// What is refused.
    public enum Reason: String, Hashable, Sendable {
        case backReference = "back-references are not supported"
        case lookAround = "looking ahead or behind is not supported"
        case flags = "flags are not supported"
        case unicodeProperty = "the Unicode property is unknown or not supported"
        case unknownEscape = "the escape is unknown or incomplete"
        case unknownGroup = "the kind of group is unknown"
        case unescaped = "the character must be escaped"
        case nothingToRepeat = "there is nothing to repeat"
        case reversedRange = "the range ends before it starts"
        case rangeOfClass = "a class cannot be the end of a range"
        case unclosedClass = "the class is not closed"
        case unclosedGroup = "the group is not closed"
        case unopenedGroup = "no group is open"
        case tooLarge = "the pattern has more than 10000 steps"
    }

    /// The regular expression.
    public var pattern: String

    /// How many Unicode scalars of it stand before what is refused.
    public var offset: Int

    /// What is refused.
    public var reason: Reason

    public init(pattern: String, offset: Int, reason: Reason) {
        self.pattern = pattern
        self.offset = offset
        self.reason = reason
    }
}

extension PatternError: LocalizedError, CustomStringConvertible {
    public var description: String { "pattern \"\(pattern)\" at \(offset): \(reason.rawValue)" }

    public var errorDescription: String? { description }
}
