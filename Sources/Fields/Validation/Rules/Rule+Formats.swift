// All of them read the text once, so that the time they take grows with its length and no faster.
// Empty text is of no format.

extension Rule where Value == String {
    /// An email address as HTML defines it: "must be a valid email address".
    ///
    /// ASCII, without quotes, comments or a length limit. Whether the address exists only a mail
    /// tells.
    public static var email: Rule { Formats.email }

    /// An absolute http or https URL with a host: "must be a valid URL".
    public static var url: Rule { Formats.url }

    /// An absolute URL with a host and one of these schemes: "must be a valid URL".
    ///
    /// By the characters of RFC 3986, so other letters than ASCII are percent-encoded. The case of
    /// the scheme does not matter; a port is at most 65535.
    public static func url(schemes: [String]) -> Rule {
        let names = schemes.map { Array($0.lowercased().utf8) }
        return format("url", "uri", "must be a valid URL") { isURL($0, schemes: names) }
    }

    /// A UUID in groups of 8, 4, 4, 4 and 12 digits of either case: "must be a valid UUID".
    public static var uuid: Rule { Formats.uuid }

    /// A day of the calendar as RFC 3339 writes it: "must be a valid date (yyyy-MM-dd)".
    public static var date: Rule { Formats.date }

    fileprivate static func format(
        _ code: String,
        _ name: String,
        _ message: String,
        _ test: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Rule {
        Rule(Issue(code: code, message: message), constraint: .format(name)) { text in
            var text = text
            return text.withUTF8(test)
        }
    }
}

/// Made once: every instance of a model asks for its rules again.
private enum Formats {
    static let email = Rule<String>.format("email", "email", "must be a valid email address") {
        isEmailAddress($0)
    }
    static let url = Rule<String>.url(schemes: ["http", "https"])
    static let uuid = Rule<String>.format("uuid", "uuid", "must be a valid UUID") { isUUID($0) }
    static let date = Rule<String>.format("date", "date", "must be a valid date (yyyy-MM-dd)") {
        isFullDate($0)
    }
}
