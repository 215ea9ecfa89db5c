// All of them read the text once, so that the time they take grows with its length and no faster.
// Empty text is of no format but those of Base 64, JSON Pointers and relative URIs.

extension Rule where Value == String {
    /// An email address as HTML defines it (WHATWG, "valid email address"): "must be a valid email address".
    ///
    /// ASCII, without quotes, comments or a length limit. Only an email to it shows whether
    /// the address exists.
    public static var email: Rule { Formats.email }

    /// An email address by another syntax: "must be a valid email address".
    public static func email(_ syntax: EmailSyntax) -> Rule {
        switch syntax {
        case .html: Formats.email
        case .rfc5321: Formats.mailbox
        case .international: Formats.internationalMailbox
        }
    }

    /// An absolute http or https URL with a host (RFC 3986): "must be a valid URL".
    public static var url: Rule { Formats.url }

    /// An absolute URL with a host and one of these schemes: "must be a valid URL".
    ///
    /// By the characters of RFC 3986, so other letters than ASCII are percent-encoded. The case of
    /// the scheme does not matter; a port is at most 65535.
    public static func url(schemes: [String]) -> Rule {
        let names = schemes.map { Array($0.lowercased().utf8) }
        let constraint = Constraint.all([.format("uri"), .pattern(schemePattern(names))])
        return format("url", "a valid URL", constraint) { isURL($0, schemes: names) }
    }

    /// A URI of any scheme by RFC 3986, `urn:isbn:0-330-25864-8`: "must be a valid
    /// URI".
    public static var uri: Rule { Formats.uri }

    /// A URI, or one that is relative to another, by RFC 3986, `../a?b#c`: "must be a valid URI".
    ///
    /// Empty text is one.
    public static var uriReference: Rule { Formats.uriReference }

    /// A UUID (RFC 9562) in groups of 8, 4, 4, 4 and 12 digits of either case: "must be a valid UUID".
    public static var uuid: Rule { Formats.uuid }

    /// A day of the calendar as RFC 3339 writes it: "must be a valid date (yyyy-MM-dd)".
    public static var date: Rule { Formats.date }

    /// A time of day with its offset from UTC as RFC 3339 writes it, `12:30:00Z`: "must be a valid
    /// time (hh:mm:ss with an offset)".
    ///
    /// The 60th second passes where a leap second may be: in the last minute of a day of UTC.
    public static var time: Rule { Formats.time }

    /// A day and a time with its offset as RFC 3339 writes them, `2024-01-31T12:30:00Z`: "must be a
    /// valid date and time (yyyy-MM-ddThh:mm:ss with an offset)".
    ///
    /// The 60th second passes where a leap second may be: at the end of a month of UTC.
    public static var dateTime: Rule { Formats.dateTime }

    /// A duration by the grammar of RFC 3339, appendix A, `P3DT12H` or `P4W`: "must be a valid
    /// duration".
    ///
    /// Whole numbers, no unit left out between two others, letters of either case.
    public static var duration: Rule { Formats.duration }

    /// The name of a host by RFC 1123: "must be a valid host name".
    ///
    /// ASCII. Other names pass in their `xn--` form, if that is Punycode (RFC 3492) of characters that
    /// a name may have (RFC 5892), but for their direction and composition. The last of several labels
    /// is no number: `1.2.3.4` is an address.
    public static var hostname: Rule { Formats.hostname }

    /// An IPv4 address (RFC 3986, section 3.2.2), four numbers up to 255 without leading zeros: "must be a valid IPv4 address".
    public static var ipv4: Rule { Formats.ipv4 }

    /// An IPv6 address (RFC 4291; RFC 3986, section 3.2.2) without a zone: "must be a valid IPv6
    /// address".
    public static var ipv6: Rule { Formats.ipv6 }

    /// An IPv4 or IPv6 address and the length of its prefix (RFC 4632; RFC 4291, section 2.3),
    /// `10.0.0.0/8`: "must be a valid address block".
    ///
    /// The bits after the prefix may be anything.
    public static var cidr: Rule { Formats.cidr }

    /// Base 64 of RFC 4648, section 4, with its padding: "must be valid Base 64".
    public static var base64: Rule { Formats.base64 }

    /// A JSON Pointer of RFC 6901, `/addresses/0/street`: "must be a valid JSON Pointer".
    public static var jsonPointer: Rule { Formats.jsonPointer }

    /// A telephone number by the recommendation E.164 of the ITU-T, `+4930123456`: "must be a valid phone number".
    ///
    /// A plus and 2 to 15 digits, the first of which is not 0.
    public static var e164: Rule { Formats.e164 }

    /// The beginning of a URL of one of these schemes, in either case, with a host and a port of TCP.
    private static func schemePattern(_ schemes: [[UInt8]]) -> String {
        let names = schemes.map { name in
            String(decoding: name, as: UTF8.self).map { letter in
                letter.isLetter
                    ? "[\(letter)\(letter.uppercased())]" : String(letter).patternEscaped
            }.joined()
        }
        let user = #"(?:[^\/?#@]*@)?"#
        let host = #"(?:\[[^\/?#@\]]+\]|[^\/?#@:\[\]]+)"#
        let port =
            "(?::0*(?:[0-9]{0,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
        let end = #"(?:[\/?#]|$)"#
        return #"^(?:\#(names.joined(separator: "|"))):\/\/"# + user + host + port + end
    }

    /// A rule of the bytes of a text; if no constraint is given, of a format that JSON Schema has under the same name.
    fileprivate static func format(
        _ code: String,
        _ noun: String,
        _ constraint: Constraint? = nil,
        _ test: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Rule {
        standard(code, "must be " + noun, constraint ?? .format(code)) { text in
            var text = text
            return text.withUTF8(test)
        }
    }
}

/// Made once: every instance of a model asks for its rules again.
private enum Formats {
    typealias Text = Rule<String>

    static let email = Text.format(
        "email",
        "a valid email address",
        .all([.format("email"), .pattern(Constraint.emailPattern)])
    ) { isEmailAddress($0) }
    static let mailbox = Text.format("email", "a valid email address") {
        isMailbox($0, isInternational: false)
    }
    static let internationalMailbox = Text.standard(
        "email",
        "must be a valid email address",
        .format("idn-email")
    ) { text in
        var text = text
        return text.withUTF8 { isMailbox($0, isInternational: true) }
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    || !scalar.properties.isWhitespace
                        && scalar.properties.generalCategory != .control
            }
    }
    static let uri = Text.format("uri", "a valid URI") { isURI($0) }
    static let url = Text.url(schemes: ["http", "https"])
    static let uuid = Text.format("uuid", "a valid UUID") { isUUID($0) }
    static let date = Text.format("date", "a valid date (yyyy-MM-dd)") { isFullDate($0) }
    static let time = Text.format("time", "a valid time (hh:mm:ss with an offset)") {
        isFullTime($0)
    }
    static let duration = Text.format("duration", "a valid duration") { isDuration($0) }
    static let hostname = Text.format("hostname", "a valid host name") { isHostname($0) }
    static let ipv4 = Text.format("ipv4", "a valid IPv4 address") {
        isIPv4Address($0, in: $0.indices)
    }
    static let ipv6 = Text.format("ipv6", "a valid IPv6 address") {
        isIPv6Address($0, in: $0.indices)
    }
    static let dateTime = Text.format(
        "dateTime",
        "a valid date and time (yyyy-MM-ddThh:mm:ss with an offset)",
        .format("date-time")
    ) { isDateTime($0) }
    static let uriReference = Text.format(
        "uriReference",
        "a valid URI",
        .format("uri-reference")
    ) { isURIReference($0) }
    static let cidr = Text.format("cidr", "a valid address block", .opaque) { isAddressBlock($0) }
    static let base64 = Text.format(
        "base64",
        "valid Base 64",
        .pattern("^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")
    ) { isBase64($0) }
    static let jsonPointer = Text.format(
        "jsonPointer",
        "a valid JSON Pointer",
        .format("json-pointer")
    ) { isJSONPointer($0) }
    static let e164 = Text.format(
        "e164",
        "a valid phone number",
        .pattern(#"^\+[1-9][0-9]{1,14}$"#)
    ) { bytes in
        3...16 ~= bytes.count && bytes[0] == UInt8(ascii: "+") && bytes[1] != UInt8(ascii: "0")
            && bytes.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }
}
