extension ScalarSet {
    /// The scalars that have a property of Unicode, by its name in ECMA-262: `Lu`, `gc=Letter`,
    /// `Alphabetic`; nil for one that is not known.
    static func property(_ name: String) -> ScalarSet? {
        let parts = name.split(separator: "=", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == "gc" || parts[0] == "General_Category" {
            return category(String(parts[1]))
        }
        return binary(name) ?? category(name)
    }

    private static func binary(_ name: String) -> ScalarSet? {
        switch name {
        case "Any": ScalarSet([]).complement
        case "ASCII": ScalarSet([0...0x7F])
        case "Assigned": categories[.unassigned]?.complement
        case "Alphabetic", "Alpha": alphabetic
        case "Emoji": emoji
        case "Lowercase", "Lower": lowercase
        case "Uppercase", "Upper": uppercase
        case "White_Space", "space": whiteSpace
        default: nil
        }
    }

    private static func category(_ name: String) -> ScalarSet? { named[name] }

    /// One set for a name, which all patterns share.
    private static let named = categoryNames.mapValues { members in
        ScalarSet(union: members.compactMap { categories[$0] })
    }
}

// Made once, when a pattern first asks for them: each is a walk over all scalars.
extension ScalarSet {
    private static let alphabetic = ScalarSet(where: \.isAlphabetic)
    private static let emoji = ScalarSet(where: \.isEmoji)
    private static let lowercase = ScalarSet(where: \.isLowercase)
    private static let uppercase = ScalarSet(where: \.isUppercase)
    private static let whiteSpace = ScalarSet(where: \.isWhitespace)

    private init(where isMember: (Unicode.Scalar.Properties) -> Bool) {
        self.init(Self.runs { isMember($0.properties) }.filter(\.value).map(\.range))
    }

    private static let categories: [Unicode.GeneralCategory: ScalarSet] = {
        let found = ScalarSet.runs { $0.properties.generalCategory }
        var sets = Dictionary(grouping: found, by: \.value).mapValues { ScalarSet($0.map(\.range)) }
        sets[.surrogate] = ScalarSet([0xD800...0xDFFF])
        return sets
    }()

    /// Neighbours that have the same value of something.
    private static func runs<Value: Equatable>(
        of value: (Unicode.Scalar) -> Value
    ) -> [(value: Value, range: ClosedRange<UInt32>)] {
        var runs: [(value: Value, range: ClosedRange<UInt32>)] = []
        var start: (value: Value, number: UInt32)?
        for number in 0...last + 1 {
            let new = number > last ? nil : Unicode.Scalar(number).map(value)
            if let known = start {
                if let new, new == known.value { continue }
                runs.append((known.value, known.number...(number - 1)))
            }
            start = new.map { ($0, number) }
        }
        return runs
    }

    /// The categories by their names and aliases, and those of groups.
    private static let categoryNames: [String: [Unicode.GeneralCategory]] = {
        let single: [(String, Unicode.GeneralCategory)] = [
            ("Lu Uppercase_Letter", .uppercaseLetter), ("Ll Lowercase_Letter", .lowercaseLetter),
            ("Lt Titlecase_Letter", .titlecaseLetter), ("Lm Modifier_Letter", .modifierLetter),
            ("Lo Other_Letter", .otherLetter), ("Mn Nonspacing_Mark", .nonspacingMark),
            ("Mc Spacing_Mark", .spacingMark), ("Me Enclosing_Mark", .enclosingMark),
            ("Nd Decimal_Number digit", .decimalNumber), ("Nl Letter_Number", .letterNumber),
            ("No Other_Number", .otherNumber), ("Pc Connector_Punctuation", .connectorPunctuation),
            ("Pd Dash_Punctuation", .dashPunctuation), ("Ps Open_Punctuation", .openPunctuation),
            ("Pe Close_Punctuation", .closePunctuation),
            ("Pi Initial_Punctuation", .initialPunctuation),
            ("Pf Final_Punctuation", .finalPunctuation),
            ("Po Other_Punctuation", .otherPunctuation), ("Sm Math_Symbol", .mathSymbol),
            ("Sc Currency_Symbol", .currencySymbol), ("Sk Modifier_Symbol", .modifierSymbol),
            ("So Other_Symbol", .otherSymbol), ("Zs Space_Separator", .spaceSeparator),
            ("Zl Line_Separator", .lineSeparator), ("Zp Paragraph_Separator", .paragraphSeparator),
            ("Cc Control cntrl", .control), ("Cf Format", .format), ("Cs Surrogate", .surrogate),
            ("Co Private_Use", .privateUse), ("Cn Unassigned", .unassigned),
        ]
        let groups = [
            "L": "Letter", "M": "Mark Combining_Mark", "N": "Number", "P": "Punctuation punct",
            "S": "Symbol", "Z": "Separator", "C": "Other",
        ]
        var names: [String: [Unicode.GeneralCategory]] = [
            "LC": [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
        ]
        names["Cased_Letter"] = names["LC"]
        for (aliases, category) in single {
            for name in aliases.split(separator: " ") { names[String(name)] = [category] }
            let group = String(aliases.prefix(1))
            for name in [group] + (groups[group] ?? "").split(separator: " ").map(String.init) {
                names[name, default: []].append(category)
            }
        }
        return names
    }()
}
