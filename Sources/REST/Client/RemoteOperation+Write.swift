import ModelKitModels
import ModelKitStores

/// A write of a record, as a request.
struct RemoteWrite: Sendable {
    /// What is done to the record.
    enum Kind: Sendable {
        case creation, saving, update, deletion
    }

    let write: RecordWrite
    let kind: Kind
    let request: RemoteRequest
    /// What is set.
    let values: [FieldKey: AttributeValue]
    /// The revision that the record has to have; nil for any.
    let expected: Int64?

    init(
        _ write: RecordWrite,
        _ kind: Kind,
        _ request: RemoteRequest,
        _ values: [FieldKey: AttributeValue],
        expected: Int64? = nil
    ) {
        (self.write, self.kind, self.request) = (write, kind, request)
        (self.values, self.expected) = (values, expected)
    }

    var schema: ModelSchema { request.schema }
    /// The identifier; nil if the server is to make one.
    var identifier: Identifier? { request.identifier }
    var isCreation: Bool { kind == .creation }
    var isDeletion: Bool { kind == .deletion }
    /// Whether the user has given the identifier, and it was not made here.
    var hasGivenIdentifier: Bool { identifier != nil && write.hasIdentifier != false }

    /// Whether a record that the server answers with may be the one that is written.
    ///
    /// Servers may write an identifier otherwise, as a UUID in small letters; a new one they may make.
    func isOf(_ found: Identifier) -> Bool {
        guard !isCreation, let identifier, identifier != found else { return true }
        return "\(identifier)".lowercased() == "\(found)".lowercased()
    }
}

extension RemoteOperation {
    /// Makes one write.
    func perform(_ write: RecordWrite) throws -> Promise<RecordReceipt> {
        if !dialect.isPlain, case .save(let identifier, let values, let onConflict) = write.action {
            return try save(write, identifier, values, onConflict)
        }
        return send(try prepare(write))
    }

    func send(_ write: RemoteWrite) -> Promise<RecordReceipt> {
        exchange(write.request).then { [self] answer in
            answer.isSuccess
                ? .value(try receipt(of: answer, for: write)) : try failed(write, answer)
        }
    }

    /// The request for a write.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - method: How an update with all values is sent; nil for one with what was edited.
    /// - Returns: The request.
    /// - Throws: Why it cannot be sent.
    func prepare(_ write: RecordWrite, by method: HTTPMethod? = nil) throws -> RemoteWrite {
        let schema = write.schema
        let key = try schema.identity().key
        switch write.action {
        // No path would lead to it.
        case .create(.string("")?, _), .save(.string(""), _, _):
            throw RouteError.emptyIdentifier(type: schema.name)
        case .create(let given, let values):
            var values = try whole(values, of: schema)
            let isOwn = dialect.sendsMadeIdentifiers || write.hasIdentifier != false
            let identifier = isOwn ? given : nil
            values[key] = identifier?.attributeValue
            let path = try router.path(of: route(of: write, nil) { values[$0.key] })
            var request = RemoteRequest(.post, path, of: schema, identifier)
            request.payload = try payload(values, schema, writesNull: values.hasOwnNull(schema))
            return RemoteWrite(write, .creation, request, values)
        case .save(let identifier, let values, let onConflict):
            var values = try whole(values, of: schema, isMerged: onConflict == .merge)
            values[key] = identifier.attributeValue
            let path = try instance(of: write, identifier)
            var request = RemoteRequest(.put, path, of: schema, identifier)
            request.payload = try payload(values, schema, writesNull: true)
            request.parameters = [.init(name: "on-conflict", value: onConflict.wireName)]
            return RemoteWrite(write, .saving, request, values)
        case .update("", _, _), .delete("", _):
            throw StoreError.notFound(type: schema.name, identifier: "")
        case .update(let identifier, let changes, let revision):
            try schema.check(changes: changes, of: identifier)
            let path = try instance(of: write, identifier)
            var request = RemoteRequest(
                method ?? dialect.updateMethod,
                path,
                of: schema,
                identifier
            )
            var values = changes
            if method == nil, dialect.updateMethod == .put {
                values = try whole(changes, of: write, identifier)
            }
            if dialect.namesIdentifierInUpdates { values[key] = identifier.attributeValue }
            request.payload = try payload(values, schema, writesNull: true)
            request.ifMatch = tag(of: revision, schema, identifier)
            return RemoteWrite(write, .update, request, changes, expected: revision)
        case .delete(let identifier, let revision):
            let path = try instance(of: write, identifier)
            var request = RemoteRequest(.delete, path, of: schema, identifier)
            request.ifMatch = tag(of: revision, schema, identifier)
            return RemoteWrite(write, .deletion, request, [:], expected: revision)
        }
    }

    /// The values of a new record: one that is absent is null, whatever the model has by default.
    private func whole(
        _ values: [FieldKey: AttributeValue],
        of schema: ModelSchema,
        isMerged: Bool = false
    ) throws(StoreError) -> [FieldKey: AttributeValue] {
        var whole = values
        var count = 0
        for entry in schema.fields {
            if let value = values[entry.key] {
                count += 1
                try schema.check(value, of: entry)
            } else if !isMerged, entry !== schema.identifier, entry.hasDefault(in: schema) {
                whole[entry.key] = .null
            }
        }
        if count != values.count { try schema.check(keys: values.keys) }
        return whole
    }

    /// All values of a record that is put with some changes.
    ///
    /// - Throws: `.unsupported` where one is not known, as the server would lose it.
    private func whole(
        _ changes: [FieldKey: AttributeValue],
        of write: RecordWrite,
        _ identifier: Identifier
    ) throws(StoreError) -> [FieldKey: AttributeValue] {
        let schema = write.schema
        guard let source = write.source, let known = write.snapshotValues else {
            throw .unsupported("\(dialect.name) is sent whole models, and not some of their values")
        }
        var whole = known.merging(changes) { $1 }
        let nulls = state[schema, identifier]?.nulls ?? [:]
        for (slot, entry) in schema.fields.enumerated()
        where changes[entry.key] == nil && entry !== schema.identifier
            && !entry.isLoaded(in: source.model)
        {
            guard nulls[slot] == true else {
                throw .unsupported(
                    "\(dialect.name) is sent whole models, but \(entry.key) of \(schema.name) "
                        + "\(identifier) was not read; look it up before"
                )
            }
            whole[entry.key] = .null
        }
        return whole
    }

    /// The tag that a write has to name, so that it is made to no other version of the record.
    private func tag(
        of revision: Int64?,
        _ schema: ModelSchema,
        _ identifier: Identifier
    ) -> EntityTag? {
        guard dialect.honoursIfMatch, let revision else { return nil }
        let known = state[schema, identifier]
        if let tag = known?.tag(of: revision) { return tag }
        // Of what was counted here the server knows nothing.
        guard dialect.isPlain, known?.revision != revision, !state.isCounted(revision) else {
            return nil
        }
        return EntityTag(revision: revision)
    }

    /// What is sent of some values.
    private func payload(
        _ values: [FieldKey: AttributeValue],
        _ schema: ModelSchema,
        writesNull: Bool
    ) throws -> AttributeDictionary {
        let type = type(of: schema.prototype)
        let coder = state.coder(schema, in: context)
        var object = try coder.object(of: values, writesNull: writesNull)
        object = try store.serializeModel(type, as: object)
        object = store.formatPayload(object, of: type)
        return dialect.envelope.wrap(object, schema, context)
    }
}

extension ModelSchema.Entry {
    /// Whether a new model has a value in the field.
    fileprivate func hasDefault(in schema: ModelSchema) -> Bool {
        value(in: schema.prototype) != nil
    }
}

extension [FieldKey: AttributeValue] {
    /// Whether one is null where a new model has a value, so that it has to be said.
    fileprivate func hasOwnNull(_ schema: ModelSchema) -> Bool {
        values.contains { $0.isNull }
            && schema.fields.contains { self[$0.key]?.isNull == true && $0.hasDefault(in: schema) }
    }
}
