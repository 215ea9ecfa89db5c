import ModelKitFields
import ModelKitModels

/// What a transaction knows of the models that it has written, and what it has made.
final class TransactionNotes: KnownModels, Sendable {
    /// Writes that were made together.
    struct Made: Sendable {
        let writes: [PendingWrite]
        let made: [ArraySlice<MadeWrite>]
        /// When they were asked for.
        let asked: UInt64
        /// The records that they have deleted, and the transaction itself had written.
        var own: Set<IdentityMap.Key> = []
        /// Those that went with what they have deleted.
        var gone: [MadeWrite] = []

        func asked(_ made: MadeWrite) -> UInt64 {
            // What the transaction has written is noted at its end only, so after its deletion was asked for.
            own.contains(made.key) ? .max : asked
        }
    }

    private struct State: Sendable {
        /// What is known of the models that were written; nil of those that were deleted.
        var known: [ObjectIdentifier: (model: any Model, known: StoreSession.Known?)] = [:]
        /// The models of the records that were written.
        var models: [IdentityMap.Key: any Model] = [:]
        var made: [Made] = []
        /// The identifiers that models were given.
        var given: [(model: any Model, identifier: Identifier)] = []
        /// The records that have changed with what was deleted.
        var affected: Set<IdentityMap.Key> = []
        /// The models that were read of such, with what is not committed, by their records.
        var uncommitted: [(key: IdentityMap.Key, model: any Model)] = []
    }

    let session: StoreSession
    private let records: any RecordStore
    /// Used by the body of the transaction, on its thread, and after that by whoever ends it.
    private let state = Guarded(State())
    private let isOver = Guarded(false)
    /// Whether the body may run again.
    private let mayRepeat: Bool
    /// The models that the body has read: in this run, and in those before it, after which a model is as it was then once it
    /// is read again.
    private let read = Guarded<(now: [ObjectIdentifier: Read], before: [ObjectIdentifier: Read])>(
        ([:], [:])
    )

    private struct Read: Sendable {
        let model: any Model
        /// What was stored, and when that was asked for.
        let record: Record
        let asked: UInt64
        /// Under what its fields were set before.
        var revision: UInt64
        /// Whether what it has read is committed only at the end.
        var isUncommitted = false
    }

    init(_ session: StoreSession, _ records: any RecordStore) {
        self.session = session
        self.records = records
        mayRepeat = records.mayRepeat
    }

    /// Has models in use follow what is committed.
    func follow() { session.follow(records) }

    /// Throws after the end.
    func check() throws(StoreError) {
        if isOver.withLock({ $0 }) { throw .unsupported("the transaction is over") }
    }

    /// Begins the use by the body, which may run again where the store gives up what it has done before.
    func begin() {
        if !mayRepeat { return }
        if isOver.withLock({ $0 }) {
            session.events?.begin(StoreEvent.Label(operation: .rerun)).end(.success(nil))
        }
        read.withLock { read in
            read.before.merge(read.now) { first, _ in first }
            read.now = [:]
        }
        replace(with: State(), takingBack: true)
        isOver.withLock { $0 = false }
    }

    /// Ends the use by the body.
    func end() { isOver.withLock { $0 = true } }

    /// Notes what was committed, and notifies the models.
    func commit() {
        // So that no model is kept whose transaction is.
        let read = read.withLock { read in
            defer { read = ([:], [:]) }
            return read
        }
        withExtendedLifetime(read) {}
        let all = state.withLock { $0.made }
        for part in all {
            for (write, made) in zip(part.writes, part.made) {
                session.note(write, made, asked: part.asked)
            }
            for made in part.gone where part.own.contains(made.key) {
                session.forget(made.write.schema, made.receipt.identifier, asked: .max)
            }
        }
        session.endCreations(by: ObjectIdentifier(self))
        session.endTransaction(ObjectIdentifier(self))
        for part in all { session.finish(part.writes, part.made) }
        replace(with: State())
    }

    /// Takes back what was set in models for writes that are not there, and what was set in those that the body has read
    /// since it has; where they may be there, it stays.
    func rollBack(after error: any Error) {
        let mayBeThere = (error as? StoreError).map { $0.outcome != .notApplied } ?? false
        replace(with: State(), takingBack: !mayBeThere)
        takeBackRead(mayBeThere: mayBeThere)
        session.endCreations(by: ObjectIdentifier(self))
        session.endTransaction(ObjectIdentifier(self))
    }

    private func takeBackRead(mayBeThere: Bool) {
        let all = read.withLock { read in
            defer { read = ([:], [:]) }
            return read.now.merging(read.before) { now, before in
                var now = now
                now.revision = min(now.revision, before.revision)
                return now
            }
        }
        for read in all.values {
            func takeBack<M: Model>(_ model: M) {
                // What does not fit the fields stays as it is.
                try? session.takeBack(
                    model,
                    setAfter: read.revision,
                    read.record,
                    asked: read.asked
                )
            }
            if !mayBeThere { takeBack(read.model) }
            if read.isUncommitted { session.doubt(read.model) }
        }
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let before = state.withLock { $0 }
        do {
            return try body()
        } catch {
            var new = before
            // What was deleted before it stays so.
            new.uncommitted += state.withLock { $0.uncommitted.dropFirst(before.uncommitted.count) }
                .filter { before.affected.contains($0.key) }
            replace(with: new, takingBack: true)
            throw error
        }
    }

    private func replace(with new: State, takingBack: Bool = false) {
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        if !takingBack { return }
        for (key, model) in old.uncommitted where !new.affected.contains(key) {
            session.doubt(model)
        }
        for (model, identifier) in old.given[new.given.count...].reversed() {
            model.takeBack(identifier)
        }
    }

    /// The object that stands for a record.
    func model<M: Model>(_ type: M.Type, from found: FoundRecord) throws(StoreError) -> M {
        let key = IdentityMap.Key(found.schema, found.record.identifier)
        // What it has written is in the model already, and in others only at the end.
        let (written, isAffected) = state.withLock { ($0.models[key], $0.affected.contains(key)) }
        if let model = written as? M {
            if isAffected, let record = session.known(model)?.record(of: found.schema) {
                // It may be one that was read here, before it was written.
                try noteRead(model, record, asked: session.now)
            }
            return model
        }
        let asked = session.now
        let model = try session.model(type, from: found, asked: asked)
        if isAffected { state.withLock { $0.uncommitted.append((key, model)) } }
        try noteRead(model, found.record, asked: asked, isUncommitted: isAffected)
        return model
    }

    /// Notes that the body has read a model; in a later run than the first, takes back what those before have set.
    private func noteRead<M: Model>(
        _ model: M,
        _ record: Record,
        asked: UInt64,
        isUncommitted: Bool? = nil
    ) throws(StoreError) {
        let id = ObjectIdentifier(model)
        let revision = read.withLock { read -> UInt64? in
            // Once, as what it sets after that is of this run.
            if let old = read.now[id] {
                if let isUncommitted, isUncommitted != old.isUncommitted {
                    read.now[id] = Read(
                        model: model,
                        record: record,
                        asked: asked,
                        revision: old.revision,
                        isUncommitted: isUncommitted
                    )
                }
                return nil
            }
            read.now[id] = Read(
                model: model,
                record: record,
                asked: asked,
                revision: Revision.current,
                isUncommitted: isUncommitted ?? false
            )
            return read.before[id]?.revision
        }
        if let revision {
            try session.takeBack(model, setAfter: revision, record, asked: asked)
            read.withLock { $0.now[id]?.revision = revision }
        }
    }

    func known(_ model: AnyObject) -> StoreSession.Known? {
        if let entry = state.withLock({ $0.known[ObjectIdentifier(model)] }) { return entry.known }
        return session.known(model)
    }

    func isGone(_ model: any Model) -> Bool {
        let entry = state.withLock { $0.known[ObjectIdentifier(model)] }
        return entry.map { $0.known == nil } ?? session.isGone(model)
    }

    func isDeleted(_ model: any Model) -> Bool {
        guard let entry = state.withLock({ $0.known[ObjectIdentifier(model)] }) else {
            return session.isDeleted(model)
        }
        if entry.known != nil { return false }
        // Another object may have made the record anew.
        guard let key = model.recordKey else { return true }
        return state.withLock { $0.models[key] == nil }
    }

    /// Notes writes that were made: for what the transaction does next, and to be noted by the session at the end.
    func note(
        _ writes: [PendingWrite],
        _ made: [ArraySlice<MadeWrite>],
        _ effects: [MadeWrite],
        asked: UInt64
    ) {
        var part = Made(writes: writes, made: made, asked: asked)
        for (write, made) in zip(writes, made) {
            if let given = write.given { state.withLock { $0.given.append((write.model, given)) } }
            for made in made {
                if let snapshot = write.snapshot {
                    note(write.model, snapshot, made)
                } else if noteDeleted(made) {
                    part.own.insert(made.key)
                }
            }
        }
        for effect in effects {
            if !effect.write.isDeletion {
                note(effect)
            } else if noteDeleted(effect) {
                part.own.insert(effect.key)
            }
        }
        part.gone = effects.filter(\.write.isDeletion)
        state.withLock { $0.made.append(part) }
    }

    /// Notes what a deletion has done to a record that is left: a model that agrees with it has all of it at the end, and
    /// may be written before; another one has to read it.
    private func note(_ effect: MadeWrite) {
        let key = effect.key
        let used =
            state.withLock { $0.models[key] }
            ?? session.object(effect.write.schema, effect.receipt.identifier)
        let known = used.flatMap { self.known($0) }
        let old = state.withLock { state -> Any? in
            state.affected.insert(key)
            guard let used, var known, known.revision == effect.before,
                effect.write.writesKeysAlone
            else { return nil }
            known.revision = effect.receipt.revision
            known.agreements.agree(onKeysOf: effect.write, in: used)
            let former = state.known.updateValue((used, known), forKey: ObjectIdentifier(used))
            return (former, state.models.updateValue(used, forKey: key))
        }
        withExtendedLifetime(old) {}
    }

    private func note(_ model: any Model, _ snapshot: Snapshot, _ made: MadeWrite) {
        let identifier = made.receipt.identifier
        let known: StoreSession.Known
        if made.isNew {
            if model.identifier == nil { state.withLock { $0.given.append((model, identifier)) } }
            let agreements = snapshot.giving(identifier, to: model)
            known = StoreSession.Known(made.receipt, agreements, .written(snapshot.row))
        } else {
            let before = self.known(model)
            let agreements = before?.agreements.later(snapshot.agreements) ?? snapshot.agreements
            let base = snapshot.base(over: before?.base, model.classSchema)
            known = StoreSession.Known(made.receipt, agreements, base)
        }
        let old = state.withLock { state in
            let key = IdentityMap.Key(of: model, identifier)
            let former = state.known.updateValue((model, known), forKey: ObjectIdentifier(model))
            return (former, state.models.updateValue(model, forKey: key))
        }
        withExtendedLifetime(old) {}
    }

    /// - Returns: Whether the transaction has written the record.
    private func noteDeleted(_ made: MadeWrite) -> Bool {
        let written = state.withLock { $0.models.removeValue(forKey: made.key) }
        let used = written ?? session.object(made.write.schema, made.receipt.identifier)
        for model in [used, made.write.source?.model].compactMap(\.self) {
            let old = state.withLock {
                $0.known.updateValue((model, nil), forKey: ObjectIdentifier(model))
            }
            withExtendedLifetime(old) {}
        }
        return written != nil
    }
}

extension StoreSession.Known {
    /// The record that was agreed on, as it was then.
    fileprivate func record(of schema: ModelSchema) -> Record? {
        guard let values = base?.dictionary(of: schema) else { return nil }
        return Record(identifier: identifier, revision: revision, values: values, place: place)
    }
}

extension Agreements {
    /// Notes the keys of a write, which a model does not have, as no edit of it: a later set is one.
    fileprivate mutating func agree(onKeysOf write: RecordWrite, in model: any Model) {
        let values = write.keyValues ?? [:]
        for (slot, entry) in write.schema.fields.enumerated() {
            guard let value = values[entry.key] else { continue }
            let revision = entry.field(in: model).revision &+ 1
            self[slot] = Agreement(revision: revision, value: .some(value))
        }
    }
}

extension MadeWrite {
    fileprivate var key: IdentityMap.Key { IdentityMap.Key(write.schema, receipt.identifier) }
}
