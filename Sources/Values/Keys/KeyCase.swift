/// How the words of keys are joined, where others write them in another way than Swift does.
///
/// ```swift
/// KeyCase.snake.key(for: "firstName")    // "first_name"
/// KeyCase.kebab.key(for: "HTTPServer")   // "http-server"
/// KeyCase.lowerCamel.key(for: "ownerID") // "ownerID"
/// ```
///
/// A word begins at a capital letter after a small one or a digit, at the last of several capital
/// letters that a small one follows, and after `_`, `-` or a space. Digits belong to the word before
/// them, and a small `s` to the capital letters before it: `userIDs` is `user_ids`. In a key without
/// small letters only `_`, `-` and spaces separate words. In camel cases a word of capital letters
/// stays one, unless all words of the key are; at the start of `lowerCamel` it becomes small. Underscores, hyphens and spaces at both ends stay, and so does
/// every other character.
public enum KeyCase: Sendable, Hashable, CaseIterable {
    /// `firstname`
    case lower
    /// `FIRSTNAME`
    case upper
    /// `first_name`
    case snake
    /// `FIRST_NAME`
    case upperSnake
    /// `first-name`
    case kebab
    /// `firstName`
    case lowerCamel
    /// `FirstName`
    case upperCamel

    /// The key in this case.
    public func key(for key: String) -> String {
        let content = key.trimming(where: \.separatesWords)
        if content.isEmpty { return key }
        let isMixed = content.contains(where: \.isLowercase)
        let words = content.words(splittingAtCapitals: isMixed)
        let keepsShortenings = isMixed || words.count == 1
        let joined =
            switch self {
            case .lower: words.map { $0.lowercased() }.joined()
            case .upper: words.map { $0.uppercased() }.joined()
            case .snake: words.map { $0.lowercased() }.joined(separator: "_")
            case .upperSnake: words.map { $0.uppercased() }.joined(separator: "_")
            case .kebab: words.map { $0.lowercased() }.joined(separator: "-")
            case .lowerCamel:
                words[0].lowercased()
                    + words.dropFirst().map { $0.capitalised(keeping: keepsShortenings) }.joined()
            case .upperCamel:
                words.map { $0.capitalised(keeping: keepsShortenings) }.joined()
            }
        return key[..<content.startIndex] + joined + key[content.endIndex...]
    }
}

extension FieldKey {
    /// The key with each of its names in a case.
    package func inCase(_ keyCase: KeyCase?) -> FieldKey {
        guard let keyCase else { return self }
        return FieldKey(names.map(keyCase.key))
    }
}

extension Character {
    fileprivate var separatesWords: Bool { self == "_" || self == "-" || self == " " }
}

extension Substring {
    /// The words of a key that has no separators at its ends; at least one.
    fileprivate func words(splittingAtCapitals isMixed: Bool) -> [Substring] {
        var words: [Substring] = []
        for part in split(whereSeparator: \.separatesWords) {
            let letters = Array(part)
            var start = 0
            var place = part.startIndex
            var wordStart = place
            for index in letters.indices {
                if isMixed, index > start, Self.beginsWord(letters, at: index) {
                    words.append(part[wordStart..<place])
                    (start, wordStart) = (index, place)
                }
                place = part.index(after: place)
            }
            words.append(part[wordStart...])
        }
        return words
    }

    /// Whether a letter that is not the first begins a word.
    private static func beginsWord(_ letters: [Character], at index: Int) -> Bool {
        guard letters[index].isUppercase else { return false }
        if !letters[index - 1].isUppercase { return true }
        let next = index + 1
        guard next < letters.count, letters[next].isLowercase else { return false }
        let isPlural =
            letters[next] == "s" && (next + 1 == letters.count || !letters[next + 1].isLowercase)
        return !isPlural
    }

    /// The word with a capital letter at its start, and others only if it is a shortening.
    fileprivate func capitalised(keeping shortenings: Bool) -> String {
        if shortenings, dropFirst().first?.isUppercase == true { return String(self) }
        return prefix(1).uppercased() + dropFirst().lowercased()
    }
}

extension String {
    fileprivate func trimming(where isTrimmed: (Character) -> Bool) -> Substring {
        var rest = drop(while: isTrimmed)
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
