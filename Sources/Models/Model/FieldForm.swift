import ModelKitFields

/// What a field of a type has in JSON, as far as it is known before any value.
enum FieldForm: Sendable {
    case text
    case integer
    case number
    case boolean
    case texts
    case model
    case models
    /// Whatever its attribute value says, and numbers with more digits than those of doubles.
    case wide
    /// Whatever its attribute value says.
    case any

    /// The form of a field, and that of the models in it.
    static func of(_ field: AnyField) -> (FieldForm, (any ModelForm)?) {
        let type = field.valueType
        if type == String.self { return (.text, nil) }
        if type == Int.self { return (.integer, nil) }
        if type == Double.self { return (.number, nil) }
        if type == Bool.self { return (.boolean, nil) }
        if type == [String].self { return (.texts, nil) }
        if let field = field as? any NestingField { return (.model, field.form) }
        if let element = field.elementField as? any NestingField { return (.models, element.form) }
        let takesWideNumbers = CodedForms.form(of: type).takesWideNumbers
        return (takesWideNumbers ? .wide : .any, nil)
    }
}
