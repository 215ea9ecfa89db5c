import ModelKitModels
import ModelKitStores

extension RemoteOperation {
    /// Saves a model to a server that knows no saving.
    func save(
        _ write: RecordWrite,
        _ identifier: Identifier,
        _ values: [FieldKey: AttributeValue],
        _ onConflict: OnConflict
    ) throws -> Promise<RecordReceipt> {
        @Sendable func creation() throws -> RemoteWrite {
            let values = try write.valuesOfNew(values)
            return try prepare(RecordWrite(.create(identifier, values), of: write))
        }
        if onConflict == .fail { return send(try creation()) }
        let method = onConflict == .replace ? .put : dialect.updateMethod
        if onConflict == .merge, method == .put {
            return try merge(values, into: identifier, write, orElse: creation)
        }
        var changes = values
        if onConflict == .merge { changes[try write.schema.identity().key] = nil }
        let update = RecordWrite(.update(identifier, changes, revision: nil), of: write)
        let first = try prepare(update, by: method)
        return send(first).recoverWith { [self] error in
            guard case .notFound? = error as? StoreError else { throw error }
            return try present(first.request.path, identifier, write.schema).then { [self] theirs in
                if theirs == nil { return send(try creation()) }
                // So some servers answer methods that they do not have; one more would be made.
                throw StoreError.unsupported(
                    "\(dialect.name) has \(write.schema.name) \(identifier), but no \(method) for it"
                )
            }
        }
    }

    /// Sets some values of a record, if there is one, at a server that is sent whole records alone.
    private func merge(
        _ values: [FieldKey: AttributeValue],
        into identifier: Identifier,
        _ write: RecordWrite,
        orElse creation: @escaping @Sendable () throws -> RemoteWrite
    ) throws -> Promise<RecordReceipt> {
        let schema = write.schema
        let path = try instance(of: write, identifier)
        return try present(path, identifier, schema).then { [self] theirs in
            guard let theirs else { return send(try creation()) }
            var whole = values
            for entry in schema.fields where values[entry.key] == nil {
                guard let value = theirs.values[entry.key] else {
                    throw StoreError.unsupported(
                        "\(dialect.name) is sent whole models, but does not send \(entry.key) of "
                            + "\(schema.name) \(identifier)"
                    )
                }
                whole[entry.key] = value
            }
            let action = RecordWrite.Action.update(identifier, whole, revision: theirs.revision)
            return send(try prepare(RecordWrite(action, of: write), by: .put))
        }
    }

    /// What is at a path before a record is written there; nil if there is nothing.
    private func present(
        _ path: String,
        _ identifier: Identifier,
        _ schema: ModelSchema
    ) throws -> Promise<Record?> {
        try record(at: path, identifier, of: schema).recover { error in
            if let failure = error as? HTTPFailure { throw StoreError(failure, isWrite: false) }
            throw UnsentError(error: error)
        }
    }
}
