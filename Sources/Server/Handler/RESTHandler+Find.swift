import ModelKitModels
import ModelKitREST
import ModelKitStores

/// How a model is tied to the one in whose path it stands.
enum Tie: Sendable {
    /// A field of its own has the owner.
    case inField(ModelSchema.Entry, of: ModelSchema)
    /// A field of the owner has its identifier.
    case inOwner(ModelSchema.Entry)
}

/// A model in whose path another one stands, as it is stored.
struct FoundOwner: Sendable {
    let record: FoundRecord
    let tie: Tie
    /// In whose path it stands itself, outermost first.
    let above: [FoundOwner]

    /// All owners in the path up to this one, outermost first.
    var chain: [FoundOwner] { above + [self] }

    /// What the models fulfil that are tied to it.
    func filter(of schema: ModelSchema) throws(StoreError) -> RecordFilter {
        let owner = record.record.identifier.attributeValue
        switch tie {
        case .inField(let entry, _) where entry.isForeignKey:
            return entry.kind == .array
                ? .contains(entry.key, owner) : .compare(entry.key, .equal, owner)
        case .inField(let entry, let partner):
            let isOwner = RecordFilter.compare(try partner.identity().key, .equal, owner)
            return entry.kind == .array
                ? .hasAny(entry.key, partner, isOwner) : .has(entry.key, partner, isOwner)
        case .inOwner(let entry):
            var members: [AttributeValue] = []
            if case .array(let found)? = record.record[entry.key] { members = found }
            return .isIn(try schema.identity().key, members)
        }
    }
}

extension RESTHandler {
    /// What a route leads to, as it is stored; of a singleton the first there is.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - owner: The last of its owners.
    ///   - permit: What the request may do with it.
    ///   - isExact: Whether it has to be of the very class.
    /// - Returns: The record; nil if there is none, or the request may do nothing with it.
    /// - Throws: What the store fails with.
    func find(
        _ route: Route,
        in owner: FoundOwner?,
        _ permit: Permit,
        isExact: Bool = false
    ) async throws -> FoundRecord? {
        let (schema, identifier) = (route.schema, route.identifier)
        guard try await fulfils(owner, permit) else { return nil }
        let tie = try owner?.filter(of: schema)
        let type = try types.type(of: schema)
        if let identifier, type.pathKey == nil, tie == nil {
            let found =
                isExact
                ? try await records.record(identifier, of: schema).value
                    .map { FoundRecord(schema: schema, record: $0) }
                : try await records.find(identifier, below: schema).value
            guard let found, try await fulfils(found, permit, in: owner) else { return nil }
            return found
        }
        var filters: [RecordFilter] = []
        if let identifier {
            let key = type.pathKey ?? type.identity.key
            filters.append(.compare(key, .equal, identifier.attributeValue))
        }
        if let tie { filters.append(tie) }
        // Several may differ by who may see which.
        if let filter = permit.filter { filters.append(filter) }
        let query = RecordQuery(filter: .and(filters), limit: 1)
        return try await find(query, schema, isExact: isExact).first
    }

    /// The records of a type, and of its subclasses unless they have to be of the very class.
    func find(
        _ query: RecordQuery,
        _ schema: ModelSchema,
        isExact: Bool,
        _ filters: [ObjectIdentifier: RecordFilter] = [:]
    ) async throws -> [FoundRecord] {
        if !isExact { return try await records.find(query, below: schema, filters).value }
        return try await records.fetch(query, of: schema).value
            .map { FoundRecord(schema: schema, record: $0) }
    }

    /// The last of the owners in a path, after each was found in the one before; nil if there are none.
    ///
    /// - Throws: That there is no such thing, if one is not there.
    func owner(_ ask: Ask) async throws -> FoundOwner? {
        var last: FoundOwner?
        let owners = ask.route.owners
        for (index, owner) in owners.enumerated() {
            let route = Route(owner.schema, owner.identifier, of: Array(owners[..<index]))
            let permit = try await permit(.lookup, ask, at: route)
            let next = index + 1 < owners.count ? owners[index + 1].schema : ask.route.schema
            guard let found = try await find(route, in: last, permit),
                try await mayRead(found, ask, at: route, in: last),
                let own = owner.tie(to: next)
            else { throw Problem.notFound(ask) }
            last = FoundOwner(record: found, tie: own, above: last?.chain ?? [])
        }
        return last
    }
}

extension Route.Owner {
    /// How the models that follow in a path are tied to this one; nil if nothing says it.
    fileprivate func tie(to schema: ModelSchema) -> Tie? {
        if let ownership = schema.ownership, ownership.schema === self.schema,
            ownership.inverse?.key == field
        {
            return .inField(ownership.entry, of: self.schema)
        }
        guard let field, let entry = self.schema.allFields.first(where: { $0.key == field }) else {
            return nil
        }
        if let inverse = self.schema.relation(of: entry.name)?.inverse,
            let own = schema.fields.first(where: { $0 === inverse })
        {
            return .inField(own, of: self.schema)
        }
        return entry.isForeignKey ? .inOwner(entry) : nil
    }
}
