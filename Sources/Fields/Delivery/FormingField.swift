extension FieldTransformer {
    /// The form that the class of a field gives its values, which is looked for once.
    static func form(of field: FieldCore<Value>) -> FieldTransformer? where Value: Equatable {
        TransformerCache.transformer(for: ObjectIdentifier(type(of: field))) {
            field.makeClassForm()
        }
    }
}

/// A field of a class of another module that says which form values have.
package protocol FormingField: AnyField {
    /// A `FieldTransformer` of the field's values.
    ///
    /// Asked only of fields with `hasClassForm`.
    var classForm: any Sendable { get }

    /// Another field of the same kind, without a value.
    func makeBlank() -> AnyField

    /// Is called at the first set of a field that is to be one side of a relation, and is not.
    func noteUnrelated(_ label: String?)
}
