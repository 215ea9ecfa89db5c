public import ModelKitValues

/// A property with rules, whose errors can be asked for and observed.
///
/// ```swift
/// struct Registration {
///     @Validated([.required, .email]) var email: String?
/// }
/// var form = Registration()
/// form.$email.errors.map(\.message)                      // ["is required"]
/// form.$email.observe { errors in show(errors) }         // now, and at every set
/// form.email = "ada@example.com"
/// ```
///
/// Any value may be set, whatever the rules say. They are evaluated whenever somebody asks for the errors,
/// and at every set for everyone who observes them, and never otherwise: so the errors are those of
/// this value and of now, also where a rule distinguishes values that are equal, or depends on the time.
///
/// The wrapper is an object: copies of a struct share the property. It may be set on any thread if
/// it can be brought there; it is not `Sendable`, so that presets can be subclasses:
///
/// ```swift
/// @propertyWrapper final class Email: Validated<String> {
///     override var wrappedValue: String? {
///         get { super.wrappedValue }
///         set { super.wrappedValue = newValue }
///     }
///     override var projectedValue: Validated<String> { super.projectedValue }
///     init(wrappedValue: String? = nil) { super.init(wrappedValue: wrappedValue, [.email]) }
/// }
/// ```
@propertyWrapper
open class Validated<Value: Sendable> {
    let field: Field<ValidatedValue<Value>>
    let rule: Rule<Value>

    /// A property with a value and rules, all of which report.
    public init(wrappedValue: Value? = nil, _ rules: [Rule<Value>]) {
        rule = .all(rules)
        field = Field(value: wrappedValue.map(ValidatedValue.init)).equality { _, _ in false }
    }

    deinit {
        // A view of the main thread may hold the field.
        field.removeAllObservers()
    }

    /// A property with a value and rules of several types.
    @_disfavoredOverload  // a list of rules alone is one of `Rule`s, so that `.required` is found
    public init(
        wrappedValue: Value? = nil,
        _ rules: [any RuleConvertible<Value>]
    ) {
        // Not by the other initialiser, which could not be called by presets then.
        rule = .all(rules.map { $0.rule })
        field = Field(value: wrappedValue.map(ValidatedValue.init)).equality { _, _ in false }
    }

    /// A property with a value and one rule.
    public convenience init(wrappedValue: Value? = nil, _ rule: Rule<Value>) {
        self.init(wrappedValue: wrappedValue, [rule])
    }

    /// The value; nil when there is none.
    open var wrappedValue: Value? {
        get { field.value?.value }
        set { field.value = newValue.map(ValidatedValue.init) }
    }

    /// The wrapper, which has the errors.
    open var projectedValue: Validated<Value> { self }

    /// What is wrong with the value, warnings too, in the order of the rules.
    ///
    public final var errors: [ValidationError] { rule.issues(for: fieldValue) }

    /// Whether nothing is wrong with the value but for warnings.
    public final var isValid: Bool { !errors.isBlocking }

    /// Throws the first error of the value.
    public final func validate() throws(ValidationError) { try rule.validate(value: fieldValue) }

    /// The value, whatever a preset makes of `wrappedValue`.
    private final var fieldValue: Value? { field.value?.value }
}

/// A value in a field to which each set is a change: a rule may distinguish values that are equal, and
/// the type need not know what equal is.
struct ValidatedValue<Value: Sendable>: Equatable, Sendable {
    let value: Value

    static func == (_: ValidatedValue, _: ValidatedValue) -> Bool { false }
}
