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
        let attempts = ResolvedWrite<M>(resolver)
        resolver.whenCancelled { attempts.cancelled() }
        update(model, resolution, attempts, tries: 10)
        return promise
    }

    private func update<M: Model>(
        _ model: M,
        _ resolution: ConflictResolution<M>,
        _ attempts: ResolvedWrite<M>,
        tries: Int
    ) {
        guard let written = attempts.begin({ update(model) }) else { return }
        written.observe { [self] result in
            // It may be an object of a subclass.
            let schema = model.classSchema
            guard tries > 0, case .failure(StoreError.conflict(let conflict)) = result,
                conflict.type == schema.name
            else { return attempts.end(result) }
            // Cancelled when the write had met the conflict already: it is not made again.
            guard attempts.goOn() else {
                return attempts.end(.failure(StoreError.cancelled(.notApplied)))
            }
            let asked = session.now
            records.record(conflict.identifier, of: schema).observe { [self] found in
                do {
                    guard let record = try found.get() else {
                        throw StoreError.notFound(
                            type: conflict.type,
                            identifier: conflict.identifier
                        )
                    }
                    if attempts.isCancelled { return }
                    try resolve(model.opened, record, asked: asked, resolution)
                } catch {
                    return attempts.end(.failure(error))
                }
                update(model, resolution, attempts, tries: tries - 1)
            }
        }
    }
}

extension RecordModelStore {
    private func resolve<Own: Model, M: Model>(
        _ model: Own,
        _ record: Record,
        asked: UInt64,
        _ resolution: ConflictResolution<M>
    ) throws {
        try session.resolve(model, record, asked: asked) { base, mine, theirs in
            try resolution.result(
                ModelValues(values: base),
                ModelValues(values: mine),
                ModelValues(values: theirs)
            )
            .values
        }
    }
}

/// A write that is made again after each conflict, until it is cancelled.
private final class ResolvedWrite<M: Model>: Sendable {
    private enum Stage {
        /// After a conflict, or before the first write.
        case between
        case beginning
        case underWay(Promise<M>)
    }

    private let resolver: Resolver<M>
    private let state = Guarded<(stage: Stage, isCancelled: Bool)>((.between, false))

    init(_ resolver: Resolver<M>) { self.resolver = resolver }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Asks for the write; nil if it was cancelled.
    func begin(_ ask: () -> Promise<M>) -> Promise<M>? {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.stage = .beginning }
            return state.isCancelled
        }
        if isCancelled { return nil }
        let write = ask()
        let isLate = state.withLock { state in
            state.stage = .underWay(write)
            return state.isCancelled
        }
        if isLate { write.cancel() }
        return write
    }

    /// Whether it may be made again after a conflict.
    func goOn() -> Bool {
        state.withLock { state in
            state.stage = .between
            return !state.isCancelled
        }
    }

    func end(_ result: Result<M, any Error>) { resolver.resolve(result) }

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
