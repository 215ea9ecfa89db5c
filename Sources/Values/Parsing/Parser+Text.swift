extension Parser where Input == String {
    /// The text without the Unicode white space at its ends.
    ///
    /// ```swift
    /// text.bind(to: age, by: .trimmed.then(.integer))
    /// ```
    public static var trimmed: Parser<String, String> {
        Parser<String, String> {
            $0.withoutOuterSpace
        } print: {
            $0
        }
    }

    /// A truth value: `true` or `yes`, `false` or `no`, in either case of letters: "must be one of
    /// true, yes, false, no".
    public static var bool: Parser<String, Bool> {
        bool(true: ["true", "yes"], false: ["false", "no"])
    }

    /// A truth value by other words, in either case of letters: "must be one of ja, nein".
    ///
    /// The first ones are those that are printed.
    public static func bool(
        true yes: [String],
        false no: [String]
    ) -> Parser<String, Bool> {
        let words = yes + no
        let failure = Issue(
            "bool",
            "must be one of",
            .array(words.map { .string($0) }),
            as: "values"
        )
        let meanings = Dictionary(
            zip(words.map { $0.lowercased() }, words.indices.map { $0 < yes.count }),
            uniquingKeysWith: { first, _ in first }
        )
        return Parser<String, Bool>(failure) {
            meanings[$0.lowercased()]
        } print: {
            $0 ? yes.first : no.first
        }
    }

    /// The parts of a text between separators, so none of empty text.
    ///
    /// ```swift
    /// let tags = Parser<String, [String]>.split(by: ",").then(Parser<String, String>.trimmed.orNil.each())
    /// try tags.parse("red, ,blue")   // ["red", "blue"]
    /// ```
    ///
    /// An array with an element that has the separator inside cannot be printed.
    public static func split(by separator: Character) -> Parser<String, [String]> {
        Parser<String, [String]> { text in
            text.isEmpty
                ? []
                : text.split(separator: separator, omittingEmptySubsequences: false)
                    .map(String.init)
        } print: { parts in
            if parts == [""] || parts.contains(where: { $0.contains(separator) }) { return nil }
            return parts.joined(separator: String(separator))
        }
    }
}

extension Parser where Output: RawRepresentable, Input == Output.RawValue {
    /// The case of an enum by its raw value: "is invalid".
    public static var rawValue: Parser {
        Parser {
            Output(rawValue: $0)
        } print: {
            $0.rawValue
        }
    }
}

extension Parser where Output: RawRepresentable & CaseIterable, Input == Output.RawValue {
    /// The case of an enum by its raw value: "must be one of red, green".
    public static var rawValue: Parser {
        let values = Output.allCases.map { AttributeValue(describing: $0.rawValue) }
        let failure = Issue("oneOf", "must be one of", .array(values), as: "values")
        return Parser(failure) {
            Output(rawValue: $0)
        } print: {
            $0.rawValue
        }
    }
}

extension String {
    fileprivate var withoutOuterSpace: String {
        let scalars = unicodeScalars
        func isBlack(_ scalar: Unicode.Scalar) -> Bool { !scalar.properties.isWhitespace }
        guard let first = scalars.firstIndex(where: isBlack),
            let last = scalars.lastIndex(where: isBlack)
        else { return "" }
        return String(scalars[first...last])
    }
}
