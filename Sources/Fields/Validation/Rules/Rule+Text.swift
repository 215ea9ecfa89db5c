extension Rule where Value == String {
    /// At least this many characters: "length must be greater than or equal to 3".
    ///
    /// Characters as people see them: 👨‍👩‍👧 is one. Looks at no more of the text than that many.
    public static func minLength(_ count: Int) -> Rule {
        let issue = Issue(
            "minLength",
            "length must be greater than or equal to",
            .int(Int64(count)),
            as: "min"
        )
        return Rule(issue, constraint: .minLength(count)) {
            count <= 0 || $0.hasMoreCharacters(than: count - 1)
        }
    }

    /// At most this many characters: "length must be less than or equal to 40".
    ///
    /// Characters as people see them: 👨‍👩‍👧 is one. Looks at no more of the text than that many.
    public static func maxLength(_ count: Int) -> Rule {
        let issue = Issue(
            "maxLength",
            "length must be less than or equal to",
            .int(Int64(count)),
            as: "max"
        )
        return Rule(issue, constraint: .maxLength(count)) { !$0.hasMoreCharacters(than: count) }
    }

    /// Exactly this many characters: "length must be equal to 6".
    public static func length(_ count: Int) -> Rule {
        let issue = Issue("length", "length must be equal to", .int(Int64(count)), as: "value")
        let constraint = Constraint.all([.minLength(count), .maxLength(count)])
        return Rule(issue, constraint: constraint) {
            (count <= 0 || $0.hasMoreCharacters(than: count - 1))
                && !$0.hasMoreCharacters(than: count)
        }
    }

    /// A number of characters inside a range, which may be open at one end.
    ///
    /// The message names the end that was passed.
    public static func length(_ range: some RuleRange<Int>) -> Rule {
        range.ruleBounds.rule(
            exactly: { .length($0) },
            min: { .minLength($0) },
            max: { .maxLength($0) },
            below: { .maxLength(Swift.max($0, 0) - 1) }
        )
    }

    /// Starts with a text, by the equality of characters: "must start with +49".
    public static func hasPrefix(_ prefix: String) -> Rule {
        let issue = Issue("prefix", "must start with", .string(prefix), as: "prefix")
        return Rule(issue, constraint: .pattern("^" + prefix.patternEscaped)) {
            $0.hasPrefix(prefix)
        }
    }

    /// Ends with a text, by the equality of characters: "must end with .com".
    public static func hasSuffix(_ suffix: String) -> Rule {
        let issue = Issue("suffix", "must end with", .string(suffix), as: "suffix")
        return Rule(issue, constraint: .pattern(suffix.patternEscaped + "$")) {
            $0.hasSuffix(suffix)
        }
    }

    /// A text stands somewhere in it, by the equality of characters: "must contain @".
    public static func contains(_ part: String) -> Rule {
        let issue = Issue("contains", "must contain", .string(part), as: "part")
        return Rule(issue, constraint: .pattern(part.patternEscaped)) { text in
            // Not `text.contains(part)`, which allocates.
            part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
        }
    }

    /// No character but the digits 0 to 9: "must contain only digits".
    ///
    /// Empty text passes.
    public static var digits: Rule {
        let issue = Issue(code: "digits", message: "must contain only digits")
        return Rule(issue, constraint: .pattern("^[0-9]*$")) { text in
            text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        }
    }

    /// No character but those of a text: "contains invalid characters".
    ///
    /// Empty text passes.
    ///
    /// ```swift
    /// let hex: Rule<String> = .characters(in: "0123456789abcdef")
    /// ```
    public static func characters(in allowed: String) -> Rule {
        let issue = Issue(
            code: "characters",
            message: "contains invalid characters",
            parameters: ["allowed": .string(allowed)]
        )
        // A carriage return and a line feed are one character: not a matter of bytes.
        if allowed.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) {
            let bytes = ByteSet(allowed)
            return Rule(issue, constraint: .opaque) { $0.utf8.allSatisfy(bytes.contains) }
        }
        let characters = Set(allowed)
        return Rule(issue, constraint: .opaque) { $0.allSatisfy(characters.contains) }
    }
}

extension String {
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

    /// As a regular expression that matches just this text.
    fileprivate var patternEscaped: String {
        unicodeScalars.reduce(into: "") { pattern, scalar in
            if #"^$\.*+?()[]{}|/"#.unicodeScalars.contains(scalar) { pattern += #"\"# }
            pattern.unicodeScalars.append(scalar)
        }
    }
}
