import ModelKitModels
import ModelKitREST
import ModelKitStores

/// What a request may see or write of a type.
struct Permit: Sendable {
    /// What all models that it is about fulfil; nil for no condition.
    var filter: RecordFilter?
    /// What their owners in the path fulfil, by the types of those.
    var owners: [(schema: ModelSchema, filter: RecordFilter)] = []

    /// Takes away what another one does not permit.
    mutating func add(_ other: Permit) {
        owners += other.owners
        guard let more = other.filter else { return }
        filter = filter.map { .and([$0, more]) } ?? more
    }
}

extension RESTHandler {
    /// Asks what a request may do, with what its path leads to or with something else.
    func permit(
        _ action: RESTAction,
        _ ask: Ask,
        at other: Route? = nil
    ) async throws -> Permit {
        guard let authorize else { return Permit() }
        let access = ask.access(action, at: other)
        let own = (other ?? ask.route).schema
        switch try await authorize(access) {
        case .allowed: return Permit()
        case .restricted(let filter, let type):
            guard let other = type?.schema, !own.isOrInherits(from: other),
                !other.isOrInherits(from: own)
            else { return Permit(filter: filter) }
            if access.owners.contains(where: { $0.schema.isOrInherits(from: other) }) {
                return Permit(owners: [(other, filter)])
            }
            throw StoreError.schema(
                "authorize restricts \(own.name) by a condition on \(other.name)"
            )
        case .unauthorized(let challenge):
            let headers: HTTPHeaders = ["WWW-Authenticate": challenge]
            throw Problem(401, code: "unauthorized", headers: headers)
        case .forbidden: throw Problem.forbidden
        case .notFound: throw Problem.notFound(ask)
        }
    }

    /// Asks what a request may do with the class of a model, where that is not the type of its path.
    func permit(
        _ action: RESTAction,
        _ ask: Ask,
        ofClass schema: ModelSchema
    ) async throws -> Permit {
        if schema === ask.route.schema { return Permit() }
        return try await permit(action, ask, at: ask.route.ofClass(schema))
    }

    /// Whether what is said of the class of a record lets it be read, where that is not the type that
    /// was asked about.
    func mayRead(
        _ found: FoundRecord,
        _ ask: Ask,
        at route: Route,
        in owner: FoundOwner?
    ) async throws -> Bool {
        if found.schema === route.schema { return true }
        return try await mayLookUp(found, ask, at: route.ofClass(found.schema), in: owner)
    }

    private func mayLookUp(
        _ found: FoundRecord,
        _ ask: Ask,
        at route: Route,
        in owner: FoundOwner?
    ) async throws -> Bool {
        do {
            let permit = try await permit(.lookup, ask, at: route)
            return try await fulfils(found, permit, in: owner)
        } catch is Problem {
            return false
        }
    }

    /// Whether a request may see a record: that of its path, or another one that its answer is to name.
    func maySee(
        _ found: FoundRecord,
        _ ask: Ask,
        in owner: FoundOwner?,
        isOther: Bool = false
    ) async throws -> Bool {
        guard authorize != nil else { return true }
        var route = isOther ? Route(found.schema) : ask.route
        route.identifier = try types.type(of: route.schema).pathIdentifier(of: found.record)
        guard try await mayLookUp(found, ask, at: route, in: owner) else { return false }
        return try await mayRead(found, ask, at: route, in: owner)
    }

    /// What a request may list of the classes below a type, where it may not list all of them.
    func classFilters(
        _ ask: Ask,
        in owner: FoundOwner?
    ) async throws -> [ObjectIdentifier: RecordFilter] {
        guard authorize != nil else { return [:] }
        var filters: [ObjectIdentifier: RecordFilter] = [:]
        for schema in ask.route.schema.subclasses {
            do {
                let permit = try await permit(.list, ask, ofClass: schema)
                let isAny = try await fulfils(owner, permit)
                filters[schema.type] = isAny ? permit.filter : .or([])
            } catch is Problem {
                // None at all.
                filters[schema.type] = .or([])
            }
        }
        return filters
    }

    /// Whether a stored record is one of those that a request may do something with.
    func fulfils(
        _ found: FoundRecord,
        _ permit: Permit,
        in owner: FoundOwner?
    ) async throws -> Bool {
        guard try await fulfils(owner, permit) else { return false }
        return try await fulfils(found, permit.filter)
    }

    /// Whether the owners in a path are those below which a request may do something.
    func fulfils(_ owner: FoundOwner?, _ permit: Permit) async throws -> Bool {
        for (schema, filter) in permit.owners {
            let found = (owner?.chain ?? []).map(\.record)
                .filter { $0.schema.isOrInherits(from: schema) }
            if found.isEmpty { return false }
            for found in found {
                guard try await fulfils(found, filter) else { return false }
            }
        }
        return true
    }

    /// Whether the owners that a model has by its values are those below which a request may do something, as
    /// those in its path are.
    func fulfils(
        ownersBy values: [FieldKey: AttributeValue],
        _ permit: Permit,
        insteadOf owner: FoundOwner?
    ) async throws -> Bool {
        guard !permit.owners.isEmpty, let owner,
            case .inField(let entry, let partner) = owner.tie
        else { return true }
        let identity = try partner.identity().key
        let identifiers = (values[entry.key] ?? .null).identifiers(at: identity)
        if identifiers.contains(owner.record.record.identifier) { return true }
        search: for identifier in identifiers {
            guard let found = try await records.find(identifier, below: partner).value else {
                continue
            }
            for (schema, filter) in permit.owners where found.schema.isOrInherits(from: schema) {
                guard try await fulfils(found, filter) else { continue search }
            }
            let values = found.record.values
            if try await fulfils(ownersBy: values, permit, insteadOf: owner.above.last) {
                return true
            }
        }
        return false
    }

    private func fulfils(_ found: FoundRecord, _ filter: RecordFilter?) async throws -> Bool {
        guard let filter else { return true }
        if filter.partners(of: found.schema).isEmpty {
            return filter.matches(found.record.values, of: found.schema)
        }
        let identity = try found.schema.identity().key
        let identifier = found.record.identifier.attributeValue
        let one = RecordFilter.compare(identity, .equal, identifier)
        let query = RecordQuery(filter: .and([one, filter]), limit: 1)
        return try await records.fetch(query, of: found.schema).value.isEmpty == false
    }

    /// Whether values that are to be written are those of a model that a request may do something with.
    ///
    /// Of related models those count that are stored; what they are related to in turn is not looked at, and
    /// a condition on it is not fulfilled.
    func fulfils(
        _ values: [FieldKey: AttributeValue],
        of schema: ModelSchema,
        _ permit: Permit
    ) async throws -> Bool {
        guard let filter = permit.filter else { return true }
        var related: [ObjectIdentifier: [Identifier: Record]] = [:]
        for partner in filter.partners(of: schema) {
            for entry in schema.fields where entry.partnerSchema === partner {
                for identifier in values[entry.key]?.identifiers() ?? [] {
                    let record = try await records.record(identifier, of: partner).value
                    related[ObjectIdentifier(partner), default: [:]][identifier] = record
                }
            }
        }
        let record = Record(identifier: "", revision: 1, values: values)
        let query = RecordQuery(filter: filter)
        return !query.answer(from: [record], of: schema) { related[ObjectIdentifier($1)]?[$0] }
            .isEmpty
    }

    /// A filter that asks about related models only as far as the request may list those.
    ///
    /// What it negates is negated where it is asked at last, which comes to the same. Around a condition on
    /// related models a `not` would reveal those for which the permit is unknown: they fulfil neither that nor
    /// its negation, unless what was asked is false.
    func permitted(
        _ filter: RecordFilter,
        _ ask: Ask,
        isNegated: Bool = false
    ) async throws -> RecordFilter {
        guard authorize != nil else { return filter }
        func all(_ filters: [RecordFilter]) async throws -> [RecordFilter] {
            var all: [RecordFilter] = []
            for filter in filters {
                all.append(try await permitted(filter, ask, isNegated: isNegated))
            }
            return all
        }
        func related(_ partner: ModelSchema, _ filter: RecordFilter, isNegated: Bool) async throws
            -> RecordFilter
        {
            let permit = try await permit(.list, ask, at: Route(partner))
            let inner = try await permitted(filter, ask, isNegated: isNegated)
            return permit.filter.map { .and([$0, inner]) } ?? inner
        }
        switch filter {
        case .has(let key, let partner, let inner):
            return .has(key, partner, try await related(partner, inner, isNegated: isNegated))
        case .hasAny(let key, let partner, let inner):
            // Which is never unknown.
            let inner = try await related(partner, inner, isNegated: false)
            let filter = RecordFilter.hasAny(key, partner, inner)
            return isNegated ? .not(filter) : filter
        case .and(let filters):
            return isNegated ? .or(try await all(filters)) : .and(try await all(filters))
        case .or(let filters):
            return isNegated ? .and(try await all(filters)) : .or(try await all(filters))
        case .not(let inner): return try await permitted(inner, ask, isNegated: !isNegated)
        default: return isNegated ? .not(filter) : filter
        }
    }
}

extension Route {
    /// The same for a class below its type.
    fileprivate func ofClass(_ schema: ModelSchema) -> Route {
        Route(schema, identifier, of: owners)
    }
}

extension ModelSchema {
    /// Whether it is another one, or that of a class below it.
    fileprivate func isOrInherits(from other: ModelSchema) -> Bool {
        self === other || other.subclasses.contains { $0 === self }
    }
}

extension Problem {
    /// That there is no such thing, whether it is hidden or not there.
    static func notFound(_ ask: Ask) -> Problem {
        var problem = Problem(404, code: "notFound")
        problem.note(ask.route.schema.name, ask.route.identifier)
        return problem
    }
}

extension AttributeValue {
    /// The identifiers in a foreign key, or in an array of such, or of models that are there themselves.
    func identifiers(at identity: FieldKey? = nil) -> [Identifier] {
        let elements = if case .array(let elements) = self { elements } else { [self] }
        return elements.compactMap { element in
            var value = element
            if let identity, case .dictionary(let model) = element {
                value = model.value(atKey: identity) ?? .null
            }
            return try? Identifier(attributeValue: value)
        }
    }
}
