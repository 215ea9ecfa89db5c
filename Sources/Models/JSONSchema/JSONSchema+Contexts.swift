public import ModelKitFields

extension JSONSchema {
    /// The schema of the values that a rule accepts in contexts.
    ///
    /// ```swift
    /// JSONSchema(Rule<String>.notBlank.on(.publish), in: .publish)
    /// ```
    ///
    /// Without contexts, rules that are asked only `on` some are not represented; those that are not
    /// asked in some are.
    public init<Value>(
        _ rule: Rule<Value>,
        in context: ValidationContext,
        _ more: ValidationContext...
    ) {
        self = ValidationContext.withCurrent(Set([context] + more)) { JSONSchema(rule) }
    }

    /// The schema of the objects whose properties pass the checks of a form in contexts.
    public init<Root, Outcome>(
        _ validation: Partial<Root>.Validation<Outcome>,
        in context: ValidationContext,
        _ more: ValidationContext...
    ) {
        self = ValidationContext.withCurrent(Set([context] + more)) { JSONSchema(validation) }
    }

    /// The schema of the dictionaries of which models of a type are made that are valid in contexts.
    public init<M: Model>(
        _ type: M.Type,
        in context: ValidationContext,
        _ more: ValidationContext...
    ) {
        self = ValidationContext.withCurrent(Set([context] + more)) { JSONSchema(type) }
    }
}
