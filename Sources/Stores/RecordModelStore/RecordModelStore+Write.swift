public import ModelKitModels
public import ModelKitPromises

extension RecordModelStore {
    public func create<M: Model>(_ model: M) -> Promise<M> {
        perform(.create, .create(model), giving: model)
    }

    public func update<M: Model>(_ model: M) -> Promise<M> {
        perform(.update, .update(model), giving: model)
    }

    public func save<M: Model>(_ model: M, onConflict: OnConflict) -> Promise<M> {
        perform(.save, .save(model, onConflict: onConflict), giving: model)
    }

    public func delete<M: Model>(_ model: M) -> Promise<M> {
        perform(.delete, .delete(model), giving: model)
    }

    public func delete<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<Void> {
        let hierarchy = ClassHierarchy(of: type)
        for schema in hierarchy.schemas {
            if let model = session.used(type, schema, identifier) {
                return delete(model).giving(())
            }
        }
        guard hierarchy.isOne else {
            // Of which class it is, only the store knows.
            let found: Promise<M> = lookup(type, identifier: identifier)
            return found.then { [self] in delete($0) }.giving(())
        }
        let model = session.identities.canonical(type, identifier: identifier)
        guard model.identifier == identifier else {
            return .failed(StoreError.notFound(type: M.schema.name, identifier: identifier))
        }
        return delete(model).giving(())
    }

    public func perform(_ writes: [ModelWrite]) -> Promise<Void> {
        if writes.isEmpty { return .value(()) }
        let (promise, resolver) = Promise<Void>.withResolvers()
        perform(.perform, writes, isBatch: true, settling: promise) { resolver.resolve($0) }
        return promise
    }

    /// Makes one write; all that depends on the type of its model is the value of the promise.
    private func perform<M: Model>(
        _ operation: StoreEvent.Operation,
        _ write: ModelWrite,
        giving model: M
    ) -> Promise<M> {
        let (promise, resolver) = Promise<M>.withResolvers()
        perform(operation, [write], isBatch: false, settling: promise) { result in
            switch result {
            case .success: resolver.fulfill(model)
            case .failure(let error): resolver.reject(error)
            }
        }
        return promise
    }

    private func perform(
        _ operation: StoreEvent.Operation,
        _ writes: [ModelWrite],
        isBatch: Bool,
        settling promise: PromiseCore,
        _ settle: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        func label() -> StoreEvent.Label {
            StoreEvent.Label(
                operation: operation,
                type: writes.sharedType,
                count: writes.count,
                identifier: writes.count == 1 ? writes.first?.model.identifier : nil
            )
        }
        let prepared: [PreparedWrite]
        do {
            prepared = try ModelWrite.prepare(
                writes,
                isBatch: isBatch,
                session,
                isWriting: session.isWriting
            )
        } catch {
            settle(.failure(error))
            session.events?.begin(label()).end(.failure(error))
            return
        }
        session.reportUnsavedMembers(of: prepared)
        let models = prepared.flatMap(\.models)
        if prepared.areOfOwners { session.follow(records) }
        // What is found may be in writes that are under way, and later ones have to find it gone.
        let turn: StoreSession.Turn =
            mayRead(before: prepared) ? .everything(writing: models) : .models(models)
        let endDeletion =
            prepared.contains { !$0.deleted.isEmpty }
            ? session.beginDeletion(of: prepared.flatMap { $0.deleted.map(\.model) }) : nil
        let undo = { @Sendable in
            endDeletion?()
            for write in prepared { write.undo() }
        }
        session.run(
            label(),
            after: turn,
            deadline: deadline,
            abandoned: undo,
            settling: promise,
            settle
        ) { [records, session] in
            let later = records.cascadeSearch(prepared, session).map { LaterWrites(after: $0) }
            var now = SentWrites()
            let receipts: Promise<[RecordReceipt]>
            if let later {
                receipts = later.perform(prepared, records, session)
            } else {
                do {
                    now = try SentWrites(prepared, session)
                } catch {
                    undo()
                    throw error
                }
                // What was not edited is not written.
                let sent = now.parts.flatMap { $0 }
                receipts = sent.isEmpty ? Promise.value([]) : records.perform(sent)
            }
            return .init(promise: receipts, asked: later?.asked) { [now] receipts in
                defer { endDeletion?() }
                let sent = later?.sent ?? now
                let (made, asked) = (sent.parts.made(receipts), sent.asked)
                for (write, made) in zip(prepared, made) { write.note(session, made, asked) }
                let hasDeleted = prepared.contains { !$0.deleted.isEmpty }
                let isFollowed = hasDeleted && records.isElsewhere
                let deleted = isFollowed ? made.flatMap { $0.map(\.write) } : []
                session.releaseMembers(of: deleted)
                session.finish(prepared, made)
                session.unloadRelations(after: deleted)
            } failed: { [now] error in
                endDeletion?()
                if (error as? StoreError)?.outcome == .notApplied || !records.keepsIdentifiers {
                    undo()
                    return session.describing(error, models, session.known)
                }
                // They may be there, so that models have the identifiers that were sent.
                for part in (later?.sent ?? now).parts {
                    for write in part { write.giveIdentifier() }
                }
                return error
            } repeats: { error in
                // What only this store itself has written since is no conflict, and is known now.
                guard case .conflict(let conflict) = error else { return false }
                let written = session.writtenRevision(conflict.type, conflict.identifier, models)
                return written == conflict.theirs.revision && written != conflict.base
            }
        }
    }

    /// Whether something may have to be read before some writes, once it is their turn.
    private func mayRead(before writes: [PreparedWrite]) -> Bool {
        if !writes.contains(where: { $0.mayCascade }) { return false }
        // What is known now, another deletion may have made unknown by then.
        return records.cascadeSearch(writes, session) != nil
            || writes.contains { $0.mayCascade && $0.models.contains(where: session.isWriting) }
    }
}

extension StoreSession {
    /// The revision that one of some models is known to have, if this store has written it.
    fileprivate func writtenRevision(
        _ type: String,
        _ identifier: Identifier,
        _ models: [any Model]
    ) -> Int64? {
        for model in models where Swift.type(of: model).schema.name == type {
            if let known = known(model), known.identifier == identifier {
                return known.written == known.revision ? known.written : nil
            }
        }
        return nil
    }
}

extension [ModelWrite] {
    /// The name of the type of all models; nil if there are several.
    fileprivate var sharedType: String? {
        let names = Set(map { type(of: $0.model).modelName })
        return names.count == 1 ? names.first : nil
    }
}

extension RecordWrite {
    /// Has a new model have the identifier that it was sent with.
    fileprivate func giveIdentifier() {
        guard let model = source?.model, let identifier = creation?.identifier else { return }
        if model.identifier == nil { model.give(identifier) }
    }
}
