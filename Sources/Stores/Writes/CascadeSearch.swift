import ModelKitModels
import ModelKitPromises

/// Finds what is deleted together with models of which too little is known: what is only a foreign
/// key is read, and what that has.
struct CascadeSearch: Sendable {
    /// What is to be read next.
    private(set) var wanted: [Wanted] = []
    /// What was found, by the writes that it goes with.
    private(set) var found: [[any Model]]
    private var seen: Set<ObjectIdentifier> = []
    private var asked: Set<Key> = []
    /// The models that the other writes are of.
    private var written: Set<ObjectIdentifier> = []

    /// A model whose record is to be read.
    struct Wanted {
        let model: any Model
        let identifier: Identifier
        /// The write that it goes with.
        fileprivate let write: Int
        /// Whether that deletes it anyway.
        fileprivate let isRoot: Bool
    }

    private struct Key: Hashable {
        let type: ObjectIdentifier
        let identifier: Identifier
    }

    /// - Returns: nil where nothing has to be read.
    init?(_ writes: [PreparedWrite], _ notes: any WriteNotes) {
        if !writes.contains(where: { !$0.deleted.isEmpty }) { return nil }
        found = writes.map { _ in [] }
        for (index, write) in writes.enumerated() {
            for (place, deleted) in write.deleted.enumerated() {
                seen.insert(ObjectIdentifier(deleted.model))
                if place > 0 {
                    wantUnknown(deleted, notes, index)
                } else if deleted.lacksOthers {
                    want(deleted.model, notes, index, isRoot: true)
                } else if notes.known(deleted.model) != nil {
                    // Read again it would be deleted as it is then, and not as it was asked for.
                    key(of: deleted.model, notes).map { _ = asked.insert($0) }
                }
            }
        }
        if wanted.isEmpty { return nil }
        for write in writes where write.deleted.isEmpty {
            for model in write.models { written.insert(ObjectIdentifier(model)) }
        }
    }

    /// Takes what was read, and wants what goes with that and is not known either.
    ///
    /// - Parameters:
    ///   - models: What was wanted, as it was found; nil for what is not there.
    ///   - notes: What is known.
    /// - Throws: `.unsupported` for a model that another write is of.
    mutating func take(
        _ models: [(any Model)?],
        _ notes: any WriteNotes
    ) throws(StoreError) {
        let read = wanted
        wanted = []
        for (wanted, model) in zip(read, models) {
            guard let model else { continue }
            if !wanted.isRoot { try add(model, wanted.write) }
            for (other, hasRecord) in model.modelsInCascade {
                if seen.contains(ObjectIdentifier(other)) { continue }
                try add(other, wanted.write)
                wantUnknown(DeletedModel(other, hasRecord: hasRecord), notes, wanted.write)
            }
        }
    }

    private mutating func add(_ model: any Model, _ write: Int) throws(StoreError) {
        guard seen.insert(ObjectIdentifier(model)).inserted else { return }
        if written.contains(ObjectIdentifier(model)) { throw .deletedAndWritten(model) }
        found[write].append(model)
    }

    /// Wants a model that goes with a deleted one, unless all is known of it, or it is kept in that itself.
    private mutating func wantUnknown(
        _ deleted: DeletedModel,
        _ notes: any WriteNotes,
        _ write: Int
    ) {
        let isUnknown = notes.known(deleted.model) == nil
        if deleted.lacksOthers || isUnknown && (deleted.hasRecord || deleted.model.hasGaps) {
            want(deleted.model, notes, write)
        }
    }

    private mutating func want(
        _ model: any Model,
        _ notes: any WriteNotes,
        _ write: Int,
        isRoot: Bool = false
    ) {
        guard let key = key(of: model, notes), asked.insert(key).inserted else { return }
        wanted.append(
            Wanted(model: model, identifier: key.identifier, write: write, isRoot: isRoot)
        )
    }

    private func key(of model: any Model, _ notes: any WriteNotes) -> Key? {
        let identifier = notes.known(model)?.identifier ?? model.identifier
        return identifier.map { Key(type: type(of: model).schema.type, identifier: $0) }
    }
}

extension RecordStore {
    /// What is to be read before some writes; nil where nothing has to be.
    func cascadeSearch(
        _ writes: [PreparedWrite],
        _ notes: any WriteNotes
    ) -> CascadeSearch? {
        // In this order, as most writes delete nothing.
        if !writes.contains(where: { !$0.deleted.isEmpty }) || deletesCascades { return nil }
        return CascadeSearch(writes, notes)
    }
}

extension CascadeSearch {
    /// The same when all is read.
    func finished(_ records: any RecordStore, _ session: StoreSession) -> Promise<CascadeSearch> {
        if wanted.isEmpty { return .value(self) }
        return Promise<(any Model)?>.all(wanted.map { $0.find(records, session) }).then { models in
            var search = self
            try search.take(models, session)
            return search.finished(records, session)
        }
    }
}

extension CascadeSearch.Wanted {
    /// The model in use of its record; nil if there is none.
    func find(_ records: any RecordStore, _ session: StoreSession) -> Promise<(any Model)?> {
        func open<M: Model>(_ model: M) -> Promise<(any Model)?> {
            let asked = session.now
            return records.find(identifier, of: M.self).map { found in
                try found.map { try session.model(M.self, from: $0, asked: asked) }
            }
        }
        return open(model.opened)
    }
}
