import ModelKitModels

/// What a transaction knows of the models that it has written, and what is to be noted at its end.
final class TransactionNotes: WriteNotes, Sendable {
    private struct State: Sendable {
        /// What is known of the models that were written; nil of those that were deleted.
        var known: [ObjectIdentifier: StoreSession.Known?] = [:]
        /// The models of the records that were written.
        var models: [Key: any Model] = [:]
        /// What to note of them, in the order of the writes.
        var notes: [@Sendable (StoreSession) -> Void] = []
        /// What to notify models of.
        var ends: [@Sendable () -> Void] = []
        /// What takes back what the transaction has set in models.
        var undos: [@Sendable () -> Void] = []
    }

    private struct Key: Hashable {
        let type: ObjectIdentifier
        let identifier: Identifier
    }

    let session: StoreSession
    private let records: any RecordStore
    /// Used by the body of the transaction, on its thread, and after that by whoever ends it.
    private let state = Guarded(State())
    private let isOver = Guarded(false)

    init(_ session: StoreSession, _ records: any RecordStore) {
        self.session = session
        self.records = records
    }

    /// Has models in use follow what is committed.
    func follow() { session.follow(records) }

    var now: UInt64 { session.now }

    /// Throws after the end.
    func check() throws(StoreError) {
        if isOver.withLock({ $0 }) { throw .unsupported("the transaction is over") }
    }

    /// Ends the use by the body.
    func end() { isOver.withLock { $0 = true } }

    /// Notes what was committed, and notifies the models.
    func commit() {
        for note in state.withLock({ $0.notes }) { note(session) }
        session.endTransaction(ObjectIdentifier(self))
        for end in state.withLock({ $0.ends }) { end() }
        replace(with: State())
    }

    /// Takes back what was set in models for writes that are not there; where they may be there, it stays.
    func rollBack(after error: any Error) {
        let mayBeThere = (error as? StoreError).map { $0.outcome != .notApplied } ?? false
        if !mayBeThere { for undo in state.withLock({ $0.undos }).reversed() { undo() } }
        session.endTransaction(ObjectIdentifier(self))
        replace(with: State())
    }

    private func replace(with new: State) {
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        withExtendedLifetime(old) {}
    }

    /// What takes back what a write has set in models.
    func undoing(_ undo: @escaping @Sendable () -> Void) {
        state.withLock { $0.undos.append(undo) }
    }

    /// What to notify a model of at the end.
    func finish(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.ends.append(end) } }

    /// What to note at the end.
    private func noting(_ note: @escaping @Sendable (StoreSession) -> Void) {
        state.withLock { $0.notes.append(note) }
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let before = state.withLock { $0 }
        do {
            return try body()
        } catch {
            let undos = state.withLock { $0.undos[before.undos.count...] }
            for undo in undos.reversed() { undo() }
            replace(with: before)
            throw error
        }
    }

    /// The object that stands for a record.
    func model<M: Model>(_ type: M.Type, from found: FoundRecord) throws(StoreError) -> M {
        let own = ObjectIdentifier(Swift.type(of: found.schema.prototype))
        let key = Key(type: own, identifier: found.record.identifier)
        // What it has written is in the model already, and in others only at the end.
        if let model = state.withLock({ $0.models[key] }) as? M { return model }
        return try session.model(type, from: found, asked: session.now)
    }

    /// The same error; a conflict with the values that its model was edited from.
    func describing(_ error: any Error, _ models: [any Model]) -> any Error {
        session.describing(error, models, known)
    }

    func known(_ model: AnyObject) -> StoreSession.Known? {
        if let known = state.withLock({ $0.known[ObjectIdentifier(model)] }) { return known }
        return session.known(model)
    }

    func isGone(_ model: any Model) -> Bool {
        let known = state.withLock { $0.known[ObjectIdentifier(model)] }
        return known.map { $0 == nil } ?? session.isGone(model)
    }

    func isDeleted(_ model: any Model) -> Bool {
        guard let known = state.withLock({ $0.known[ObjectIdentifier(model)] }) else {
            return session.isDeleted(model)
        }
        if known != nil { return false }
        // Another object may have made the record anew.
        let type = ObjectIdentifier(type(of: model))
        guard let identifier = model.identifier else { return true }
        let key = Key(type: type, identifier: identifier)
        return state.withLock { $0.models[key] == nil }
    }

    func note(_ model: any Model, _ snapshot: Snapshot, as receipt: RecordReceipt) {
        let isGiven = model.identifier == nil
        let agreements = snapshot.giving(receipt.identifier, to: model)
        if isGiven {
            undoing { model.takeBack(receipt.identifier) }
        }
        note(model, receipt, agreements, .written(snapshot.row))
        noting {
            $0.register(
                model,
                receipt.identifier,
                revision: receipt.revision,
                agreements: agreements,
                base: .written(snapshot.row),
                replacing: true
            )
            snapshot.closeGaps(of: model)
            $0.take(receipt.record, into: model)
        }
    }

    func note(
        _ model: any Model,
        _ snapshot: Snapshot,
        updatedAs receipt: RecordReceipt,
        over expected: Int64?
    ) {
        let before = known(model)
        note(
            model,
            receipt,
            before?.agreements.later(snapshot.agreements) ?? snapshot.agreements,
            snapshot.base(over: before?.base, model.classSchema)
        )
        noting { $0.note(model, snapshot, updatedAs: receipt, over: expected) }
    }

    private func note(
        _ model: any Model,
        _ receipt: RecordReceipt,
        _ agreements: Agreements,
        _ base: BaseValues
    ) {
        let key = Key(type: ObjectIdentifier(type(of: model)), identifier: receipt.identifier)
        let known = StoreSession.Known(
            identifier: receipt.identifier,
            revision: receipt.revision,
            agreements: agreements,
            base: base,
            moment: 0
        )
        let old = state.withLock { state in
            let former = state.known.updateValue(known, forKey: ObjectIdentifier(model))
            return (former, state.models.updateValue(model, forKey: key))
        }
        withExtendedLifetime(old) {}
    }

    private func forget(_ model: any Model) {
        let old = state.withLock { $0.known.updateValue(nil, forKey: ObjectIdentifier(model)) }
        withExtendedLifetime(old) {}
    }

    func whenMade(_ body: @escaping @Sendable () -> Void) { noting { _ in body() } }

    func noteDeleted(
        _ type: any Model.Type,
        _ identifier: Identifier,
        _ object: (any Model)?,
        asked: UInt64
    ) {
        let key = Key(type: ObjectIdentifier(type), identifier: identifier)
        let written = state.withLock { $0.models.removeValue(forKey: key) }
        if let model = written ?? session.object(type, identifier) {
            forget(model)
            noting { _ in withExtendedLifetime(model) {} }
        }
        if let object { forget(object) }
        // What the transaction itself has written is noted at its end only, so after this was asked for.
        noting {
            $0.noteDeleted(type, identifier, object, asked: written == nil ? asked : $0.now)
        }
    }
}
