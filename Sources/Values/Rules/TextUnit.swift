/// What the length of a text is counted in.
///
/// ```swift
/// let name: Rule<String> = .length(1...40)              // characters, as people count
/// let column: Rule<String> = .maxLength(255, in: .utf8)  // bytes, as the database counts
/// ```
///
/// People count characters; JSON Schema, PostgreSQL and Python count scalars; JavaScript, Java and
/// `NSString` count units of UTF-16; files and most databases count bytes.
public enum TextUnit: String, Hashable, Sendable, CaseIterable {
    /// Characters as people see them: 👨‍👩‍👧 is one.
    case characters

    /// Unicode scalars, which JSON Schema calls characters: 👨‍👩‍👧 has five.
    case scalars

    /// Code units of UTF-16: 👨‍👩‍👧 has eight.
    case utf16

    /// Bytes of UTF-8: 👨‍👩‍👧 has eighteen.
    case utf8
}

extension TextUnit {
    /// What messages call several of it; characters need no name.
    package var plural: String? {
        switch self {
        case .characters: nil
        case .scalars: "Unicode scalars"
        case .utf16: "UTF-16 units"
        case .utf8: "bytes"
        }
    }
}

extension String {
    /// Whether it is longer than a limit, found out by looking at no more than that much.
    package func isLonger(than limit: Int, in unit: TextUnit) -> Bool {
        switch unit {
        case .characters: return hasMoreCharacters(than: limit)
        case .utf8: return utf8.count > limit
        case .scalars, .utf16:
            if limit < 0 { return true }
            // `utf16.count` would allocate.
            if utf8.count <= limit { return false }
            var length = 0
            return unicodeScalars.contains { scalar in
                length += unit == .utf16 ? UTF16.width(scalar) : 1
                return length > limit
            }
        }
    }

    /// Whether it has more characters than a limit, found out by looking at no more than that many.
    package func hasMoreCharacters(than limit: Int) -> Bool {
        if limit < 0 { return true }
        if utf8.count <= limit { return false }
        // Each ASCII byte begins a character of its own, but for the line feed after a carriage
        // return.
        let isPlain = utf8.prefix(limit + 1).allSatisfy { $0 < 0x80 && $0 != 0x0D }
        if isPlain { return true }
        guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex) else {
            return false
        }
        return end != endIndex
    }
}
