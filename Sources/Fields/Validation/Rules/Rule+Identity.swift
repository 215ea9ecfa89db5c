// Numbers that somebody issues. All tell a slip of the pen by a check digit, but for telephone
// numbers; that the number exists they cannot tell.

extension Rule where Value == String {
    /// Digits with a check digit by the algorithm of Luhn (ISO/IEC 7812-1, annex B): "must be a valid number".
    public static var luhn: Rule { Numbers.luhn }

    /// The number of a payment card (ISO/IEC 7812) of one of these brands, a space or a hyphen between
    /// two digits or not: "must be a valid card number".
    public static func creditCard(_ brands: Set<CardBrand> = Set(CardBrand.allCases)) -> Rule {
        numbered("creditCard", "a valid card number", "^[0-9](?:[ -]?[0-9]){11,18}$") {
            isCardNumber($0, of: brands)
        }
    }

    /// The number of a payment card of one of these brands: `creditCard(_:)`.
    public static func creditCard(brands: Set<CardBrand>) -> Rule { creditCard(brands) }

    /// An international bank account number (ISO 13616) in capital letters, a space between two characters or
    /// not: "must be a valid IBAN".
    public static var iban: Rule { Numbers.iban }

    /// A book number (ISO 2108) of 10 or 13 digits, a space or a hyphen between two of them or not: "must be a
    /// valid ISBN".
    public static var isbn: Rule { Numbers.isbn }

    /// A book number (ISO 2108, until 2006) of 10 digits, the last of which may be an X: "must be a valid ISBN".
    public static var isbn10: Rule { Numbers.isbn10 }

    /// A book number (ISO 2108) of 13 digits: "must be a valid ISBN".
    public static var isbn13: Rule { Numbers.isbn13 }

    /// An article number (GS1, a GTIN-8 or GTIN-13) of 8 or 13 digits, as under a bar code: "must be a valid EAN".
    public static var ean: Rule { Numbers.ean }

    /// A telephone number by the recommendation E.164 of the ITU-T, `+4930123456`: "must be a valid phone number".
    ///
    /// A plus and 2 to 15 digits, the first of which is not 0.
    public static var e164: Rule { Numbers.e164 }

    /// A telephone number by the recommendation E.164: `e164`.
    public static var e164Phone: Rule { e164 }

    /// A number that a pattern tells in part.
    fileprivate static func numbered(
        _ code: String,
        _ phrase: String,
        _ pattern: String,
        _ test: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Rule {
        let issue = Issue(standard: code, message: "must be \(phrase)")
        return Rule(issue, constraint: .all([.pattern(pattern), .opaque])) { text in
            var text = text
            return text.withUTF8(test)
        }
    }
}

/// Made once: every instance of a model asks for its rules again.
private enum Numbers {
    static let luhn = Rule<String>.numbered("luhn", "a valid number", "^[0-9]{2,}$") {
        isLuhnNumber($0)
    }

    static let iban = Rule<String>.numbered(
        "iban",
        "a valid IBAN",
        "^[A-Z] ?[A-Z](?: ?[0-9]){2}(?: ?[0-9A-Z]){11,29}$"
    ) { isIBAN($0) }

    static let isbn = Rule<String>.numbered(
        "isbn",
        "a valid ISBN",
        "^(?:[0-9][ -]?){9}(?:[0-9X]|(?:[0-9][ -]?){3}[0-9])$"
    ) { isISBN13($0) || isISBN10($0) }

    static let isbn10 = Rule<String>.numbered(
        "isbn10",
        "a valid ISBN",
        "^(?:[0-9][ -]?){9}[0-9X]$"
    ) { isISBN10($0) }

    static let isbn13 = Rule<String>.numbered(
        "isbn13",
        "a valid ISBN",
        "^9[ -]?7[ -]?[89](?:[ -]?[0-9]){10}$"
    ) { isISBN13($0) }

    static let ean = Rule<String>.numbered(
        "ean",
        "a valid EAN",
        "^(?:[0-9]{8}|[0-9]{13})$"
    ) { isEAN($0, lengths: [8, 13]) }

    static let e164 = Rule<String>(
        Issue(standard: "e164", message: "must be a valid phone number"),
        constraint: .pattern(#"^\+[1-9][0-9]{1,14}$"#)
    ) { text in
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && digits.first != UInt8(ascii: "0")
            && 2...15 ~= digits.count && digits.allSatisfy { 0x30...0x39 ~= $0 }
    }
}
