import ModelKitModels
import ModelKitREST
import ModelKitStores
import ModelKitValues

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
    /// Asks what a request may do.
    func permit(
        _ action: RESTAction,
        _ ask: Ask,
        _ schema: ModelSchema? = nil,
        _ identifier: Identifier? = nil,
        of owners: [Route.Owner]? = nil
    ) async throws -> Permit {
        guard let authorize else { return Permit(filter: nil) }
        let own = schema ?? ask.type.schema
        let access = RESTAccess(
            request: ask.request,
            action: action,
            type: Swift.type(of: own.prototype),
            identifier: schema == nil ? ask.route.identifier : identifier,
            owners: owners ?? ask.route.owners
        )
        switch try await authorize(access) {
        case .allowed: return Permit(filter: nil)
        case .restricted(let filter, let type):
            guard let other = type?.schema, !own.isOrInherits(from: other),
                !other.isOrInherits(from: own)
            else { return Permit(filter: filter) }
            if access.owners.contains(where: { $0.schema.isOrInherits(from: other) }) {
                return Permit(filter: nil, owners: [(other, filter)])
            }
            throw StoreError.schema(
                "authorize restricts \(own.name) by a condition on \(other.name)"
            )
        case .unauthorized(let challenge):
            var problem = Problem(401, code: "unauthorized")
            problem.headers["WWW-Authenticate"] = challenge
            throw problem
        case .forbidden: throw Problem(403, code: "forbidden")
        case .notFound: throw Problem.notFound(ask)
        }
    }

    /// Asks what a request may do with the class of a model, where that is not the type of its path.
    func permit(
        _ action: RESTAction,
        _ ask: Ask,
        ofClass schema: ModelSchema
    ) async throws -> Permit {
        if authorize == nil || schema === ask.route.schema { return Permit(filter: nil) }
        return try await permit(action, ask, schema, ask.route.identifier)
    }

    /// Whether what is said of the class of a record lets it be read, where that is not the type that
    /// was asked about.
    func mayRead(
        _ found: FoundRecord,
        _ ask: Ask,
        below schema: ModelSchema,
        _ identifier: Identifier?,
        of owners: [Route.Owner],
        in owner: FoundOwner?
    ) async throws -> Bool {
        if authorize == nil || found.schema === schema { return true }
        do {
            let permit = try await permit(.lookup, ask, found.schema, identifier, of: owners)
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
        let schema = isOther ? found.schema : ask.route.schema
        let identifier = try types.type(of: schema).pathIdentifier(of: found.record)
        let owners = isOther ? [] : ask.route.owners
        do {
            let permit = try await permit(.lookup, ask, schema, identifier, of: owners)
            guard try await fulfils(found, permit, in: owner) else { return false }
        } catch is Problem {
            return false
        }
        return try await mayRead(found, ask, below: schema, identifier, of: owners, in: owner)
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
        insteadOf owners: ArraySlice<FoundOwner>
    ) async throws -> Bool {
        guard !permit.owners.isEmpty, let last = owners.last,
            case .inField(let entry, let partner) = last.tie
        else { return true }
        let identity = try partner.identity().key
        let identifiers = (values[entry.key] ?? .null).identifiers(at: identity)
        if identifiers.contains(last.record.record.identifier) { return true }
        search: for identifier in identifiers {
            guard let found = try await records.find(identifier, below: partner).value else {
                continue
            }
            for (schema, filter) in permit.owners where found.schema.isOrInherits(from: schema) {
                guard try await fulfils(found, filter) else { continue search }
            }
            let above = owners.dropLast()
            if try await fulfils(ownersBy: found.record.values, permit, insteadOf: above) {
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
        let answer = RecordQuery(filter: filter).answer(from: [record], of: schema) {
            identifier,
            schema in
            related[ObjectIdentifier(schema)]?[identifier]
        }
        return !answer.isEmpty
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
        switch filter {
        case .has(let key, let partner, let inner):
            let inner = try await permitted(inner, of: partner, ask, isNegated: isNegated)
            return .has(key, partner, inner)
        case .hasAny(let key, let partner, let inner):
            // Which is never unknown.
            let any = try await permitted(inner, of: partner, ask, isNegated: false)
            let filter = RecordFilter.hasAny(key, partner, any)
            return isNegated ? .not(filter) : filter
        case .and(let filters):
            return isNegated ? .or(try await all(filters)) : .and(try await all(filters))
        case .or(let filters):
            return isNegated ? .and(try await all(filters)) : .or(try await all(filters))
        case .not(let inner): return try await permitted(inner, ask, isNegated: !isNegated)
        default: return isNegated ? .not(filter) : filter
        }
    }

    private func permitted(
        _ filter: RecordFilter,
        of partner: ModelSchema,
        _ ask: Ask,
        isNegated: Bool
    ) async throws -> RecordFilter {
        let permit = try await permit(.list, ask, partner, of: [])
        let inner = try await permitted(filter, ask, isNegated: isNegated)
        return permit.filter.map { .and([$0, inner]) } ?? inner
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
        problem.members["model"] = .string(ask.route.schema.name)
        if let identifier = ask.route.identifier {
            problem.members["identifier"] = identifier.attributeValue
        }
        return problem
    }
}

extension AttributeValue {
    /// The identifiers in a foreign key, or in an array of such, or of models that are there themselves.
    fileprivate func identifiers(at identity: FieldKey) -> [Identifier] {
        let elements = if case .array(let elements) = self { elements } else { [self] }
        return elements.compactMap { element in
            var value = element
            if case .dictionary(let model) = element { value = model.value(at: identity) ?? .null }
            return try? Identifier(attributeValue: value)
        }
    }

    /// The identifiers in a foreign key, or in an array of such.
    fileprivate var identifiers: [Identifier] {
        switch self {
        case .array(let elements):
            elements.compactMap { try? Identifier(attributeValue: $0) }
        default: [try? Identifier(attributeValue: self)].compactMap { $0 }
        }
    }
}
