/// What is asked of a JSON text beyond RFC 8259.
///
/// ```swift
/// let strict = JSONOptions(maximumDepth: 32, duplicateKeys: .refused)
/// let person = try Person(json: json, options: strict)
/// ```
public struct JSONOptions: Sendable, Hashable {
    /// What happens to a key that an object has more than once.
    public enum DuplicateKeys: Sendable, Hashable {
        /// The last value counts.
        case lastCounts
        /// The text is refused.
        case refused
    }

    /// What an empty text stands for.
    public enum EmptyTexts: Sendable, Hashable {
        /// For itself.
        case kept
        /// For null, as files say it that have every key in every object.
        case null
    }

    /// How many arrays and objects may stand inside of each other: at most 512.
    public let maximumDepth: Int

    /// What happens to a key that an object has more than once; keys are compared as Swift compares
    /// strings.
    public let duplicateKeys: DuplicateKeys

    /// What an empty text stands for that is a value, not a key.
    public let emptyTexts: EmptyTexts

    /// - Parameters:
    ///   - maximumDepth: How many arrays and objects may stand inside of each other; a number beyond
    ///     512 is 512, one below 0 is 0.
    ///   - duplicateKeys: What happens to a key that an object has more than once.
    ///   - emptyTexts: What an empty text stands for that is a value, not a key.
    public init(
        maximumDepth: Int = 512,
        duplicateKeys: DuplicateKeys = .lastCounts,
        emptyTexts: EmptyTexts = .kept
    ) {
        self.maximumDepth = min(max(maximumDepth, 0), 512)
        self.duplicateKeys = duplicateKeys
        self.emptyTexts = emptyTexts
    }
}
