/// A validator of email addresses; a missing one is not valid.
///
/// ```swift
/// @Validated([EmailValidator(errorMessage: "must be an email address").validator])
/// var address: String?
/// ```
public struct EmailValidator: Validator {
    public let errorMessage: String
    public let rule: Rule<String>

    public init(errorMessage: String, syntax: EmailSyntax = .html) {
        rule = (.required && .email(syntax)).message(errorMessage)
        self.errorMessage = rule.errorMessage
    }

    public func isValid(value: String?) -> Bool { rule.isValid(value: value) }
}
