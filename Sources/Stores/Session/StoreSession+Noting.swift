import ModelKitModels

extension StoreSession {
    /// Notes that an object has written a record: one that was made of it, or was there before, with the expected
    /// revision.
    func note(
        _ model: any Model,
        _ snapshot: Snapshot,
        as receipt: RecordReceipt,
        isNew: Bool,
        over expected: Int64?,
        asked: UInt64
    ) {
        if isNew {
            if model.classSchema.hasRelations { model.joinCopied() }
            let agreements = snapshot.giving(receipt.identifier, to: model)
            let made = Known(receipt, agreements, .written(snapshot.row))
            if let read = known(model), read.moment > asked, read.identifier == made.identifier {
                // Its record was read as soon as it was committed.
                agree(model, made)
            } else {
                register(model, made, replacing: true)
            }
            snapshot.closeGaps(of: model)
        } else if expected != nil, known(model) == nil {
            // It was deleted since, maybe by the same batch.
            return
        } else {
            let old = snapshot.gaps.isEmpty ? nil : known(model)?.base
            let base = snapshot.base(over: old, model.classSchema)
            let known = Known(receipt, snapshot.agreements, base)
            // Another object in use stays the one: it meets a conflict, and hides nothing. So does what a
            // lookup that came in between has noted. First, as another object that is gone may have stood at
            // its address.
            let other = register(model, known)
            agree(model, known, over: expected)
            if let record = receipt.record, let other, other !== model {
                return take(record, into: model, agreeing: snapshot.agreements)
            }
        }
        take(receipt.record, into: model)
    }

    /// Notes that an object was saved to a record.
    func note(
        _ model: any Model,
        _ snapshot: Snapshot,
        savedAs receipt: RecordReceipt,
        isNew: Bool,
        over expected: Int64?,
        asked: UInt64
    ) {
        // It was made here, and stands for a record that others may refer to.
        if !isNew, known(model) == nil {
            model.joinCopied()
            model.unloadDerived()
        }
        note(model, snapshot, as: receipt, isNew: isNew, over: expected, asked: asked)
    }

    /// Notes that this store has deleted a record, and the object that it was deleted by, if any.
    ///
    /// An object that was noted after its deletion was asked for stays: it stands for the next one.
    func noteDeleted(
        _ schema: ModelSchema,
        _ identifier: Identifier,
        _ object: (any Model)?,
        asked: UInt64
    ) {
        let used = self.object(schema, identifier)
        forget(schema, identifier, asked: asked)
        let key = IdentityMap.Key(schema, identifier)
        identities.releasing {
            [used, object].compactMap { $0 }
                .filter { identities.place(of: $0)?.model !== $0 }
                .flatMap { deleted.change($0) { ($0.isGone, $0.key) = (true, key) } }
        }
    }

    /// Notes that creations are sent.
    func beginCreations(_ writes: [RecordWrite], by owner: ObjectIdentifier) {
        identities.lock.withLock { creations.add(writes, by: owner) }
    }

    /// Notes that objects are being deleted.
    func beginDeletion(of models: [any Model]) {
        if models.isEmpty { return }
        identities.releasing { models.flatMap { deleted.change($0) { $0.pending += 1 } } }
    }

    /// Notes the end of that, however it has ended.
    func endDeletion(of models: [any Model]) {
        if models.isEmpty { return }
        identities.releasing {
            models.flatMap { deleted.change($0) { $0.pending = max($0.pending - 1, 0) } }
        }
    }
}

extension StoreSession: KnownModels {
    func isGone(_ model: any Model) -> Bool {
        let entry = identities.lock.withLock { deleted[model] }
        return entry.map { $0.isGone && $0.model === model } ?? false
    }

    func isDeleted(_ model: any Model) -> Bool {
        let (entry, isTaken) = identities.lock.withLock {
            let entry = deleted[model]
            return (entry, entry?.key.map { identities.place($0) != nil } ?? false)
        }
        guard let entry, entry.model === model else { return false }
        return entry.pending > 0 || !isTaken
    }
}

extension StoreSession.Known {
    init(_ receipt: RecordReceipt, _ agreements: Agreements, _ base: BaseValues) {
        self.init(receipt.identifier, revision: receipt.revision, agreements, base)
    }

    /// What an object has read of a record.
    init(_ record: Record, _ agreements: Agreements, _ base: RecordValues? = nil, place: Int64 = 0)
    {
        let base = BaseValues.record(base ?? record.storage)
        self.init(record.identifier, revision: record.revision, agreements, base, place: place)
    }
}

extension IdentityMap {
    /// Runs a closure under the lock, and releases what it gives after it.
    fileprivate func releasing(_ body: () -> [(any Model)?]) {
        let held = lock.withLock(body)
        withExtendedLifetime(held) {}
    }
}
