// Empty text passes all of them but `slug`.

extension Rule where Value == String {
    /// No character but the letters A to Z of either case: "must contain only letters".
    public static var alpha: Rule {
        only(.letters, "alpha", "must contain only letters", "^[A-Za-z]*$")
    }

    /// No character but the letters A to Z of either case and the digits 0 to 9: "must contain only
    /// letters and digits".
    public static var alphanumeric: Rule {
        let message = "must contain only letters and digits"
        return only(.alphanumerics, "alphanumeric", message, "^[A-Za-z0-9]*$")
    }

    /// No character beyond ASCII: "must contain only ASCII characters".
    public static var ascii: Rule {
        standard("ascii", "must contain only ASCII characters", .pattern(#"^[\0-\x7F]*$"#)) {
            $0.utf8.allSatisfy { $0 < 0x80 }
        }
    }

    /// No letter that has another form in lower case: "must be lowercase".
    ///
    /// By Unicode's property Changes_When_Lowercased.
    public static var lowercase: Rule {
        standard("lowercase", "must be lowercase") { text in
            text.unicodeScalars.allSatisfy { !$0.properties.changesWhenLowercased }
        }
    }

    /// No letter that has another form in upper case: "must be uppercase".
    ///
    /// By Unicode's property Changes_When_Uppercased.
    public static var uppercase: Rule {
        standard("uppercase", "must be uppercase") { text in
            text.unicodeScalars.allSatisfy { !$0.properties.changesWhenUppercased }
        }
    }

    /// Words of lower case letters a to z and digits, a hyphen between them: "must contain only
    /// lowercase letters, digits and single hyphens".
    ///
    /// ```swift
    /// let name: Rule<String> = .slug
    /// name.issues(for: "my-2nd-post")   // []
    /// ```
    public static var slug: Rule {
        let message = "must contain only lowercase letters, digits and single hyphens"
        return standard("slug", message, .pattern("^[a-z0-9]+(?:-[a-z0-9]+)*$")) { text in
            var text = text
            return text.withUTF8 { isSlug($0) }
        }
    }

    /// No character of Unicode's category Cc, line feeds and tabs among them: "must not contain
    /// control characters".
    public static var noControlCharacters: Rule {
        let message = "must not contain control characters"
        let pattern = #"^[^\0-\x1F\x7F-\x9F]*$"#
        return standard("noControlCharacters", message, .pattern(pattern)) { text in
            text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
    }

    /// No Unicode white space at either end: "must not start or end with white space".
    public static var trimmed: Rule {
        let black = "[^\(Constraint.whiteSpace)]"
        let pattern = "^(?:\(black)(?:[\\s\\S]*\(black))?)?$"
        let message = "must not start or end with white space"
        return standard("trimmed", message, .pattern(pattern)) { text in
            guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else {
                return true
            }
            return !first.properties.isWhitespace && !last.properties.isWhitespace
        }
    }

    private static func only(
        _ bytes: ByteSet,
        _ code: String,
        _ message: String,
        _ pattern: String
    ) -> Rule {
        standard(code, message, .pattern(pattern)) { $0.utf8.allSatisfy(bytes.contains) }
    }
}
