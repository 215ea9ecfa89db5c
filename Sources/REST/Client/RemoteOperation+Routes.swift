import ModelKitModels
import ModelKitStores

extension RemoteOperation {
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

    /// The path of the record that a write is about: where it is now, and not where it is moved.
    func instance(
        of write: RecordWrite,
        _ identifier: Identifier
    ) throws(RouteError) -> String {
        let found = try pathIdentifier(of: write, identifier)
        return try router.path(
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

    /// The route of a record, or of the collection that a new one comes to: that of its owner, if it has one.
    func route(
        of write: RecordWrite,
        _ identifier: Identifier?,
        owner: (ModelSchema.Entry) -> AttributeValue?
    ) -> Route {
        var route = Route(write.schema, identifier)
        if let ownership = router.plan(of: write.schema).ownership,
            let value = owner(ownership.entry)
        {
            let held = (write.source?.model as? any HasOwnerField)?.currentOwner
            route.owners = owners(by: ownership, value, held, router.maxPathDepth)
        }
        return route
    }

    /// The owners that a value leads to, outermost first, as far as they are known.
    private func owners(
        by ownership: Ownership,
        _ value: AttributeValue,
        _ held: (any Model)?,
        _ depth: Int
    ) -> [Route.Owner] {
        let (schema, plan) = (ownership.schema, router.plan(of: ownership.schema))
        if depth <= 0 { return [] }
        var identifier = schema.identifier.flatMap { value.identifier(at: $0.key) }
        let model = identifier.flatMap { identifier in
            let isHeld = held.map { type(of: $0).schema === schema && $0.identifier == identifier }
            return isHeld == true
                ? held : store.session.object(schema, identifier)
        }
        if let key = router.identifierKey(of: schema) {
            let entry = schema.fields.first { $0.key == key }
            // What was edited since is not there yet.
            let known =
                model == nil ? nil : identifier.flatMap { state[schema, $0]?.pathIdentifier }
            let form =
                model.flatMap { entry?.value(in: $0) ?? .null } ?? value.member(at: key.names)
            identifier = known ?? form.flatMap { try? Identifier(attributeValue: $0) }
        }
        guard identifier != nil || plan.isSingleton && !value.isNull else { return [] }
        let pathIdentifier = plan.isSingleton ? nil : identifier
        let owner = Route.Owner(schema, pathIdentifier, field: ownership.inverse?.key)
        guard let next = plan.ownership else { return [owner] }
        let further = model.map { next.entry.value(in: $0) ?? .null }
        guard let further = further ?? value.member(at: next.entry.key.names) else {
            return [owner]
        }
        let nextHeld = (model as? any HasOwnerField)?.currentOwner
        return owners(by: next, further, nextHeld, depth - 1) + [owner]
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
