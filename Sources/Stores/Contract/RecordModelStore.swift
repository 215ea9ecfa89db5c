import ModelKitFields
public import ModelKitModels

/// A model store that keeps records: it brings where they are kept, and has the rest for free.
///
/// ```swift
/// final class MyStore: RecordModelStore {
///     let records: any RecordStore = MyRecords()
///     let session = StoreSession()
/// }
/// ```
public protocol RecordModelStore: ModelStore {
    /// Where the records are kept.
    var records: any RecordStore { get }

    /// What this store knows of the models in use: one object for the store's whole life.
    var session: StoreSession { get }
}

extension RecordModelStore {
    public func create<M: Model>(_ model: M) -> Promise<M> {
        create([model], issues: { $0.validationIssues() }).map { _ in model }
    }

    public func create<M: Model>(_ models: [M]) -> Promise<[M]> {
        var index = -1
        return create(models) { model in
            index += 1
            return model.validationIssues().map { $0.prefixed(by: [.index(index)]) }
        }
    }

    private func create<M: Model>(_ models: [M], issues: (M) -> [Issue]) -> Promise<[M]> {
        let schema = M.schema
        if models.isEmpty { return .value([]) }
        if Set(models).count < models.count {
            return .failed(StoreError.unsupported("the same \(schema.name) is to be created twice"))
        }
        let found = models.flatMap { model in issues(model) }
        if found.isBlocking { return .failed(StoreError.validation(found)) }
        let snapshots = models.map { Snapshot(of: $0, schema) }
        return session.sequence(models) { [records, session] in
            let writes: [RecordWrite]
            do {
                writes = try zip(models, snapshots).map { model, snapshot in
                    // A creation that was under way may have given one.
                    let identifier =
                        try snapshot.identifier ?? model.identifier ?? Identifier.make(for: schema)
                    return RecordWrite(.create(identifier, snapshot.values), of: schema)
                }
            } catch {
                return .failed(error)
            }
            return records.perform(writes).map { receipts in
                for ((model, snapshot), receipt) in zip(zip(models, snapshots), receipts) {
                    session.note(model, snapshot, as: receipt)
                }
                return models
            }
        }
    }

    public func update<M: Model>(_ model: M) -> Promise<M> {
        let schema = M.schema
        let issues = model.validationIssues()
        if issues.isBlocking { return .failed(StoreError.validation(issues)) }
        let snapshot = Snapshot(of: model, schema)
        return session.sequence([model]) { [self] in update(model, snapshot) }
    }

    /// Writes what was edited, when the writes before are made.
    func update<M: Model>(_ model: M, _ snapshot: Snapshot) -> Promise<M> {
        let schema = M.schema
        // Not at the call: a write that was under way changes what is known.
        let known = session.known(model)
        guard let identifier = snapshot.identifier ?? model.identifier else {
            return .failed(StoreError.noIdentifier(type: schema.name))
        }
        if let known, known.identifier != identifier {
            return .failed(
                StoreError.unsupported(
                    "the identifier of \(schema.name) \(known.identifier) was changed to "
                        + "\(identifier); a model keeps its identifier"
                )
            )
        }
        let changes = snapshot.changes(since: known?.agreements, schema)
        if known != nil, changes.isEmpty { return .value(model) }
        let write = RecordWrite(
            .update(identifier, changes, revision: known?.revision),
            of: schema
        )
        return records.perform([write]).map { [session] receipts in
            for receipt in receipts { session.note(model, snapshot, updatedAs: receipt) }
            return model
        }
    }

    public func delete<M: Model>(_ model: M) -> Promise<M> {
        let schema = M.schema
        let others = model.cascade()
        return session.sequence([model] + others) { [records, session] in
            let known = session.known(model)
            guard let identifier = known?.identifier ?? model.identifier else {
                return .failed(StoreError.noIdentifier(type: schema.name))
            }
            var deleted: [(type: any Model.Type, identifier: Identifier)] = [(M.self, identifier)]
            var writes = [RecordWrite(.delete(identifier, revision: known?.revision), of: schema)]
            // Others may be kept inside of this record, or nowhere.
            for other in others {
                guard let known = session.known(other) else { continue }
                let type = type(of: other) as any Model.Type
                deleted.append((type, known.identifier))
                writes.append(
                    RecordWrite(
                        .delete(known.identifier, revision: known.revision),
                        of: type.schema
                    )
                )
            }
            let asked = session.now
            return records.perform(writes).map { [deleted] _ in
                for (type, identifier) in deleted {
                    session.forget(type, identifier, asked: asked)
                }
                model.nullify()
                return model
            }
        }
    }

    public func lookup<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<M> {
        let asked = session.now
        return records.record(identifier, of: M.schema).map { [session] record in
            guard let record else {
                throw StoreError.notFound(type: M.schema.name, identifier: identifier)
            }
            return try session.model(type, from: record, asked: asked)
        }
    }

    public func list<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<[M]> {
        let asked = session.now
        return records.fetch(query, of: M.schema).map { [session] records in
            try records.map { try session.model(type, from: $0, asked: asked) }
        }
    }

    public func page<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<Page<M>> {
        let asked = session.now
        let limit = query.limit ?? .max
        if limit < 1 { return .failed(StoreError.unsupported("a page of \(limit) models")) }
        var more = query
        more.limit = limit == .max ? nil : limit + 1
        return records.fetch(more, of: M.schema).map { [session] records in
            let page = records.prefix(limit)
            if query.order.isEmpty, page.contains(where: { $0.place == 0 }) {
                throw StoreError.unsupported("pages, as the store tells no places of its records")
            }
            return Page(
                items: try page.map { try session.model(type, from: $0, asked: asked) },
                next: records.count > limit
                    ? page.last.map { PageCursor(after: $0, in: query, of: M.schema) } : nil
            )
        }
    }
}

extension Identifier {
    /// A new identifier in the form that its field gives it; nil for a number, which the store makes.
    static func make(for schema: ModelSchema) throws(StoreError) -> Identifier? {
        let entry = try schema.identity()
        if entry.kind == .int { return nil }
        var issues: [Issue] = []
        let uuid = Identifier(UUIDv7.make())
        let form = entry.field(in: schema.prototype)
            .form(of: uuid.attributeValue, at: entry.path, into: &issues)
        guard let form, let identifier = try? Identifier(attributeValue: form) else {
            let reason = issues.first.map(\.description) ?? "\(entry.path) gives it no form"
            throw .unsupported("no identifier can be made: \(reason)")
        }
        return identifier
    }
}
