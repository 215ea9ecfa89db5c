package import ModelKitFields

extension ModelSchema {
    /// The keys of the fields in a context, in the order of the fields.
    package func keys(in context: ValueTransformerContext) -> [FieldKey] {
        plan(in: context.registry).keys
    }

    /// The keys of the other sides of keys in a context, in the order of `derivedFields`.
    package func derivedKeys(in context: ValueTransformerContext) -> [FieldKey] {
        plan(in: context.registry).derivedKeys
    }
}

extension ModelSchema.Entry {
    /// What the models in the field are; nil of a field whose values are no models.
    package var partnerSchema: ModelSchema? { sample.partnerSchema }

    /// What the models in a field for several are; nil for every other field.
    package var elementSchema: ModelSchema? {
        sample.elementField == nil ? nil : sample.partnerSchema
    }
}
