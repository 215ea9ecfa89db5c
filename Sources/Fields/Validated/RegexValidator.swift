/// A validator of texts that a regular expression matches as a whole; a missing one is not valid.
///
/// ```swift
/// let email = RegexValidator(
///     regex: "[A-Z0-9a-z._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,64}",
///     errorMessage: "Email has wrong format"
/// )
/// @Validated([email.validator]) var address: String?
/// ```
///
/// It takes time in proportion to the length of the text. The dialect is that of ``Pattern``, and a
/// hyphen beside `\w` in a class is itself, as in `NSRegularExpression`: `[\w-.]`. With an
/// expression that this refuses no text is valid, which is reported to `ModelKitDiagnostics` once, when the
/// validator is made. `Pattern` itself throws.
public struct RegexValidator: Validator {
    public let errorMessage: String
    private let pattern: Pattern?

    /// A validator by an expression.
    ///
    /// - Parameters:
    ///   - regex: The expression.
    ///   - errorMessage: What is said of texts that it does not match.
    ///   - file: Where it is made, for the diagnostic of an expression that is refused.
    ///   - line: The line there.
    public init(
        regex: String,
        errorMessage: String,
        file: String = #fileID,
        line: Int = #line
    ) {
        self.errorMessage = errorMessage
        do throws(PatternError) {
            // Alone first: what closes a group too early must not close the one around it.
            _ = try Pattern(regex, takesHyphens: true)
            pattern = try Pattern("^(?:\(regex))$", takesHyphens: true)
        } catch {
            pattern = nil
            ModelKitDiagnostics.report(
                Diagnostic(
                    code: .refusedPattern,
                    message: "a regular expression is refused, and no text is valid: \(error)",
                    file: file,
                    line: line
                )
            )
        }
    }

    public func isValid(value: String?) -> Bool {
        guard let value, let pattern else { return false }
        return pattern.isFound(in: value)
    }
}
