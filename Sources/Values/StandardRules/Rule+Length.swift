extension Rule where Value == String {
    /// At least this much text: "length must be greater than or equal to 3".
    ///
    /// Looks at no more of the text than that much. A unit other than characters is in the message,
    /// "… to 3 bytes", and the parameter "unit".
    public static func minLength(_ count: Int, in unit: TextUnit = .characters) -> Rule {
        Rule(
            .length("minLength", "greater than or equal to", count, unit, as: "min"),
            constraint: .minLength(count, in: unit)
        ) {
            count <= 0 || $0.isLonger(than: count - 1, in: unit)
        }
    }

    /// At most this much text: "length must be less than or equal to 40".
    ///
    /// Looks at no more of the text than that much. A unit other than characters is in the message,
    /// "… to 40 bytes", and the parameter "unit".
    public static func maxLength(_ count: Int, in unit: TextUnit = .characters) -> Rule {
        Rule(
            .length("maxLength", "less than or equal to", count, unit, as: "max"),
            constraint: .maxLength(count, in: unit)
        ) {
            !$0.isLonger(than: count, in: unit)
        }
    }

    /// Exactly this much text: "length must be equal to 6".
    public static func length(_ count: Int, in unit: TextUnit = .characters) -> Rule {
        Rule(
            .length("length", "equal to", count, unit, as: "value"),
            constraint: .all([.minLength(count, in: unit), .maxLength(count, in: unit)])
        ) {
            (count <= 0 || $0.isLonger(than: count - 1, in: unit))
                && !$0.isLonger(than: count, in: unit)
        }
    }

    /// A length inside a range, which may be open at one end.
    ///
    /// The message names the end that was passed.
    public static func length(
        _ range: some RuleRange<Int>,
        in unit: TextUnit = .characters
    ) -> Rule {
        range.ruleBounds.rule(
            exactly: { .length($0, in: unit) },
            min: { .minLength($0, in: unit) },
            max: { .maxLength($0, in: unit) },
            below: { .maxLength(Swift.max($0, 0) - 1, in: unit) }
        )
    }
}

extension Issue {
    fileprivate static func length(
        _ code: String,
        _ comparison: String,
        _ count: Int,
        _ unit: TextUnit,
        as name: String
    ) -> Issue {
        var issue = Issue(code, "length must be " + comparison, .int(Int64(count)), as: name)
        guard let plural = unit.plural else { return issue }
        issue = Issue(
            standard: code,
            message: "\(issue.text) \(plural)",
            parameters: issue.parameters.merging(["unit": .string(unit.rawValue)]) { $1 }
        )
        return issue
    }
}
