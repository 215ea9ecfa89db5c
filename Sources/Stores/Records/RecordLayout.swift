package import ModelKitFields
package import ModelKitModels

/// What the values of a type's records are made of, and where that of each field stands: so a record is
/// made without hashing its keys.
package struct RecordLayout: Sendable {
    /// Null for each field.
    package let template: [FieldKey: AttributeValue]
    /// In the order of the fields.
    package let slots: [Dictionary<FieldKey, AttributeValue>.Index]

    package init(of schema: ModelSchema) {
        let template = Dictionary(
            schema.fields.map { ($0.key, AttributeValue.null) },
            uniquingKeysWith: { $1 }
        )
        self.template = template
        slots = schema.fields.compactMap { template.index(forKey: $0.key) }
    }
}
