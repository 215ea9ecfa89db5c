import ModelKitFields
import ModelKitModels
import ModelKitStores

/// What a request may see or write of a type.
struct Permit: Sendable {
    /// What all models that it is about fulfil; nil for no condition.
    let filter: RecordFilter?
}

extension RESTHandler {
    /// Asks what a request may do.
    func permit(
        _ action: RESTAction,
        _ ask: Ask,
        _ schema: ModelSchema? = nil,
        _ identifier: Identifier? = nil,
        of owners: [Route.Owner]? = nil
    ) async throws -> Permit {
        guard let authorize else { return Permit(filter: nil) }
        let type: any Model.Type =
            schema.map { Swift.type(of: $0.prototype) } ?? ask.type.type
        let access = RESTAccess(
            request: ask.request,
            action: action,
            type: type,
            identifier: schema == nil ? ask.route.identifier : identifier,
            owners: owners ?? ask.route.owners
        )
        switch try await authorize(access) {
        case .allowed: return Permit(filter: nil)
        case .restricted(let filter): return Permit(filter: filter)
        case .unauthorized(let challenge):
            var problem = Problem(401, code: "unauthorized")
            problem.headers["WWW-Authenticate"] = challenge
            throw problem
        case .forbidden: throw Problem(403, code: "forbidden")
        case .notFound: throw Problem.notFound(ask)
        }
    }

    /// Whether a request may see a record.
    func maySee(_ found: FoundRecord, _ ask: Ask) async throws -> Bool {
        guard authorize != nil else { return true }
        let permit: Permit
        do {
            permit = try await self.permit(
                .lookup,
                ask,
                ask.route.schema,
                found.record.identifier
            )
        } catch is Problem {
            return false
        }
        return try await fulfils(found, permit)
    }

    /// Whether a stored record is one of those that a request may do something with.
    func fulfils(_ found: FoundRecord, _ permit: Permit) async throws -> Bool {
        guard let filter = permit.filter else { return true }
        if filter.partners(of: found.schema).isEmpty {
            return filter.matches(found.record.values)
        }
        let identity = try found.schema.identity().key
        let one = RecordFilter.compare(
            identity,
            .equal,
            found.record.identifier.attributeValue
        )
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
                for identifier in values[entry.key]?.identifiers ?? [] {
                    let record = try await records.record(identifier, of: partner).value
                    related[ObjectIdentifier(partner), default: [:]][identifier] = record
                }
            }
        }
        let record = Record(identifier: "", revision: 1, values: values)
        let answer = RecordQuery(filter: filter).answer(from: [record]) { identifier, schema in
            related[ObjectIdentifier(schema)]?[identifier]
        }
        return !answer.isEmpty
    }

    /// A filter that asks about related models only as far as the request may list those.
    func permitted(_ filter: RecordFilter, _ ask: Ask) async throws -> RecordFilter {
        guard authorize != nil else { return filter }
        switch filter {
        case .has(let key, let partner, let inner):
            return .has(key, partner, try await permitted(inner, of: partner, ask))
        case .hasAny(let key, let partner, let inner):
            return .hasAny(key, partner, try await permitted(inner, of: partner, ask))
        case .and(let filters):
            var all: [RecordFilter] = []
            for filter in filters { all.append(try await permitted(filter, ask)) }
            return .and(all)
        case .or(let filters):
            var all: [RecordFilter] = []
            for filter in filters { all.append(try await permitted(filter, ask)) }
            return .or(all)
        case .not(let inner): return .not(try await permitted(inner, ask))
        default: return filter
        }
    }

    private func permitted(
        _ filter: RecordFilter,
        of partner: ModelSchema,
        _ ask: Ask
    ) async throws -> RecordFilter {
        let permit = try await permit(.list, ask, partner, of: [])
        let inner = try await permitted(filter, ask)
        return permit.filter.map { .and([$0, inner]) } ?? inner
    }
}

extension Problem {
    /// That there is no such thing, whether it is hidden or not there.
    static func notFound(_ ask: Ask) -> Problem {
        var problem = Problem(404, code: "notFound")
        problem.members["model"] = .string(ask.route.schema.name)
        if let identifier = ask.route.identifier {
            problem.members["identifier"] = identifier.attributeValue
        }
        return problem
    }
}

extension AttributeValue {
    /// The identifiers in a foreign key, or in an array of such.
    fileprivate var identifiers: [Identifier] {
        switch self {
        case .array(let elements):
            elements.compactMap { try? Identifier(attributeValue: $0) }
        default: [try? Identifier(attributeValue: self)].compactMap { $0 }
        }
    }
}
