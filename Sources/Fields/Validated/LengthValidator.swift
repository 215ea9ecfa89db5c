/// A validator of texts with a number of characters inside of a range; a missing one is not valid.
///
/// ```swift
/// let nick = LengthValidator(3...20, errorMessage: "needs {min} to {max} characters")
/// @Validated([nick.validator]) var name: String?
/// ```
public struct LengthValidator: Validator {
    public let errorMessage: String
    public let rule: Rule<String>

    public init(
        _ range: some RuleRange<Int>,
        in unit: TextUnit = .characters,
        errorMessage: String
    ) {
        rule = (.required && .length(range, in: unit)).message(errorMessage)
        self.errorMessage = rule.errorMessage
    }

    public func isValid(value: String?) -> Bool { rule.isValid(value: value) }
}
