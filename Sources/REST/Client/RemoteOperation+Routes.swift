import ModelKitFields
import ModelKitModels
import ModelKitStores

extension RemoteOperation {
    func path(of route: Route) throws(RouteError) -> String { try router.path(of: route) }

    /// Whether a record may have an identifier in its path.
    func isOfKind(
        _ identifier: Identifier,
        _ schema: ModelSchema
    ) throws(StoreError) -> Bool {
        var entry = try schema.identity()
        if let key = router.identifierKey(of: schema) {
            entry = schema.fields.first { $0.key == key } ?? entry
        }
        return entry.kind == .any || identifier.attributeValue.isOfKind(entry.kind)
    }

    /// The path of the collection that a new record comes to: that of its owner, if it has one.
    func collection(
        of write: RecordWrite,
        _ values: [FieldKey: AttributeValue]
    ) throws(RouteError) -> String {
        try path(of: route(of: write, nil, owner: { values[$0.key] }))
    }

    /// The path of the record that a write is about: where it is now, and not where it is moved.
    func instance(
        of write: RecordWrite,
        _ identifier: Identifier
    ) throws(RouteError) -> String {
        let found = try pathIdentifier(of: write, identifier)
        return try path(
            of: route(of: write, found) { write.source?.storedValue(of: $0) }
        )
    }

    /// What stands for the identifier in the path of a record.
    private func pathIdentifier(
        of write: RecordWrite,
        _ identifier: Identifier
    ) throws(RouteError) -> Identifier {
        guard let key = router.identifierKey(of: write.schema) else { return identifier }
        if let known = state[write.schema, identifier]?.pathIdentifier { return known }
        guard let entry = write.schema.fields.first(where: { $0.key == key }),
            let value = write.source?.storedValue(of: entry),
            let found = try? Identifier(attributeValue: value)
        else { throw .noIdentifier(type: write.schema.name) }
        return found
    }

    private func route(
        of write: RecordWrite,
        _ identifier: Identifier?,
        owner: (ModelSchema.Entry) -> AttributeValue?
    ) -> Route {
        guard let ownership = router.plan(of: write.schema).ownership,
            let value = owner(ownership.entry)
        else { return Route(write.schema, identifier) }
        let held = (write.source?.model as? any HasOwnerField)?.currentOwner
        let known = expanded(value, ownership.schema, held, router.maxPathDepth)
        return router.route(
            to: write.schema,
            identifier,
            values: [ownership.entry.key: known]
        )
    }

    /// What paths have to know of an owner: its identifier, what stands for it, and its own owner.
    private func expanded(
        _ value: AttributeValue,
        _ schema: ModelSchema,
        _ held: (any Model)?,
        _ depth: Int
    ) -> AttributeValue {
        guard depth > 0, let identity = schema.identifier,
            let identifier = value.identifier(at: identity.key)
        else { return value }
        let isHeld = held.map { type(of: $0).schema === schema && $0.identifier == identifier }
        let model =
            isHeld == true ? held : store.session.object(type(of: schema.prototype), identifier)
        guard let model else { return value }
        var known: AttributeDictionary = [:]
        known.set(identifier.attributeValue, at: identity.key.names[...])
        if let key = router.identifierKey(of: schema),
            let entry = schema.fields.first(where: { $0.key == key })
        {
            // What was edited since is not there yet.
            let found = state[schema, identifier]?.pathIdentifier?.attributeValue
            known.set(found ?? entry.field(in: model).storedForm, at: key.names[...])
        }
        if let ownership = router.plan(of: schema).ownership {
            let next = (model as? any HasOwnerField)?.currentOwner
            let form = ownership.entry.field(in: model).storedForm
            known.set(
                expanded(form, ownership.schema, next, depth - 1),
                at: ownership.entry.key.names[...]
            )
        }
        return .dictionary(known)
    }
}

extension AnyField {
    /// The value as a record has it.
    fileprivate var storedForm: AttributeValue {
        var traversal = Traversal()
        return attributeValue(in: &traversal) ?? .null
    }
}

extension AttributeValue {
    /// The identifier that it is, or that it has as a model.
    fileprivate func identifier(at key: FieldKey) -> Identifier? {
        if case .dictionary = self {
            return member(at: key.names).flatMap { try? Identifier(attributeValue: $0) }
        }
        return try? Identifier(attributeValue: self)
    }
}
