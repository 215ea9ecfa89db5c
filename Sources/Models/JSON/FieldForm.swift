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

/// A field whose values are models.
protocol NestingField: AnyField {
    var form: any ModelForm { get }
    /// Whether models are dictionaries of all their fields in a context.
    func isWhole(in registry: TransformerRegistry?) -> Bool
}

extension ModelField: NestingField {
    var form: any ModelForm { ModelFormOf<M>() }
    func isWhole(in registry: TransformerRegistry?) -> Bool {
        transformer(in: registry)?.isStandardModel ?? false
    }
}

/// What fields of a type of models read and write.
protocol ModelForm: AnyObject, Sendable {
    /// Reads the object that stands there into a field; false where attribute values have to decide.
    func read(
        _ reader: inout JSONReader,
        into field: AnyField,
        in scope: inout ImportScope
    ) throws(JSONReader.Failure) -> Bool

    /// The same with an array of objects.
    func readArray(
        _ reader: inout JSONReader,
        into field: AnyField,
        in scope: inout ImportScope
    ) throws(JSONReader.Failure) -> Bool

    /// The attribute value of a field of one model, as the field gives it.
    func attributeValue(of field: AnyField, in traversal: inout Traversal) -> AttributeValue?

    /// Writes the field's model.
    func write(
        _ field: AnyField,
        to writer: inout JSONWriter,
        in traversal: inout Traversal
    ) -> JSONWriter.Outcome

    /// Writes the field's models.
    func writeArray(
        _ field: AnyField,
        to writer: inout JSONWriter,
        in traversal: inout Traversal
    ) -> JSONWriter.Outcome
}
