package import ModelKitModels
package import ModelKitPromises

extension RecordModelStore {
    /// The models of records that are found in another way than by a query of their type.
    package func list<M: Model>(
        _ type: M.Type,
        fetching fetch: @escaping @Sendable () -> Promise<[Record]>
    ) -> Promise<[M]> {
        read(StoreEvent.Label(operation: .list, type: M.schema.name), count: \.count) { _ in
            fetch()
        } make: { records, asked, session in
            try records.map { try session.model(type, from: $0, asked: asked) }
        }
    }

    /// Removes models by one request that names none of them, after the writes of them that are under way.
    package func delete<M: Model>(
        _ models: [M],
        _ delete: @escaping @Sendable () -> Promise<Void>
    ) -> Promise<Void> {
        let label = StoreEvent.Label(operation: .delete, type: M.schema.name, count: models.count)
        let end = { @Sendable [session] in session.endDeletion(of: models) }
        session.beginDeletion(of: models)
        return session.run(label, after: .models(models), deadline: deadline, abandoned: end) {
            [session] in
            let asked = session.now
            return .init(promise: delete()) {
                defer { end() }
                for model in models {
                    guard let identifier = session.known(model)?.identifier ?? model.identifier
                    else { continue }
                    session.noteDeleted(model.classSchema, identifier, model, asked: asked)
                }
                for model in models { model.afterDelete() }
            } failed: { error in
                end()
                return error
            }
        }
    }
}
