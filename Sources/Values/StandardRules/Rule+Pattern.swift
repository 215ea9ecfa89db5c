extension Rule where Value == String {
    /// A pattern is found somewhere in the text: "has an invalid format".
    ///
    /// Takes time in proportion to the length of the text, whatever the text is.
    public static func pattern(
        _ pattern: Pattern,
        code: String = "pattern",
        message: String = "has an invalid format"
    ) -> Rule {
        Rule(
            Issue(
                code: code,
                message: message,
                parameters: ["pattern": .string(pattern.source)],
                unlike: ("pattern", "has an invalid format")
            ),
            constraint: .pattern(pattern.portableSource),
            pattern.isFound
        )
    }

    /// A regular expression is found somewhere in the text: "has an invalid format".
    ///
    /// Takes time in proportion to the length of the text, whatever the text is.
    ///
    /// ```swift
    /// let plate: Rule<String> = try .pattern(#"^[A-Z]{1,3}-\d+$"#)
    /// plate.issues(for: "hd-42").map(\.message)   // ["has an invalid format"]
    /// ```
    ///
    /// Refuses, and says where, what is not in the dialect of ``Pattern``.
    public static func pattern(
        _ source: String,
        code: String = "pattern",
        message: String = "has an invalid format"
    ) throws(PatternError) -> Rule {
        .pattern(try Pattern(source), code: code, message: message)
    }

    /// A regular expression of Swift's is found somewhere in the text: "has an invalid format".
    ///
    /// Only for expressions and texts that the app's authors know: the time that it takes can
    /// double with each character of a text. The expression is made again for every check, as
    /// threads cannot share it; an error that it throws is a failure.
    ///
    /// ```swift
    /// let word: Rule<String> = .pattern(trusted: /(?i)^[a-z]+$/)
    /// ```
    public static func pattern<Output>(
        trusted regex: @autoclosure @escaping @Sendable () -> Regex<Output>,
        code: String = "pattern",
        message: String = "has an invalid format"
    ) -> Rule {
        Rule(
            Issue(code: code, message: message, unlike: ("pattern", "has an invalid format")),
            constraint: .opaque
        ) { text in
            // Flattened: what failed to run matched nothing.
            (try? regex().firstMatch(in: text)) != nil
        }
    }
}
