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

extension Rule where Value == String {
    /// At least this much text: "length must be greater than or equal to 3".
    ///
    /// Looks at no more of the text than that much. A unit other than characters is in the message,
    /// "… to 3 bytes", and the parameter "unit".
    public static func minLength(_ count: Int, in unit: TextUnit = .characters) -> Rule {
        let issue = Issue.length("minLength", "greater than or equal to", count, unit, as: "min")
        return Rule(issue, constraint: .minLength(count, in: unit)) {
            count <= 0 || $0.isLonger(than: count - 1, in: unit)
        }
    }

    /// At most this much text: "length must be less than or equal to 40".
    ///
    /// Looks at no more of the text than that much. A unit other than characters is in the message,
    /// "… to 40 bytes", and the parameter "unit".
    public static func maxLength(_ count: Int, in unit: TextUnit = .characters) -> Rule {
        let issue = Issue.length("maxLength", "less than or equal to", count, unit, as: "max")
        return Rule(issue, constraint: .maxLength(count, in: unit)) {
            !$0.isLonger(than: count, in: unit)
        }
    }

    /// Exactly this much text: "length must be equal to 6".
    public static func length(_ count: Int, in unit: TextUnit = .characters) -> Rule {
        let issue = Issue.length("length", "equal to", count, unit, as: "value")
        let constraint = Constraint.all([.minLength(count, in: unit), .maxLength(count, in: unit)])
        return Rule(issue, constraint: constraint) {
            (count <= 0 || $0.isLonger(than: count - 1, in: unit))
                && !$0.isLonger(than: count, in: unit)
        }
    }

    /// A length inside a range, which may be open at one end.
    ///
    /// The message names the end that was passed.
    public static func length(
        _ range: some RuleRange<Int>,
        in unit: TextUnit = .characters
    ) -> Rule {
        range.ruleBounds.rule(
            exactly: { .length($0, in: unit) },
            min: { .minLength($0, in: unit) },
            max: { .maxLength($0, in: unit) },
            below: { .maxLength(Swift.max($0, 0) - 1, in: unit) }
        )
    }
}

extension Issue {
    fileprivate static func length(
        _ code: String,
        _ comparison: String,
        _ count: Int,
        _ unit: TextUnit,
        as name: String
    ) -> Issue {
        var issue = Issue(code, "length must be " + comparison, .int(Int64(count)), as: name)
        guard let plural = unit.plural else { return issue }
        issue = Issue(
            standard: code,
            message: "\(issue.text) \(plural)",
            parameters: issue.parameters.merging(["unit": .string(unit.rawValue)]) { $1 }
        )
        return issue
    }
}

extension TextUnit {
    /// What messages call several of it; characters need no name.
    fileprivate var plural: String? {
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
