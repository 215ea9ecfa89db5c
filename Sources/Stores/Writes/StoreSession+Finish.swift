import ModelKitModels
import Synchronization

extension StoreSession {
    /// Ends writes that were made, and cannot be taken back.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - made: What each of them has made.
    func finish(_ writes: [PreparedWrite], _ made: [[MadeWrite]]) {
        var touched = TouchedRelations()
        for (prepared, made) in zip(writes, made) {
            prepared.finish(self, made)
            for made in made {
                guard made.write.schema.hasRelations, let source = made.write.source else {
                    continue
                }
                settleTaken(source.model, source.agreements, made.write.keyValues, &touched)
                if made.write.isDeletion { source.model.dropTaken() }
                if made.isNew { source.model.keepTaken() }
            }
        }
        touched.forgetUnstored(self)
    }

    /// Reports models that are written while members of their relations are in no store.
    func reportUnsavedMembers(of writes: [PreparedWrite]) {
        var written: Set<ObjectIdentifier>?
        for write in writes where write.deleted.isEmpty && !write.isOfGraph {
            let model = write.model
            for relation in model.classSchema.derivedRelations {
                guard let field = relation.field(of: model), field.isLoaded else { continue }
                let unsaved = field.members.filter {
                    known($0) == nil && !$0.hasGaps && !isWriting($0)
                }
                if unsaved.isEmpty { continue }
                let all = written ?? Set(writes.flatMap(\.models).map { ObjectIdentifier($0) })
                written = all
                let count = unsaved.count { !all.contains(ObjectIdentifier($0)) }
                if count > 0 { reportUnsaved(count, of: relation, in: model) }
            }
        }
    }

    private func reportUnsaved(_ count: Int, of relation: DerivedRelation, in model: any Model) {
        let name = relation.entry.name
        ModelKitDiagnostics.report(
            Diagnostic(
                code: .unsavedMembers,
                message:
                    "\(model.classSchema.name) is written, but \(count) of its \(name) were never "
                    + "stored; save it including: \\.\(name)",
                field: name
            )
        )
    }
}

extension StoreSession {
    /// Notes that objects are being deleted.
    ///
    /// - Returns: What ends it, however it ends; to be called at least once.
    func beginDeletion(of models: [any Model]) -> @Sendable () -> Void {
        identities.releasing { models.flatMap { deleted.begin($0) } }
        let isOver = DeletionEnd()
        return { [self] in
            if isOver.note() { identities.releasing { models.flatMap { deleted.end($0) } } }
        }
    }

    /// Notes that this store has deleted a record, and the object that it was deleted by, if any.
    ///
    /// An object that was noted after its deletion was asked for stays: it stands for the next one.
    func noteDeleted(
        _ type: any Model.Type,
        _ identifier: Identifier,
        _ object: (any Model)?,
        asked: UInt64
    ) {
        let used = self.object(type, identifier)
        forget(type, identifier, asked: asked)
        let key = IdentityMap.Key(type: ObjectIdentifier(type), identifier: identifier)
        identities.releasing {
            [used, object].compactMap { $0 }
                .filter { identities.place(of: $0)?.model !== $0 }
                .flatMap { deleted.noteGone($0, at: key) }
        }
    }

    func isGone(_ model: any Model) -> Bool {
        identities.lock.withLock { deleted.isGone(model) }.isGone
    }

    func isDeleted(_ model: any Model) -> Bool {
        let found = identities.lock.withLock {
            deleted.contains(model) { identities.place($0) != nil }
        }
        return found.isDeleted
    }
}

/// Whether a deletion is over, so that it ends once.
private final class DeletionEnd: Sendable {
    private let isOver = Atomic(false)

    func note() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

extension IdentityMap {
    /// Runs a closure under the lock, and releases what it gives after it.
    fileprivate func releasing(_ body: () -> [(any Model)?]) {
        let held = lock.withLock(body)
        withExtendedLifetime(held) {}
    }
}
