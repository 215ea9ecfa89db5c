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
        guard let identity = schema.identifier else {
            return .failed(StoreError.schema("\(schema.name) has no identifier field"))
        }
        if models.isEmpty { return .value([]) }
        let found = models.flatMap { model in issues(model) }
        if found.isBlocking { return .failed(StoreError.validation(found)) }
        let snapshots = models.map { Snapshot(of: $0, schema) }
        let writes = zip(models, snapshots).map { model, snapshot in
            let identifier = model.identifier ?? Identifier.made(for: identity)
            return RecordWrite(.create(identifier, snapshot.values), of: schema)
        }
        return session.sequence(models) { [records, session] in
            records.perform(writes).map { receipts in
                for ((model, snapshot), receipt) in zip(zip(models, snapshots), receipts) {
                    let agreements = snapshot.giving(receipt.identifier, to: model, schema)
                    _ = session.adopt(
                        model,
                        receipt.identifier,
                        revision: receipt.revision,
                        agreements: agreements,
                        replacing: true
                    )
                }
                return models
            }
        }
    }

    public func update<M: Model>(_ model: M) -> Promise<M> {
        let schema = M.schema
        let issues = model.validationIssues()
        if issues.isBlocking { return .failed(StoreError.validation(issues)) }
        let known = session.known(model)
        guard let identifier = model.identifier else {
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
        let snapshot = Snapshot(of: model, schema)
        if let known, snapshot.changes(since: known.agreements, schema).isEmpty {
            return .value(model)
        }
        return session.sequence([model]) { [records, session] in
            // Again, as a later edit may have been written since by an update on another thread.
            let known = session.known(model)
            let revision = known?.revision
            let changes = snapshot.changes(since: known?.agreements, schema)
            if known != nil, changes.isEmpty { return .value(model) }
            let write = RecordWrite(.update(identifier, changes, revision: revision), of: schema)
            return records.perform([write]).map { receipts in
                let written = receipts.first?.revision ?? 0
                if revision == nil {
                    _ = session.adopt(
                        model,
                        identifier,
                        revision: written,
                        agreements: snapshot.agreements,
                        replacing: true
                    )
                } else {
                    session.agree(model, revision: written, agreements: snapshot.agreements)
                }
                return model
            }
        }
    }

    public func delete<M: Model>(_ model: M) -> Promise<M> {
        let schema = M.schema
        guard let identifier = session.known(model)?.identifier ?? model.identifier else {
            return .failed(StoreError.noIdentifier(type: schema.name))
        }
        return session.sequence([model]) { [records, session] in
            let revision = session.known(model)?.revision
            let write = RecordWrite(.delete(identifier, revision: revision), of: schema)
            return records.perform([write]).map { _ in
                session.forget(model)
                return model
            }
        }
    }

    public func lookup<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<M> {
        records.record(identifier, of: M.schema).map { [session] record in
            guard let record else {
                throw StoreError.notFound(type: M.schema.name, identifier: identifier)
            }
            return try session.model(type, from: record)
        }
    }

    public func list<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<[M]> {
        records.fetch(query, of: M.schema).map { [session] records in
            try records.map { try session.model(type, from: $0) }
        }
    }
}

extension Identifier {
    /// A new identifier for a field of texts; nil for one of numbers, which the store makes.
    fileprivate static func made(for field: ModelSchema.Entry) -> Identifier? {
        field.kind == .int ? nil : Identifier(UUIDv7.make())
    }
}
