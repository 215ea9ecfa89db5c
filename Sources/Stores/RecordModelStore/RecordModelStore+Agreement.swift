public import ModelKitModels
public import ModelKitPromises

extension RecordModelStore {
    /// What a model and this store agree on now, to be kept for `resume`.
    ///
    /// - Parameter model: The model, which was read from this store or written to it.
    /// - Returns: The agreement. It fails with `.unsupported` for a model that stands for no record, and in a
    ///   store that cannot be distinguished from others.
    public func agreement<M: Model>(of model: M) -> Promise<Agreement> {
        guard let records = records.resumable else {
            return .failed(StoreError.unsupported("this store cannot be distinguished from others"))
        }
        guard let known = session.known(model) else {
            return .failed(
                StoreError.unsupported("the \(M.schema.name) was neither read nor written here")
            )
        }
        let version = records.version(known.revision, of: known.identifier, M.schema)
        return records.identity().map { store in
            Agreement(
                version: Agreement.currentVersion,
                type: M.schema.name,
                identifier: known.identifier,
                store: store,
                revision: version.revision,
                entityTag: version.entityTag,
                baseValues: known.base?.dictionary(of: M.schema) ?? [:]
            )
        }
    }

    /// Has a model stand for a record as it did when the agreement was taken, edits included.
    ///
    /// Edited is what differs from the values of then; fields that the type did not have then, and default
    /// values that were never set, are not. An update writes that, and is a `.conflict` if somebody else has
    /// written the record since, where the store or server can detect it.
    ///
    /// - Parameters:
    ///   - model: The model with the values that were kept, which no store has read or written.
    ///   - agreement: What was agreed on.
    /// - Returns: The same instance. It fails with `.unsupported` for an agreement of another type, record,
    ///   store or account, and where the model or another object in use stands for the record already.
    public func resume<M: Model>(_ model: M, from agreement: Agreement) -> Promise<M> {
        guard let records = records.resumable else {
            return .failed(StoreError.unsupported("this store cannot be distinguished from others"))
        }
        return records.identity().map { [session] store in
            try agreement.check(isOf: model, in: store)
            let version = RecordVersion(
                revision: agreement.revision,
                entityTag: agreement.entityTag
            )
            let revision = records.resume(version, of: agreement.identifier, M.schema)
            try session.resume(model, from: agreement, revision: revision)
            return model
        }
    }
}

extension Agreement {
    /// Throws for another type, record or store.
    fileprivate func check<M: Model>(isOf model: M, in store: String) throws(StoreError) {
        let name = M.schema.name
        if type != name {
            throw .unsupported("the agreement is of a \(type), and the model is a \(name)")
        }
        if let own = model.identifier, own != identifier {
            throw .unsupported("the agreement is of \(type) \(identifier), the model is \(own)")
        }
        if self.store != store {
            throw .unsupported("the agreement is of the store \(self.store), and this is \(store)")
        }
    }
}

extension StoreSession {
    /// Notes what an object and a record agreed on once.
    fileprivate func resume<M: Model>(
        _ model: M,
        from agreement: Agreement,
        revision: Int64
    ) throws(StoreError) {
        let schema = M.schema
        if known(model) != nil {
            throw .unsupported("the \(schema.name) stands for a record already")
        }
        if model.identifier == nil { model.give(agreement.identifier) }
        let snapshot = Snapshot(of: model, schema)
        var agreements = snapshot.agreements
        var base: [FieldKey: AttributeValue] = [:]
        for (slot, entry) in schema.fields.enumerated() {
            // A field that the type has now alone is not edited.
            guard let value = agreement.baseValues[entry.key] else { continue }
            base[entry.key] = value
            if entry === schema.identifier || snapshot.gaps.contains(slot) { continue }
            // A default value that was never set is not edited either.
            let isSet = agreements[slot].revision != 0 || model.hasEmbeddedEdit(in: entry)
            var isEdited = isSet && !value.isSame(as: snapshot.row[slot] ?? .null)
            if let agreed = agreements[slot].value {
                isEdited = isEdited && !value.isSame(as: agreed ?? .null)
            }
            // By its value, and under no revision of the field.
            if isEdited { agreements[slot] = .init(revision: 0, value: value) }
        }
        let known = Known(
            agreement.identifier,
            revision: revision,
            agreements,
            .record(.dictionary(base))
        )
        if let other = register(model, known), other !== model {
            throw .unsupported(
                "another object in use stands for \(schema.name) \(agreement.identifier)"
            )
        }
        // Others may refer to the record that it stands for.
        model.unloadDerived()
    }
}
