import ModelKitFields
import ModelKitModels
import ModelKitPromises

/// Writes that were asked for together, from the call to their end.
final class PendingWrites: Sendable {
    private let writes: [PendingWrite]
    private let records: any RecordStore
    private let session: StoreSession
    /// What they come after.
    let turn: StoreSession.Turn
    /// The models that are deleted, as far as that is known at the call.
    private let deleted: [any Model]
    /// What was sent for each of them, and when that was known.
    private let sent = Guarded<(parts: [[RecordWrite]], asked: UInt64)>(([], 0))

    /// Prepares them, at the call.
    init(
        _ writes: [ModelWrite],
        isBatch: Bool,
        _ records: any RecordStore,
        _ session: StoreSession
    ) throws {
        let writes = try ModelWrite.prepare(
            writes,
            isBatch: isBatch,
            session,
            isWriting: session.isWriting
        )
        (self.writes, self.records, self.session) = (writes, records, session)
        session.reportUnsavedMembers(of: writes)
        if writes.areOfOwners { session.follow(records) }
        let models = writes.count == 1 ? writes[0].models : writes.flatMap(\.models)
        // What is found may be in writes that are under way, and later ones have to find it gone.
        turn =
            records.mayRead(before: writes, session)
            ? .everything(writing: models) : .models(models)
        deleted = writes.flatMap { $0.deleted.map(\.model) }
        session.beginDeletion(of: deleted)
    }

    /// Makes them, in their turn.
    func start() throws -> StoreOperation<[RecordReceipt], Void>.Attempt {
        // Of a try before this one.
        sent.withLock { $0 = ([], 0) }
        let receipts: Promise<[RecordReceipt]>
        var asked: Promise<Void>?
        if let search = records.cascadeSearch(writes, session) {
            (receipts, asked) = perform(after: search)
        } else {
            do {
                receipts = try perform()
            } catch {
                undo()
                throw error
            }
        }
        return .init(
            promise: receipts,
            asked: asked,
            finish: { self.finish($0) },
            failed: { self.failed($0) },
            repeats: { self.isOwn($0) }
        )
    }

    /// Sends what they are by now, with the models that were found to go with each.
    private func perform(_ found: [[any Model]] = []) throws(StoreError) -> Promise<[RecordReceipt]>
    {
        let asked = session.now
        let parts = try writes.records(session, found)
        sent.withLock { $0 = (parts, asked) }
        let all = parts.all
        session.beginCreations(all, by: ObjectIdentifier(self))
        // What was not edited is not written.
        return all.isEmpty ? .value([]) : records.perform(all)
    }

    /// Reads, and then makes the writes; none of them if it is cancelled before.
    ///
    /// - Returns: The receipts; and what is there when the store was asked for the writes, or will not be.
    private func perform(
        after search: CascadeSearch
    ) -> (receipts: Promise<[RecordReceipt]>, asked: Promise<Void>) {
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let (asked, askedResolver) = Promise<Void>.withResolvers()
        let gate = CancellationGate()
        gate.decide(resolver)
        search.finished(records, session).observe { [self] result in
            guard gate.begin() else { return }
            do {
                let made = try perform(result.get().found)
                askedResolver.fulfill()
                // Whether it can be cancelled is up to the store from here on.
                resolver.whenCancelled {
                    made.decidesCancelling ? made.cancelled() : nil
                }
                made.observe { resolver.resolve($0) }
            } catch {
                resolver.reject(error)
            }
        }
        promise.observe { _ in askedResolver.fulfill() }
        return (promise, asked)
    }

    /// Notes what was made.
    private func finish(_ receipts: [RecordReceipt]) {
        defer {
            session.endDeletion(of: deleted)
            session.endCreations(by: ObjectIdentifier(self))
        }
        let (parts, asked) = sent.withLock { $0 }
        let made = parts.made(receipts)
        for (write, made) in zip(writes, made) { session.note(write, made) { _ in asked } }
        let gone = !deleted.isEmpty && records.isElsewhere ? parts.all : []
        session.releaseMembers(of: gone)
        session.finish(writes, made)
        session.unloadRelations(after: gone)
    }

    /// Takes back what was noted, unless something may be there, and gives the error to fail with.
    private func failed(_ error: any Error) -> any Error {
        session.endCreations(by: ObjectIdentifier(self))
        if (error as? StoreError)?.outcome == .notApplied || !records.keepsIdentifiers {
            undo()
            return session.describing(error, turn.models)
        }
        session.endDeletion(of: deleted)
        // They may be there, so that models have the identifiers that were sent.
        for write in sent.withLock({ $0.parts }).joined() { write.giveIdentifier() }
        return error
    }

    /// Whether it is a conflict with what only this store itself has written since, which is none, and is known
    /// now.
    private func isOwn(_ error: StoreError) -> Bool {
        guard case .conflict(let conflict) = error,
            let (known, _) = session.known(of: conflict, turn.models)
        else { return false }
        return known.written == known.revision && known.written == conflict.theirs.revision
            && known.written != conflict.base
    }

    /// Takes back what was done at the call, as nothing was written.
    func undo() {
        session.endDeletion(of: deleted)
        session.endCreations(by: ObjectIdentifier(self))
        for write in writes { write.undo() }
    }
}

extension RecordStore {
    /// Whether something may have to be read before some writes, once it is their turn.
    fileprivate func mayRead(before writes: [PendingWrite], _ session: StoreSession) -> Bool {
        if !writes.contains(where: { $0.mayCascade }) { return false }
        // What is known now, another deletion may have made unknown by then.
        return cascadeSearch(writes, session) != nil
            || writes.contains { $0.mayCascade && $0.models.contains(where: session.isWriting) }
    }
}

extension RecordWrite {
    /// Has a new model have the identifier that it was sent with.
    fileprivate func giveIdentifier() {
        guard let model = source?.model, let identifier = creation?.identifier else { return }
        if model.identifier == nil { model.give(identifier) }
    }
}
