public import ModelKitFields
public import ModelKitModels

extension RESTRouter {
    /// The path of all models of a type.
    public func collectionPath(for type: any Model.Type) -> String {
        text(of: plan(of: type.schema).path)
    }

    /// The path of the collection that a model is in: of its owner, if it has one.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - maxDepth: How many owners the path may have; `maxPathDepth`, if it is not said.
    /// - Returns: The path, as `/companies/10/employees`.
    /// - Throws: `.emptyIdentifier`, if an owner has one.
    public func collectionPath(
        for model: some Model,
        maxDepth: Int? = nil
    ) throws(RouteError) -> String {
        try path(of: Route(type(of: model).schema, of: owners(of: model, maxDepth)))
    }

    /// The path of a model: below its owner's, if it has one.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - maxDepth: How many owners the path may have; `maxPathDepth`, if it is not said.
    /// - Returns: The path, as `/companies/10/employees/45`.
    /// - Throws: `.noIdentifier`, if the model has none, and `.emptyIdentifier`, if it or an owner has one.
    public func instancePath(
        for model: some Model,
        maxDepth: Int? = nil
    ) throws(RouteError) -> String {
        try path(of: route(to: model, maxDepth: maxDepth))
    }

    /// The path of all models of a type.
    public func path(to type: any Model.Type) -> String { collectionPath(for: type) }

    /// The path of a model, without owners.
    public func path(to model: some Model) throws(RouteError) -> String {
        try instancePath(for: model, maxDepth: 0)
    }

    /// The path of a model in a field, below that of the model whose field it is.
    public func path<M: Model>(
        to child: M,
        in field: ModelArrayField<M>
    ) throws(RouteError) -> String {
        var route = try route(to: field, nil, 0)
        (route.schema, route.identifier) = (type(of: child).schema, try required(child))
        return try path(of: route)
    }

    /// The path of the models in a field, below that of the model whose field it is.
    ///
    /// ```swift
    /// try router.path(to: company.employees)   // "/companies/10/employees"
    /// try router.path(to: company.formerEmployees, of: company)
    /// // "/companies/10/former_employees"
    /// ```
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - model: Whose it is, which a field without an inverse does not know.
    ///   - maxDepth: How many owners of that model the path may have.
    /// - Returns: The path.
    /// - Throws: A `RouteError`, if there is none.
    public func path<M: Model>(
        to field: ModelArrayField<M>,
        of model: (any Model)? = nil,
        maxDepth: Int = 0
    ) throws(RouteError) -> String {
        try path(of: route(to: field, model, maxDepth))
    }

    /// The route of a model, with its owners.
    ///
    /// It ends at an owner without an identifier, and at one that comes again.
    public func route(
        to model: some Model,
        maxDepth: Int? = nil
    ) throws(RouteError) -> Route {
        let owners = owners(of: model, maxDepth)
        return Route(type(of: model).schema, try required(model), of: owners)
    }

    /// The route of the models in a field.
    func route<M: Model>(
        to field: ModelArrayField<M>,
        _ owner: (any Model)?,
        _ maxDepth: Int
    ) throws(RouteError) -> Route {
        guard let owner = owner ?? field.relationOwner as? any Model,
            let entry = type(of: owner).schema.allFields
                .first(where: { $0.field(in: owner) === field })
        else { throw .noField(type: owner.map { type(of: $0).modelName } ?? M.modelName) }
        let step = Route.Owner(type(of: owner).schema, try required(owner), field: entry.key)
        return Route(M.schema, of: owners(of: owner, maxDepth) + [step])
    }

    /// The owners of a model, outermost first.
    private func owners(of model: any Model, _ maxDepth: Int?) -> [Route.Owner] {
        var owners: [Route.Owner] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
        var model = model
        while owners.count < maxDepth ?? maxPathDepth,
            let owner = (model as? any HasOwnerField)?.currentOwner,
            seen.insert(ObjectIdentifier(owner)).inserted
        {
            let schema = type(of: owner).schema
            let identifier = isSingleton(schema) ? nil : identifier(of: owner)
            if identifier == nil, !isSingleton(schema) { break }
            let field = plan(of: type(of: model).schema).ownership?.inverse?.key
            owners.append(Route.Owner(schema, identifier, field: field))
            model = owner
        }
        return owners.reversed()
    }

    /// The identifier of a model in paths; nil of the only one of its type.
    private func required(_ model: any Model) throws(RouteError) -> Identifier? {
        let schema = type(of: model).schema
        if isSingleton(schema) { return nil }
        guard let identifier = identifier(of: model) else { throw .noIdentifier(type: schema.name) }
        return identifier
    }

    private func identifier(of model: any Model) -> Identifier? {
        let schema = type(of: model).schema
        guard let key = identifierKey(of: schema) else { return model.identifier }
        guard let entry = schema.fields.first(where: { $0.key == key }) else { return nil }
        return entry.value(in: model).flatMap { try? Identifier(attributeValue: $0) }
    }
}

extension ModelSchema.Entry {
    /// The value of the field as a record has it; nil when it was never set and is nil.
    func value(in model: any Model) -> AttributeValue? {
        var traversal = Traversal()
        return field(in: model).attributeValue(in: &traversal)
    }
}
