import ModelKitFields
import ModelKitModels
import ModelKitPromises

// How loaded relations follow what their store commits, whoever has asked it to.

extension StoreSession {
    /// Has the models in use follow the commits of a store, as far as relations depend on them; once.
    func follow(_ records: any RecordStore) {
        if identities.lock.withLock({ following != nil }) { return }
        // Records elsewhere keep their store, and with it the session.
        let own = records.isElsewhere ? nil : records
        let observation = records.observeOwnChanges { [weak self] changes in
            self?.take(changes, own)
        }
        // Of two that were begun at once one is let go of, after the lock.
        identities.lock.withLock { following = following ?? observation }
        withExtendedLifetime(observation) {}
    }

    private func take(_ changes: RecordChanges, _ records: (any RecordStore)?) {
        var lost: Set<String> = []
        var gone: [(model: any Model, agreements: Agreements?)] = []
        batch {
            let kept = changes.keysWrittenAfterEffects(by: isOwn)
            for (index, change) in changes.changes.enumerated() {
                if let made = change.made {
                    take(made, records, except: kept[index] ?? [], &gone, &lost)
                } else {
                    keep(change.type, nil, [])
                    lost.insert(change.type)
                }
            }
            // Not before: a key that is null in the store is no edit of its model.
            var touched = TouchedRelations()
            for (model, agreements) in gone {
                model.nullify()
                settleTaken(model, agreements, nil, &touched)
                model.dropTaken()
            }
            touched.forgetUnstored(self)
            if !lost.isEmpty { unloadRelations(of: lost) }
        }
    }

    private func take(
        _ made: MadeWrite,
        _ records: (any RecordStore)?,
        except kept: Set<FieldKey>,
        _ gone: inout [(model: any Model, agreements: Agreements?)],
        _ lost: inout Set<String>
    ) {
        // What models of this store have written is in them already, but not in what is being read.
        let isOwn = isOwn(made)
        if isOwn, !keepsCommits { return }
        let (schema, identifier) = (made.write.schema, made.receipt.identifier)
        let values = made.write.keyValues ?? [:]
        if made.write.isDeletion || !values.isEmpty {
            let own = isOwn && !made.write.isDeletion ? made.receipt.revision : nil
            keep(schema.name, identifier, Array(values.values), own: own)
        }
        if isOwn { return }
        if made.write.isDeletion {
            guard let model = object(schema, identifier) else { return }
            let known = known(model)
            // A deletion that was superseded by the next record of this identifier.
            if let known, known.revision > made.receipt.revision, made.receipt.revision > 0 {
                return
            }
            forget(schema, identifier, asked: now)
            gone.append((model, known?.agreements))
            return
        }
        if values.isEmpty { return }
        // What is only a key of others is read like what is not in use.
        let keys = values.filter { !kept.contains($0.key) }
        if let model = object(schema, identifier), let known = known(model) {
            take(made, keys, intoKeysOf: model, known)
        } else if made.isEffect, holdsBack(made, keys) {
            return
        } else if hasLoadedOwner(of: schema, values) {
            if let records { fetch(schema, identifier, records) } else { lost.insert(schema.name) }
        }
    }

    /// Whether a model of this store has written it.
    private func isOwn(_ made: MadeWrite) -> Bool {
        guard scratch == nil, let model = made.write.source?.model else { return false }
        return known(model) != nil || isWriting(model)
    }

    /// Keeps what a deletion has done to a record whose model is noted at the end of its creation.
    ///
    /// - Returns: False if there is none.
    private func holdsBack(_ made: MadeWrite, _ keys: [FieldKey: AttributeValue]) -> Bool {
        identities.lock.withLock { creations.note(made, keys) }
    }

    /// Notes that creations have ended, or were not sent; their models take what deletions have done to the records.
    func endCreations(by owner: ObjectIdentifier) {
        let (ended, effects) = identities.lock.withLock { creations.remove(by: owner) }
        withExtendedLifetime(ended) {}
        for (made, keys) in effects {
            guard let model = object(made.write.schema, made.receipt.identifier),
                let known = known(model)
            else { continue }
            take(made, keys, intoKeysOf: model, known)
        }
    }

    /// Sets the keys of an object that were not edited, to what others have stored.
    ///
    /// Unless that is all that differs from what is known, the object keeps its revision: it has not what else was
    /// written, so that its next write is a conflict.
    private func take<M: Model>(
        _ made: MadeWrite,
        _ values: [FieldKey: AttributeValue],
        intoKeysOf model: M,
        _ known: Known
    ) {
        let revision = made.receipt.revision
        // What was edited here would be written over what others have written; but for a key that is null as nothing is
        // there to lead to.
        let isNoted = made.isEffect || !values.keys.contains { isEdited(model, $0, known) }
        let before = isNoted && made.write.writesKeysAlone ? made.before : nil
        guard revision > known.revision, noteFollowed(model, revision, after: before)
        else { return }
        let isNext = known.revision == before
        applyKeys(values, to: model, known, revision: isNext ? revision : known.revision)
    }

    /// Sets the keys of an object that were not edited, to values that its record has been given elsewhere.
    func applyKeys<M: Model>(
        _ values: [FieldKey: AttributeValue],
        to model: M,
        _ known: Known,
        revision: Int64
    ) {
        let record = Record(identifier: known.identifier, revision: revision, values: values)
        let base = known.base.map { base in
            RecordValues.dictionary(base.dictionary(of: M.schema).merging(values) { $1 })
        }
        // What does not fit stays as it is: a lookup will say so.
        try? apply(record, to: model, asked: 0, isFirst: false, base: base)
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
            return value.owners.contains { identifier in
                guard let owner = object(partner, identifier) else { return false }
                return owner.classSchema.derivedRelations.contains { relation in
                    relation.key.name == entry.name
                        && relation.partners.contains { $0 === schema }
                        && relation.field(of: owner)?.isLoaded ?? false
                }
            }
        }
    }

    /// Makes an object of a record, which joins the relations that its keys name.
    private func fetch(
        _ schema: ModelSchema,
        _ identifier: Identifier,
        _ records: any RecordStore
    ) {
        let finish = keepCommits()
        let (asked, start) = (now, commitsEnd)
        records.record(identifier, of: schema).observe { [weak self] result in
            defer { finish() }
            guard let self, case .success(let record) = result else { return }
            if let record {
                _ = try? model(of: FoundRecord(schema: schema, record: record), asked: asked)
            } else if let model = object(schema, identifier), let known = known(model),
                known.moment <= asked
            {
                // It was deleted after a former answer.
                forget(schema, identifier, asked: asked)
                model.nullify()
                model.dropTaken()
            }
            // The record may be another one by now, or gone.
            let isOld = hasCommits(since: start) {
                $0.type == schema.name && $0.identifier == identifier
            }
            if isOld { fetch(schema, identifier, records) }
        }
    }
}

extension RecordChanges {
    /// The keys that were written by models of a store after a deletion has changed them, by the places of those effects.
    fileprivate func keysWrittenAfterEffects(
        by isOwn: (MadeWrite) -> Bool
    ) -> [Int: Set<FieldKey>] {
        guard changes.contains(where: { $0.made?.isEffect ?? false }) else { return [:] }
        var (later, kept): ([Change: Set<FieldKey>], [Int: Set<FieldKey>]) = ([:], [:])
        for (index, change) in changes.enumerated().reversed() {
            guard let made = change.made else { continue }
            if made.isEffect {
                kept[index] = later[change]
            } else if isOwn(made), let values = made.write.keyValues {
                later[change, default: []].formUnion(values.keys)
            }
        }
        return kept
    }
}

extension RecordWrite {
    /// The values of the keys that it writes; nil of a deletion.
    var keyValues: [FieldKey: AttributeValue]? {
        guard let values else { return nil }
        var found: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields where entry.isForeignKey { found[entry.key] = values[entry.key] }
        return found
    }

    /// Whether it changes keys of a record that was there, and nothing else.
    var writesKeysAlone: Bool {
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
