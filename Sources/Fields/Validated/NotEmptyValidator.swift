/// A validator of texts that have a character at least; a missing one is empty.
///
/// ```swift
/// @Validated([NotEmptyValidator(errorMessage: "cannot be empty").validator]) var name: String?
/// ```
public struct NotEmptyValidator: Validator {
    public let errorMessage: String

    public init(errorMessage: String) {
        self.errorMessage = errorMessage
    }

    public func isValid(value: String?) -> Bool { value?.isEmpty == false }
}
