public import ModelKitValues

/// A check with one message, in a type of its own.
///
/// ```swift
/// struct ShortValidator: Validator {
///     let errorMessage = "is too long"
///     func isValid(value: String?) -> Bool { (value ?? "").count < 10 }
/// }
/// @Validated([ShortValidator().validator]) var nick: String?
/// ```
///
/// It becomes a `Rule`, which is what fields, forms and `@Validated` take.
public protocol Validator<ValueType>: RuleConvertible where Value == ValueType {
    associatedtype ValueType: Sendable

    /// What is wrong with a value that is not valid.
    var errorMessage: String { get }

    /// Whether a value is valid; nil is for it to decide.
    ///
    /// Called on any thread.
    func isValid(value: ValueType?) -> Bool
}

extension Validator {
    /// Throws the message if a value is not valid.
    public func validate(value: ValueType?) throws(ValidationError) {
        if let error = rule.issues(for: value).first(where: { $0.severity == .error }) {
            throw error
        }
    }

    public var rule: Rule<ValueType> { Rule(validator: self) }

    /// The check as a rule, so that checks of different types can be in one list.
    public var validator: AnyValidator<ValueType> { rule }
}

extension Validator {
    /// A check that passes if both pass; the second is asked only if the first does.
    public func and(_ other: some Validator<ValueType>) -> Rule<ValueType> { and([other]) }

    /// A check that passes if all pass; each is asked only if those before do.
    public func and(_ others: [any Validator<ValueType>]) -> Rule<ValueType> {
        rule.and(others.map { $0.rule })
    }

    /// A check that passes if one of the two passes; the second is asked only if the first does not.
    ///
    /// ```swift
    /// let optionalEmail = EmptyValidator(errorMessage: "must be empty")
    ///     .or(Rule.email.message("must be an email address"))
    /// ```
    public func or(_ other: some Validator<ValueType>) -> Rule<ValueType> { or([other]) }

    /// A check that passes if one of them passes; each is asked only if none before does.
    public func or(_ others: [any Validator<ValueType>]) -> Rule<ValueType> {
        .any([rule] + others.map { $0.rule })
    }
}

/// A check of whatever type: a rule.
public typealias AnyValidator = Rule

extension Rule: Validator {
    public typealias ValueType = Value

    /// Makes a rule of a validator, which is asked about nil, too.
    public init(validator: some Validator<Value>) {
        if let rule = validator as? Rule {
            self = rule
            return
        }
        self.init(constraint: .opaque) { value, asking, issues in
            if asking != .failure && validator.isValid(value: value) { return true }
            if asking != .verdict { issues.append(Issue(message: validator.errorMessage)) }
            return false
        }
    }

    /// The message for a value that does not pass, of the first rule of those that this one is made of.
    ///
    /// A rule that is a function has no message of its own: it "is invalid".
    public var errorMessage: String {
        var issues: [Issue] = []
        _ = core.body(nil, .failure, &issues)
        return issues.first?.message ?? Issue(message: "is invalid").message
    }

    /// Whether a value passes; warnings do not keep it from that.
    public func isValid(value: Value?) -> Bool {
        var issues: [Issue] = []
        return core.body(value, .verdict, &issues)
    }
}
