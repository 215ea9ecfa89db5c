/// A text that is looked for in others, by the equality of characters, in time that grows with the
/// length of both and no faster: by Knuth, Morris and Pratt.
struct TextSearch: Sendable {
    private let characters: SearchedElements<Character>
    /// The bytes, if each of them is a character.
    private let bytes: SearchedElements<UInt8>?

    init(_ part: String) {
        characters = SearchedElements(Array(part))
        bytes = part.hasByteCharacters ? SearchedElements(Array(part.utf8)) : nil
    }

    func isFound(in text: String) -> Bool {
        if let bytes, text.hasByteCharacters { return bytes.isFound(in: text.utf8) }
        return characters.isFound(in: text)
    }
}

/// A text that others may end with, by the equality of characters.
struct TextSuffix: Sendable {
    private let suffix: String
    private let count: Int
    /// Whether it has half a flag: backwards, where a flag begins is seen from the first one of all
    /// that stand side by side.
    private let hasFlags: Bool

    init(_ suffix: String) {
        self.suffix = suffix
        count = suffix.count
        hasFlags = suffix.unicodeScalars.contains { "\u{1F1E6}"..."\u{1F1FF}" ~= $0 }
    }

    func ends(_ text: String) -> Bool {
        if !hasFlags { return text.hasSuffix(suffix) }
        let excess = text.count - count
        return excess >= 0 && text.dropFirst(excess).elementsEqual(suffix)
    }
}

/// Elements that are looked for in others.
private struct SearchedElements<Element: Equatable & Sendable>: Sendable {
    private let elements: [Element]
    /// Of so many of the first elements the longest end, but for all of them, that is also a start.
    private let borders: [Int]

    init(_ elements: [Element]) {
        var borders = [0, 0]
        var length = 0
        for element in elements.dropFirst() {
            while length > 0, elements[length] != element { length = borders[length] }
            if elements[length] == element { length += 1 }
            borders.append(length)
        }
        self.elements = elements
        self.borders = borders
    }

    func isFound(in others: some Sequence<Element>) -> Bool {
        if elements.isEmpty { return true }
        var length = 0
        for other in others {
            while length > 0, elements[length] != other { length = borders[length] }
            if elements[length] == other { length += 1 }
            if length == elements.count { return true }
        }
        return false
    }
}

extension String {
    /// Whether each byte is a character: ASCII without carriage returns, which are one with a line
    /// feed.
    var hasByteCharacters: Bool { utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D } }
}
