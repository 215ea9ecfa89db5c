/// A validator of values that are there.
///
/// ```swift
/// @Validated([NotNilValidator<Int>(errorMessage: "is required").validator]) var age: Int?
/// ```
public struct NotNilValidator<Value: Sendable>: Validator {
    public let errorMessage: String
    public let rule: Rule<Value>

    public init(errorMessage: String) {
        rule = .required.message(errorMessage)
        self.errorMessage = rule.errorMessage
    }

    public func isValid(value: Value?) -> Bool { rule.isValid(value: value) }
}
