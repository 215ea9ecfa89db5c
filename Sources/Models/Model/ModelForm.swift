import ModelKitFields

/// A field whose values are models.
protocol NestingField: AnyField {
    var form: any ModelForm { get }
    /// Whether models are dictionaries of all their fields in a context.
    func isWhole(in registry: TransformerRegistry?) -> Bool
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
