import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores

/// A write whose model is there.
struct PreparedAnswer {
    let write: ModelWrite
    /// Knows its model alone, so that nothing depends on what else a batch has.
    let session: StoreSession
    /// Of the answer, if it is made.
    let status: Int
    /// In whose path it is.
    let owner: FoundOwner?

    init(_ write: ModelWrite, _ session: StoreSession, status: Int, _ owner: FoundOwner?) {
        (self.write, self.session, self.status, self.owner) = (write, session, status, owner)
    }

    var model: any Model { write.model }
}

extension RESTHandler {
    /// Makes the model of a write, or finds it and sets its fields.
    ///
    /// - Throws: An `ImportError` with the paths of the JSON for values that do not fit; problems for all
    ///   that has to be as the request says.
    func prepare(_ write: AskedWrite) async throws -> PreparedAnswer {
        let ask = write.ask
        let owner = try await owner(ask)
        if write.method == .post { return try await prepareNew(write, owner) }
        // One who may only create has to be answered that it is there.
        let action: RESTAction = write.method == .delete ? .delete : .update
        let known = (try? write.permit(action)) ?? Permit()
        guard let found = try await find(ask.route, in: owner, known) else {
            guard write.method == .put else { throw Problem.notFound(ask) }
            if write.ifMatch != nil { throw Problem(412, code: "notFound") }
            return try await prepareNew(write, owner)
        }
        var permit = try write.permit(action)
        let own = try await self.permit(action, ask, ofClass: found.schema)
        guard try await fulfils(found, own, in: owner) else { throw Problem.notFound(ask) }
        permit.add(own)
        let tag = EntityTag(revision: found.record.revision)
        let isWanted = write.ifMatch?.contains(tag, weakly: false) ?? true
        let isKnown = write.ifNoneMatch?.contains(tag, weakly: true) ?? false
        if !isWanted || isKnown { throw try await changed(found, write, owner) }
        if write.method == .put, write.onConflict == .fail {
            throw StoreError.alreadyExists(
                type: found.schema.name,
                identifier: found.record.identifier
            )
        }
        let session = StoreSession(in: write.models)
        let model = try session.model(of: found)
        if write.method == .delete {
            return PreparedAnswer(.delete(model), session, status: 204, owner)
        }
        let type = try types.type(of: found.schema)
        var object = write.object
        let isPart = write.method == .patch || write.onConflict == .merge
        if write.method == .put {
            try check(write, found.record.identifier, type)
            if let owner, case .inField = owner.tie {
                try tie(&object, to: owner, ask.type, isPart: isPart)
            }
        }
        if isPart {
            try type.coder.read(object, into: model, in: write.models)
        } else {
            try replace(model, by: object, type, write.models)
        }
        let values = type.coder.values(of: model)
        guard try await fulfils(values, of: type.schema, permit),
            try await fulfils(ownersBy: values, permit, insteadOf: owner)
        else { throw Problem.forbidden }
        try await askOwner(ask, values, of: type.schema, before: found.record)
        return PreparedAnswer(.update(model), session, status: 200, owner)
    }

    /// That a record is not as a request wants it.
    private func changed(
        _ found: FoundRecord,
        _ write: AskedWrite,
        _ owner: FoundOwner?
    ) async throws -> Problem {
        var base: Int64 = 0
        if case .tags(let tags)? = write.ifMatch, tags.count == 1 { base = tags[0].revision ?? 0 }
        let conflict = StoreError.Conflict(found.record, of: found.schema.name, base: base)
        var problem = types.problems.problem(of: .conflict(conflict))
        if try await !maySee(found, write.ask, in: owner) { problem.members["current"] = nil }
        return problem
    }

    private func prepareNew(
        _ write: AskedWrite,
        _ owner: FoundOwner?
    ) async throws -> PreparedAnswer {
        let ask = write.ask
        var permit = try write.permit(.create)
        guard try await fulfils(owner, permit) else { throw Problem.notFound(ask) }
        var object = write.object
        object[RecordNote.member] = nil
        if let owner { try tie(&object, to: owner, ask.type) }
        if let identifier = ask.route.identifier { try name(&object, identifier, ask.type) }
        let model = try make(object, ask.type, write.models)
        let type = try types.type(of: Swift.type(of: model).schema)
        let own = try await self.permit(.create, ask, ofClass: type.schema)
        guard try await fulfils(owner, own) else { throw Problem.notFound(ask) }
        permit.add(own)
        let values = type.coder.values(of: model)
        guard try await fulfils(values, of: type.schema, permit) else { throw Problem.forbidden }
        if !isOwner(owner, of: type.schema) {
            try await askOwner(ask, values, of: type.schema, before: nil)
        }
        try await checkIdentifier(of: object, ask)
        return PreparedAnswer(.create(model), StoreSession(in: write.models), status: 201, owner)
    }

    /// Throws where a new model has an identifier that its sender may not give it.
    private func checkIdentifier(of object: AttributeDictionary, _ ask: Ask) async throws {
        guard let acceptsIdentifiers else { return }
        let key = ask.type.key(of: ask.type.identity)
        guard let value = object.value(atKey: key), !value.isNull else { return }
        if try await acceptsIdentifiers(ask.access(.create)) { return }
        throw Problem.issue(key, "must not be given, as the server makes it", ask.type)
    }

    /// Whether what stands before a model in a path is its owner, which was asked about then.
    private func isOwner(_ found: FoundOwner?, of schema: ModelSchema) -> Bool {
        guard case .inField(let entry, _)? = found?.tie else { return false }
        return entry.key == schema.ownership?.entry.key
    }

    /// Throws where a write gives a model another owner, which the request may not see.
    private func askOwner(
        _ ask: Ask,
        _ values: [FieldKey: AttributeValue],
        of schema: ModelSchema,
        before: Record?
    ) async throws {
        guard authorize != nil, let ownership = schema.ownership, ownership.entry.isForeignKey
        else { return }
        let key = ownership.entry.key
        guard let value = values[key], value != before?[key],
            let identifier = try? Identifier(attributeValue: value)
        else { return }
        let owner = try types.type(of: ownership.schema)
        // It is asked about by what paths have of it.
        let found = try await records.find(identifier, below: owner.schema).value
        let name =
            owner.pathKey == nil
            ? identifier : found.flatMap { owner.pathIdentifier(of: $0.record) }
        let route = Route(owner.schema, name)
        let permit: Permit
        do {
            permit = try await self.permit(.lookup, ask, at: route)
        } catch let problem as Problem {
            throw problem.status == 404 ? .forbidden : problem
        }
        if found == nil, permit.filter == nil { return }
        guard let found, try await fulfils(found, permit, in: nil),
            try await mayRead(found, ask, at: route, in: nil)
        else { throw Problem.forbidden }
    }

    /// The model of an object, of the class that the object says.
    private func make(
        _ object: AttributeDictionary,
        _ type: ServedType,
        _ models: ScratchModels
    ) throws -> any Model {
        let model = type.coder.blank()
        guard model is ModelObject else {
            try type.coder.read(object, into: model, in: models)
            return model
        }
        func open<M: Model>(_ type: M.Type) -> Result<any Model, ImportError> {
            Result { () throws(ImportError) in
                try type.init(dictionaryValue: object, in: types.context, policy: .skipInvalid())
            }
        }
        let base: any Model.Type = Swift.type(of: model)
        let made = try Linking.alone(in: models) { open(base) }.get()
        let own = try types.type(of: Swift.type(of: made).schema)
        let instance = own.coder.blank()
        try own.coder.read(object, into: instance, in: models)
        return instance
    }

    /// Sets all fields but the identifier, to nil or their default where the object does not say it.
    private func replace(
        _ model: any Model,
        by object: AttributeDictionary,
        _ type: ServedType,
        _ models: ScratchModels
    ) throws(ImportError) {
        let other = type.coder.blank()
        try type.coder.read(object, into: other, in: models)
        let values = type.coder.values(of: other)
        var scope = ImportScope()
        scope.nullIsNil = true
        Linking.alone(in: models) {
            for entry in type.schema.fields
            where entry !== type.identity && entry.key != type.pathKey {
                let value = values[entry.key] ?? .null
                entry.field(in: model).read(value, at: entry.path, revision: nil, in: &scope)
            }
        }
    }

    /// Throws if an object has another identifier than the path.
    private func check(_ write: AskedWrite, _ own: Identifier, _ type: ServedType) throws {
        var object = write.object
        if let identifier = write.ask.route.identifier { try name(&object, identifier, type) }
        let key = type.key(of: type.identity)
        guard let value = object.value(atKey: key), !value.isNull else { return }
        guard (try? Identifier(attributeValue: value)) == own else {
            throw Problem.issue(key, "must be the identifier of the model", type)
        }
    }

    /// Gives an object the identifier that the path has.
    private func name(
        _ object: inout AttributeDictionary,
        _ identifier: Identifier,
        _ type: ServedType
    ) throws {
        let entry = type.schema.fields.first { $0.key == type.pathKey } ?? type.identity
        let key = type.key(of: entry)
        if let value = object.value(atKey: key), !value.isNull,
            (try? Identifier(attributeValue: value)) != identifier
        {
            throw Problem.issue(key, "must be as in the path", type)
        }
        object.set(identifier.attributeValue, at: key.names[...])
    }

    /// Gives an object the owner that the path has.
    private func tie(
        _ object: inout AttributeDictionary,
        to owner: FoundOwner,
        _ type: ServedType,
        isPart: Bool = false
    ) throws {
        guard case .inField(let entry, let partner) = owner.tie else {
            throw Problem.notAllowed("GET, HEAD, OPTIONS")
        }
        let identifier = owner.record.record.identifier
        let key = type.key(of: entry)
        let given = object.value(atKey: key)
        // Where nothing is said it stays as it is.
        if given == nil, isPart { return }
        if let value = given, !value.isNull {
            let identity = partner.identifierKey(in: types.context.registry)
            let isList = if case .array = value { true } else { false }
            guard !isList || entry.kind == .array,
                value.identifiers(at: identity).contains(identifier)
            else {
                throw Problem.issue(key, "must be the owner in the path", type)
            }
            return
        }
        var value = identifier.attributeValue
        if !entry.isForeignKey {
            let coder = try types.type(of: owner.record.schema).coder
            let models = ScratchModels()
            defer { withExtendedLifetime(models) {} }
            let model = try coder.model(of: owner.record.record, in: models)
            value = .dictionary(coder.object(of: model))
        }
        object.set(entry.kind == .array ? .array([value]) : value, at: key.names[...])
    }
}

extension Problem {
    /// That one member of a body is not as it has to be.
    static func issue(_ key: FieldKey, _ message: String, _ type: ServedType) -> Problem {
        var problem = Problem(422, code: "validation")
        problem.members["model"] = .string(type.schema.name)
        let issue = Issue(code: "path", path: key.path, message: message)
        problem.members["issues"] = [.dictionary(ProblemCoder.object(of: issue, at: key.path))]
        return problem
    }
}
