package import ModelKitFields

extension ModelSchema {
    /// The keys of the fields in a context, in the order of the fields.
    package func keys(in context: ValueTransformerContext) -> [FieldKey] {
        plan(in: context.registry).keys
    }
}

extension ModelSchema.Entry {
    /// What the models in the field are; nil of a field whose values are no models.
    package var partnerSchema: ModelSchema? { (sample as? any RelationField)?.partner.schema }
}
