extension Rule where Value == String {
    /// Starts with a text, by the equality of characters: "must start with +49".
    public static func hasPrefix(_ prefix: String) -> Rule {
        Rule(
            Issue("prefix", "must start with", .string(prefix), as: "prefix"),
            constraint: .prefix(prefix)
        ) { $0.hasPrefix(prefix) }
    }

    /// Ends with a text, by the equality of characters: "must end with .com".
    public static func hasSuffix(_ suffix: String) -> Rule {
        Rule(
            Issue("suffix", "must end with", .string(suffix), as: "suffix"),
            constraint: .suffix(suffix),
            TextSuffix(suffix).ends
        )
    }

    /// A text stands somewhere in it, by the equality of characters: "must contain @".
    ///
    /// Takes time in proportion to the length of the text, whatever the texts are.
    public static func contains(_ part: String) -> Rule {
        Rule(
            Issue("contains", "must contain", .string(part), as: "part"),
            constraint: .contains(part),
            TextSearch(part).isFound
        )
    }

    /// No character but the digits 0 to 9: "must contain only digits".
    ///
    /// Empty text passes.
    public static var digits: Rule {
        standard("digits", "must contain only digits", .pattern("^[0-9]*$")) { text in
            text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        }
    }

    /// No character but those of a text, by the equality of characters: "contains invalid
    /// characters".
    ///
    /// Empty text passes.
    ///
    /// ```swift
    /// let hex: Rule<String> = .characters(in: "0123456789abcdef")
    /// ```
    public static func characters(in allowed: String) -> Rule {
        let issue = Issue(
            standard: "characters",
            message: "contains invalid characters",
            parameters: ["allowed": .string(allowed)]
        )
        if allowed.hasByteCharacters {
            let bytes = ByteSet(allowed)
            let twins = Set(allowed.unicodeScalars).compactMap(\.twin).sorted()
            // A hyphen must be escaped inside of a class, and must not elsewhere.
            let members =
                allowed.patternEscaped.replacing("-", with: #"\-"#)
                + twins.map(\.patternEscaped).joined()
            let pattern = "^[\(members)]*$"
            let constraint = allowed.isEmpty ? .maxLength(0) : Constraint.pattern(pattern)
            return Rule(issue, constraint: constraint) { text in
                if text.utf8.allSatisfy(bytes.contains) { return true }
                return !twins.isEmpty
                    && text.unicodeScalars.allSatisfy { scalar in
                        UInt8(exactly: scalar.value).map(bytes.contains) ?? twins.contains(scalar)
                    }
            }
        }
        let characters = Set(allowed)
        return Rule(issue, constraint: .opaque) { $0.allSatisfy(characters.contains) }
    }

    /// No Unicode scalar but those of a set, such as Foundation's `CharacterSet`: "contains invalid
    /// characters".
    ///
    /// Empty text passes.
    public static func characterSet(
        _ allowed: some SetAlgebra<Unicode.Scalar> & Sendable
    ) -> Rule {
        standard("characters", "contains invalid characters") {
            $0.unicodeScalars.allSatisfy(allowed.contains)
        }
    }
}
