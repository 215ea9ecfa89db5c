import ModelKitFields
public import ModelKitModels

extension RecordModelStore {
    public func save<M: Model>(_ model: M, onConflict: OnConflict) -> Promise<M> {
        let schema = M.schema
        let issues = model.validationIssues()
        if issues.isBlocking { return .failed(StoreError.validation(issues)) }
        let snapshot = Snapshot(of: model, schema)
        return session.sequence([model]) { [self] in
            // Not at the call: a write that was under way changes what is known.
            if session.known(model) != nil { return update(model, snapshot) }
            let write: RecordWrite
            do {
                if let identifier = snapshot.identifier ?? model.identifier {
                    write = RecordWrite(
                        .save(identifier, snapshot.values, onConflict),
                        of: schema
                    )
                } else {
                    let made = try Identifier.make(for: schema)
                    write = RecordWrite(.create(made, snapshot.values), of: schema)
                }
            } catch {
                return .failed(error)
            }
            return records.perform([write]).map { [session] receipts in
                for receipt in receipts { session.note(model, snapshot, savedAs: receipt) }
                return model
            }
        }
    }
}
