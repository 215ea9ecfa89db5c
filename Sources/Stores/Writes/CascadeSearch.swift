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
    private var asked: Set<IdentityMap.Key> = []
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

    /// - Returns: nil where nothing has to be read, as before most writes.
    init?(_ writes: [PendingWrite], _ notes: any KnownModels) {
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
        _ notes: any KnownModels
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
        _ notes: any KnownModels,
        _ write: Int
    ) {
        let isUnknown = notes.known(deleted.model) == nil
        if deleted.lacksOthers || isUnknown && (deleted.hasRecord || deleted.model.hasGaps) {
            want(deleted.model, notes, write)
        }
    }

    private mutating func want(
        _ model: any Model,
        _ notes: any KnownModels,
        _ write: Int,
        isRoot: Bool = false
    ) {
        guard let key = key(of: model, notes), asked.insert(key).inserted else { return }
        wanted.append(
            Wanted(model: model, identifier: key.identifier, write: write, isRoot: isRoot)
        )
    }

    private func key(of model: any Model, _ notes: any KnownModels) -> IdentityMap.Key? {
        let identifier = notes.known(model)?.identifier ?? model.identifier
        return identifier.map { IdentityMap.Key(type(of: model).schema, $0) }
    }
}

extension RecordStore {
    /// What is to be read before some writes; nil where nothing has to be.
    func cascadeSearch(
        _ writes: [PendingWrite],
        _ notes: any KnownModels
    ) -> CascadeSearch? {
        guard let search = CascadeSearch(writes, notes), !deletesCascades else { return nil }
        return search
    }
}

extension CascadeSearch {
    /// The same when all is read.
    func finished(_ records: any RecordStore, _ session: StoreSession) -> Promise<CascadeSearch> {
        if wanted.isEmpty { return .value(self) }
        let asked = session.now
        let found = wanted.map { records.find($0.identifier, below: $0.model.classSchema) }
        return Promise<FoundRecord?>.all(found).then { found in
            // The models in use.
            let models = try found.map { try $0.map { try session.model(of: $0, asked: asked) } }
            var search = self
            try search.take(models, session)
            return search.finished(records, session)
        }
    }
}
