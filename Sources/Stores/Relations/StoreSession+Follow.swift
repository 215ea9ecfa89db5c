import ModelKitFields
import ModelKitModels

// How loaded relations follow what their store commits, whoever has asked it to.

extension StoreSession {
    /// Has the models in use follow the commits of a store, as far as relations depend on them; once.
    func follow(_ records: any RecordStore) {
        let isFollowing = identities.lock.withLock {
            defer { follows = true }
            return follows
        }
        if isFollowing { return }
        let observation = records.observeChanges { [weak self] changes in
            self?.take(changes, records)
        }
        identities.lock.withLock { following = observation }
    }

    private func take(_ changes: RecordChanges, _ records: any RecordStore) {
        var lost: Set<String> = []
        var gone: [any Model] = []
        for change in changes.changes {
            if let made = change.made {
                take(made, records, &gone)
            } else {
                lost.insert(change.type)
            }
        }
        // Not before: a key that is null in the store is no edit of its model.
        for model in gone { model.nullify() }
        if !lost.isEmpty { unloadRelations(of: lost) }
    }

    private func take(
        _ made: RecordChanges.Change.Made,
        _ records: any RecordStore,
        _ gone: inout [any Model]
    ) {
        // What models of this store have written is in them already.
        if let model = made.write.source?.model, scratch == nil, isUsed(model) { return }
        let (schema, identifier) = (made.write.schema, made.receipt.identifier)
        let type: any Model.Type = Swift.type(of: schema.prototype)
        if made.write.isDeletion {
            guard let model = object(type, identifier) else { return }
            let known = known(model)
            forget(type, identifier, asked: now)
            gone.append(model)
            settleTaken(model, known?.agreements, nil)
            return
        }
        guard let values = made.write.keyValues, !values.isEmpty else { return }
        // What is only a key of others is read like what is not in use.
        if let model = object(type, identifier), let known = known(model) {
            take(made, values, intoKeysOf: model, known)
        } else if hasLoadedOwner(of: schema, values) {
            fetch(type, identifier, records)
        }
    }

    /// Whether an object stands for a record of this store, or is to.
    private func isUsed(_ model: any Model) -> Bool {
        known(model) != nil || isWriting(model)
    }

    /// Sets the keys of an object that were not edited, to what others have stored.
    ///
    /// Unless that is all that differs from what is known, the object keeps its revision: it has not what else was
    /// written, so that its next write is a conflict.
    private func take<M: Model>(
        _ made: RecordChanges.Change.Made,
        _ values: [FieldKey: AttributeValue],
        intoKeysOf model: M,
        _ known: Known
    ) {
        guard made.receipt.revision > known.revision else { return }
        let isNext = made.receipt.revision == known.revision + 1 && made.write.writesKeysAlone
        let record = Record(
            identifier: made.receipt.identifier,
            revision: isNext ? made.receipt.revision : known.revision,
            values: values
        )
        let base = known.base.map { $0.dictionary(of: M.schema).merging(values) { $1 } }
        // What does not fit stays as it is: a lookup will say so.
        try? apply(record, to: model, asked: 0, isFirst: false, base: base.map { .dictionary($0) })
    }

    /// Whether the owner of a record, as its keys say, is in use and has its members loaded.
    private func hasLoadedOwner(
        of schema: ModelSchema,
        _ values: [FieldKey: AttributeValue]
    ) -> Bool {
        schema.fields.contains { entry in
            guard entry.isForeignKey, let partner = entry.partnerSchema,
                let value = values[entry.key]
            else { return false }
            let identifiers: [AttributeValue] =
                if case .array(let all) = value { all } else { [value] }
            let type: any Model.Type = Swift.type(of: partner.prototype)
            return identifiers.contains { value in
                guard let identifier = try? Identifier(attributeValue: value),
                    let owner = object(type, identifier)
                else { return false }
                return owner.classSchema.derivedRelations.contains {
                    $0.key === entry && $0.field(of: owner)?.isLoaded ?? false
                }
            }
        }
    }

    /// Makes an object of a record, which joins the relations that its keys name.
    private func fetch<M: Model>(
        _ type: M.Type,
        _ identifier: Identifier,
        _ records: any RecordStore
    ) {
        let asked = now
        records.record(identifier, of: M.schema).observe { [weak self] result in
            guard let self, case .success(let record?) = result else { return }
            _ = try? self.model(M.self, from: record, asked: asked)
        }
    }

    /// Has members in use lose owners that were deleted elsewhere, as it was done there: that is no edit of theirs.
    func releaseMembers(of writes: [PreparedWrite]) {
        for owner in writes.flatMap(\.deleted).map(\.model) {
            guard let identifier = owner.identifier else { continue }
            for relation in owner.classSchema.derivedRelations where !relation.cascades {
                for member in relation.field(of: owner)?.members ?? [] {
                    release(member, from: identifier, relation)
                }
            }
        }
    }

    private func release<M: Model>(
        _ member: M,
        from owner: Identifier,
        _ relation: DerivedRelation
    ) {
        guard let known = known(member) else { return }
        let base = known.base?.dictionary(of: M.schema)
        let key = relation.key.key
        var value = AttributeValue.null
        if relation.hasSeveralOwners {
            guard case .array(let owners)? = base?[key] else { return }
            value = .array(owners.filter { $0 != owner.attributeValue })
        }
        let record = Record(
            identifier: known.identifier,
            revision: known.revision,
            values: [key: value]
        )
        let changed = base.map { RecordValues.dictionary($0.merging([key: value]) { $1 }) }
        try? apply(record, to: member, asked: 0, isFirst: false, base: changed)
    }

    /// Makes the loaded relations not loaded whose members may have been changed by deletions elsewhere,
    /// of which no notification comes.
    func unloadRelations(after writes: [PreparedWrite]) {
        var open = writes.flatMap(\.deleted).map(\.model.classSchema)
        if open.isEmpty { return }
        var (types, deleted): (Set<String>, Set<String>) = ([], [])
        while let schema = open.popLast() {
            if !deleted.insert(schema.name).inserted { continue }
            for relation in schema.derivedRelations {
                types.insert(relation.partner.name)
                if relation.cascades { open.append(relation.partner) }
            }
        }
        if !types.isEmpty { unloadRelations(of: types) }
    }

    /// Makes the loaded relations with members of some types not loaded, as nobody knows what they are now.
    func unloadRelations(of types: Set<String>) {
        let models = identities.lock.withLock { identities.all.compactMap(\.model) }
        for model in models {
            for relation in model.classSchema.derivedRelations
            where types.contains(relation.partner.name)
                || relation.partner.subclasses.contains(where: { types.contains($0.name) })
            {
                guard let field = relation.field(of: model), field.isLoaded,
                    known(model) != nil
                else { continue }
                field.unload()
            }
        }
    }
}

extension RecordWrite {
    /// The values of the keys that it writes; nil of a deletion.
    var keyValues: [FieldKey: AttributeValue]? {
        guard let values else { return nil }
        let keys = Set(schema.fields.lazy.filter(\.isForeignKey).map(\.key))
        return values.filter { keys.contains($0.key) }
    }

    /// Whether it changes keys of a record that was there, and nothing else.
    fileprivate var writesKeysAlone: Bool {
        guard case .update(_, let values, _) = action else { return false }
        return keyValues?.count == values.count
    }

    private var values: [FieldKey: AttributeValue]? {
        switch action {
        case .create(_, let given), .update(_, let given, _), .save(_, let given, _): given
        case .delete: nil
        }
    }
}
