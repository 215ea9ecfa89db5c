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
        let event = { [session] in session.events?.begin(writes.label(operation)) }
        do {
            let pending = try PendingWrites(writes, isBatch: isBatch, records, session)
            let use = StoreOperation<[RecordReceipt], Void>(
                session,
                after: pending.turn,
                event(),
                abandoned: { pending.undo() },
                start: { try pending.start() },
                settle: settle
            )
            use.run(deadline: deadline, for: promise)
        } catch {
            settle(.failure(error))
            event()?.end(.failure(error))
        }
    }
}

extension [ModelWrite] {
    /// What making them is called in events.
    fileprivate func label(_ operation: StoreEvent.Operation) -> StoreEvent.Label {
        let names = Set(map { type(of: $0.model).modelName })
        return StoreEvent.Label(
            operation: operation,
            type: names.count == 1 ? names.first : nil,
            count: count,
            identifier: count == 1 ? first?.model.identifier : nil
        )
    }
}
