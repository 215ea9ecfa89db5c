extension Unicode.Scalar {
    /// The only other text that Swift takes for the same as this character of ASCII: U+212A for `K`.
    var twin: Unicode.Scalar? {
        switch self {
        case ";": "\u{37E}"
        case "K": "\u{212A}"
        case "`": "\u{1FEF}"
        default: nil
        }
    }

    /// As a regular expression that is ASCII: `\u212A`.
    var patternEscaped: String {
        let digits = String(value, radix: 16, uppercase: true)
        return #"\u"# + String(repeating: "0", count: Swift.max(4 - digits.count, 0)) + digits
    }
}

extension String {
    /// As a regular expression that matches just this text.
    package var patternEscaped: String {
        unicodeScalars.reduce(into: "") { pattern, scalar in
            if scalar.isPatternSyntax { pattern += #"\"# }
            pattern.unicodeScalars.append(scalar)
        }
    }

    /// As a regular expression that matches what Swift takes for this text of ASCII.
    package var patternSpelled: String {
        patternEscaped.unicodeScalars.reduce(into: "") { pattern, scalar in
            if let twin = scalar.twin {
                pattern += "[\(scalar)\(twin.patternEscaped)]"
            } else {
                pattern.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether Swift takes other texts for the same as this one.
    package var hasOtherSpellings: Bool {
        unicodeScalars.contains { !$0.isASCII || $0.twin != nil }
    }
}
