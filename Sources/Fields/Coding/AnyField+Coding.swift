package import ModelKitValues

extension AnyField {
    /// Whether a value of a context can be read, whatever the field's domain is.
    package final func reads(_ value: AttributeValue, in registry: TransformerRegistry?) -> Bool {
        typed?.readsTyped(value, in: registry) ?? false
    }

    /// Whether values have an attribute form, without which they are in no dictionary.
    package final var isConvertible: Bool { typed.map { $0.formTyped(in: nil) != nil } ?? true }

    /// What kind every value's attribute form is.
    package final var attributeKind: AttributeKind { form(in: nil).kind }

    /// What kind every value's attribute form is in a context, whether it is the value itself, whatever
    /// that is written in, and whether it is a number, whole or not.
    package final func form(
        in registry: TransformerRegistry?
    ) -> (kind: AttributeKind, showsValue: Bool, isNumber: Bool) {
        typed?.formTyped(in: registry) ?? (.any, false, false)
    }

    /// What the domain demands of a value, as data.
    package final var domainConstraint: Constraint { typed?.constraintTyped ?? .all([]) }
}

extension TypedField {
    fileprivate func readsTyped(_ value: AttributeValue, in registry: TransformerRegistry?) -> Bool
    {
        var scope = ImportScope(in: registry)
        return core.transformer(in: registry)?.read(value, [], &scope) != nil
    }

    fileprivate func formTyped(
        in registry: TransformerRegistry?
    ) -> (kind: AttributeKind, showsValue: Bool, isNumber: Bool)? {
        core.transformer(in: registry).map { ($0.kind, $0.showsValue, $0.isNumber) }
    }

    fileprivate var constraintTyped: Constraint? { core.givenDomain?.constraint }

    /// The value as a short text; nil when there is none.
    package func valueDescription(in traversal: inout Traversal) -> String? {
        guard let value = core.readTracked({ core.storage }) else { return nil }
        guard let attribute = core.transformer?.export(value, &traversal) else { return "\(value)" }
        return attribute.description
    }
}
