import ModelKitFields

extension CodedForms {
    /// That of a field's values.
    static func form(
        of field: AnyField,
        in registry: TransformerRegistry?
    ) -> any CodedForm.Type {
        let (kind, showsValue, _) = field.form(in: registry)
        guard showsValue else { return form(of: kind) }
        if let element = field.elementField { return array(of: form(of: element, in: registry)) }
        if let relation = field as? any RelationField {
            if kind == .dictionary { return model(relation.partner) }
            let schema = relation.partner.schema
            let identifier = schema.identifier?.field(in: schema.prototype)
            return identifier.map { form(of: $0, in: registry) } ?? AttributeValue.self
        }
        return form(of: field.valueType, in: registry)
    }

    /// That of models of a type.
    static func model<M: Model>(_ type: M.Type) -> any CodedForm.Type { CodedModel<M>.self }
}
