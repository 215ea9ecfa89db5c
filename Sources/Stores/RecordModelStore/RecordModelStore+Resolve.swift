public import ModelKitModels
public import ModelKitPromises

extension RecordModelStore {
    /// Writes what was edited, also where somebody else has written the record since: looks it up, gives the
    /// model what the resolution says, and writes again.
    ///
    /// A write after a conflict has what the model has by then.
    ///
    /// - Parameters:
    ///   - model: The model, which must keep its rules.
    ///   - resolution: How fields that both have changed are resolved.
    /// - Returns: The same instance. It writes again 10 times at most, and then fails with the next conflict;
    ///   the model has what was to be written, and can be updated again.
    public func update<M: Model>(
        _ model: M,
        onConflict resolution: ConflictResolution<M>
    ) -> Promise<M> {
        let (promise, resolver) = Promise<M>.withResolvers()
        let update = ResolvedUpdate(self, model, resolution, resolver)
        resolver.whenCancelled { update.cancelled() }
        update.run(tries: 10)
        return promise
    }
}

/// An update that is made again after each conflict, until it is cancelled.
private final class ResolvedUpdate<Store: RecordModelStore, M: Model>: Sendable {
    private enum Stage {
        /// After a conflict, or before the first write.
        case between
        case beginning
        case underWay(Promise<M>)
    }

    private let store: Store
    private let model: M
    private let resolution: ConflictResolution<M>
    private let resolver: Resolver<M>
    private let state = Guarded<(stage: Stage, isCancelled: Bool)>((.between, false))

    init(
        _ store: Store,
        _ model: M,
        _ resolution: ConflictResolution<M>,
        _ resolver: Resolver<M>
    ) {
        (self.store, self.model) = (store, model)
        (self.resolution, self.resolver) = (resolution, resolver)
    }

    /// Moves on to a stage.
    ///
    /// - Returns: Whether it was cancelled, after which no write is begun.
    private func isCancelled(at stage: Stage) -> Bool {
        state.withLock { state in
            if case .beginning = stage, state.isCancelled { return true }
            state.stage = stage
            return state.isCancelled
        }
    }

    /// Writes what was edited, and again after a conflict, so many times at most.
    func run(tries: Int) {
        if isCancelled(at: .beginning) { return }
        let write: Promise<M> = store.update(model)
        if isCancelled(at: .underWay(write)) { write.cancel() }
        write.observe { [self] result in
            // It may be an object of a subclass.
            let schema = model.classSchema
            guard tries > 0, case .failure(StoreError.conflict(let conflict)) = result,
                conflict.type == schema.name
            else { return _ = resolver.resolve(result) }
            // Cancelled when the write had met the conflict already: it is not made again.
            if isCancelled(at: .between) {
                return _ = resolver.reject(StoreError.cancelled(.notApplied))
            }
            let asked = store.session.now
            store.records.record(conflict.identifier, of: schema).observe { [self] found in
                do {
                    guard let record = try found.get() else {
                        throw StoreError.notFound(
                            type: conflict.type,
                            identifier: conflict.identifier
                        )
                    }
                    if state.withLock({ $0.isCancelled }) { return }
                    try resolve(model.opened, record, asked: asked)
                } catch {
                    return _ = resolver.reject(error)
                }
                run(tries: tries - 1)
            }
        }
    }

    private func resolve<Own: Model>(_ model: Own, _ record: Record, asked: UInt64) throws {
        try store.session.resolve(model, record, asked: asked) { base, mine, theirs in
            try resolution.result(
                ModelValues(values: base),
                ModelValues(values: mine),
                ModelValues(values: theirs)
            )
            .values
        }
    }

    /// Cancels the write that is under way.
    ///
    /// - Returns: What it has failed with; nil if it goes on. Between two writes nothing was written.
    func cancelled() -> (any Error)? {
        let current = state.withLock { state in
            state.isCancelled = true
            return state.stage
        }
        switch current {
        case .between: return StoreError.cancelled(.notApplied)
        case .beginning: return nil
        case .underWay(let write):
            // One that has met a conflict in this moment is not made again.
            let error = write.cancelled()
            if case StoreError.conflict? = error as? StoreError {
                return StoreError.cancelled(.notApplied)
            }
            return error
        }
    }
}
