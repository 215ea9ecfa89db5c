public import ModelKitValues

/// A validator of texts without a character; a missing one is empty.
///
/// It is for values that may be left out, as what another validator would refuse:
///
/// ```swift
/// let email = EmptyValidator(errorMessage: "must be empty")
///     .or(Rule.email.message("must be an email address"))
///     .message("must be an email address")
/// @Validated([email]) var address: String?
/// ```
public struct EmptyValidator: Validator {
    public let errorMessage: String
    public let rule: Rule<String>

    public init(errorMessage: String) {
        rule = .maxLength(0).message(errorMessage)
        self.errorMessage = rule.errorMessage
    }

    public func isValid(value: String?) -> Bool { rule.isValid(value: value) }
}
