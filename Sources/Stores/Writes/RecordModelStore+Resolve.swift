public import ModelKitModels

extension RecordModelStore {
    /// Writes what was edited, also where somebody else has written the record since: looks it up, gives the
    /// model what the resolution says, and writes again.
    ///
    /// A write after a conflict has what the model has by then.
    ///
    /// - Parameters:
    ///   - model: The model, which must keep its rules.
    ///   - resolution: What becomes of fields that both have changed.
    /// - Returns: The same instance. After 10 conflicts in a row it fails with the last one; the model has
    ///   what was to be written, and can be updated again.
    public func update<M: Model>(
        _ model: M,
        onConflict resolution: ConflictResolution<M>
    ) -> Promise<M> {
        let work = update(model, resolution, tries: 10)
        let (promise, resolver) = Promise<M>.withResolvers()
        resolver.whenCancelled {
            let error = work.cancelled()
            return error is CancellationError ? StoreError.cancelled(.unknown) : error
        }
        work.observe { resolver.resolve($0) }
        return promise
    }

    private func update<M: Model>(
        _ model: M,
        _ resolution: ConflictResolution<M>,
        tries: Int
    ) -> Promise<M> {
        let written: Promise<M> = update(model)
        return written.recoverWith { [self] error in
            guard tries > 0, case StoreError.conflict(let conflict) = error,
                conflict.type == M.schema.name
            else { throw error }
            let asked = session.now
            return records.record(conflict.identifier, of: M.schema).then { [self] record in
                guard let record else {
                    throw StoreError.notFound(type: conflict.type, identifier: conflict.identifier)
                }
                try session.resolve(model, record, asked: asked, resolution)
                return update(model, resolution, tries: tries - 1)
            }
        }
    }
}
