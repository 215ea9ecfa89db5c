import ModelKitFields
import ModelKitModels

extension StoreSession {
    /// The object that stands for a record, with the record's values in every field that was not
    /// edited: the one in use, or a new one.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - record: The record.
    ///   - asked: When the store was asked for it.
    /// - Returns: The object.
    /// - Throws: A `.decoding` error if the record does not fit the fields.
    func model<M: Model>(
        _ type: M.Type,
        from record: Record,
        asked: UInt64
    ) throws(StoreError) -> M {
        if let model = model(type, record.identifier) {
            try apply(record, to: model, asked: asked)
            return model
        }
        let model = M()
        let agreements = try read(record, into: model)
        let used = adopt(
            model,
            record.identifier,
            revision: record.revision,
            agreements: agreements
        )
        if used !== model { try apply(record, to: used, asked: asked) }
        return used
    }

    private func read<M: Model>(
        _ record: Record,
        into model: M
    ) throws(StoreError) -> [Agreement] {
        var issues: [Issue] = []
        let agreements = M.schema.fields.map { entry -> Agreement in
            let field = entry.field(in: model)
            let value = record.values[entry.key]
            var revision: UInt64?
            // Null is what a field without a value has anyway, so it stays one that was never set.
            if let value, !value.isNull || field.currentAttribute != nil {
                revision = field.read(value, at: entry.path, revision: nil, into: &issues)
            }
            let agreed = revision ?? field.revision
            return entry.holdsModels ? .value(field.currentAttribute, agreed) : .revision(agreed)
        }
        if !issues.isEmpty { throw .decoding(type: M.schema.name, record, issues) }
        return agreements
    }

    /// Sets the fields of an object in use that were not edited since it agreed with the store.
    private func apply<M: Model>(
        _ record: Record,
        to model: M,
        asked: UInt64
    ) throws(StoreError) {
        // A lower revision is an answer that was overtaken, unless it was asked for later: then the
        // record was deleted and made anew.
        guard let known = known(model),
            known.revision <= record.revision || known.moment <= asked
        else { return }
        var issues: [Issue] = []
        var agreements = known.agreements
        for (index, entry) in M.schema.fields.enumerated() {
            guard let value = record.values[entry.key] else { continue }
            let field = entry.field(in: model)
            let revision = field.revision
            let current = field.currentAttribute ?? .null
            switch agreements[index] {
            case .revision(let agreed):
                if revision > agreed || value.isSame(as: current) { continue }
                let set = field.read(value, at: entry.path, revision: revision, into: &issues)
                if let set { agreements[index] = .revision(set) }
            case .value(let agreed, _):
                if !(agreed ?? .null).isSame(as: current) || value.isSame(as: current) { continue }
                // What is used stays, where only keys that nobody reads, missing default values or
                // parts of a microsecond differ.
                let other = entry.field(in: M())
                guard
                    other.read(value, at: entry.path, revision: nil, into: &issues) != nil,
                    !(other.currentAttribute ?? .null).isSame(as: current)
                else { continue }
                let set = field.read(value, at: entry.path, revision: revision, into: &issues)
                // Not the value of the field: an observer may have edited the models already.
                if let set { agreements[index] = .value(other.currentAttribute, set) }
            }
        }
        agree(
            model,
            revision: record.revision,
            agreements: agreements,
            since: known.moment
        )
        if !issues.isEmpty { throw .decoding(type: M.schema.name, record, issues) }
    }
}

extension StoreError {
    fileprivate static func decoding(
        type: String,
        _ record: Record,
        _ issues: [Issue]
    ) -> StoreError {
        .decoding(type: type, identifier: record.identifier, issues)
    }
}
