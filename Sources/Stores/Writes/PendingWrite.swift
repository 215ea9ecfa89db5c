import ModelKitModels

/// A write as it was asked for: with the values that the model had then.
///
/// What is sent is made when the writes before are made, which change what is known of the model.
final class PendingWrite: Sendable {
    let write: ModelWrite
    /// The model, to be opened with its own class.
    let model: any Model
    let schema: ModelSchema
    /// The values of the model; nil of a deletion.
    let snapshot: Snapshot?
    /// The model of a deletion, and then those that go with it; empty of other writes.
    let deleted: [DeletedModel]
    /// What was set in the model since it was made: what it saves where it merges.
    private let merged: [FieldKey: AttributeValue]?
    /// What is wrong with the model if nothing is stored of it.
    private let lacking: [Issue]
    /// The identifier that the model was given for others of the batch.
    let given: Identifier?

    /// - Parameters:
    ///   - write: The write, of a model whose values are taken now.
    ///   - gone: The models that the writes before delete; those that this one deletes are added.
    ///   - lacking: What is wrong with the model if nothing is stored of it.
    ///   - given: The identifier that the model was given for others of the batch.
    init(
        _ write: ModelWrite,
        _ gone: inout Set<ObjectIdentifier>,
        _ lacking: [Issue],
        given: Identifier?
    ) {
        (self.write, self.given, self.lacking) = (write, given, lacking)
        model = write.model.opened
        schema = model.classSchema
        guard write.hasRules else {
            let others = model.modelsInCascade.filter {
                gone.insert(ObjectIdentifier($0.model)).inserted
            }
            deleted =
                [DeletedModel(model)]
                + others.map { DeletedModel($0.model, hasRecord: $0.hasRecord) }
            (snapshot, merged) = (nil, nil)
            return
        }
        deleted = []
        let snapshot = Snapshot(of: model, schema)
        self.snapshot = snapshot
        if case .save(.merge) = write.action {
            merged = snapshot.setValues(in: model, schema)
        } else {
            merged = nil
        }
    }

    /// The model, and those that may go with it.
    var models: [any Model] { deleted.isEmpty ? [model] : deleted.map(\.model) }

    /// Whether members of the model are written with it, or after it.
    var isOfGraph: Bool { write.place != nil }

    /// Whether it is of a model with the other sides of keys: loaded ones follow what is committed, and other
    /// records may change with a deletion.
    var isOfOwner: Bool {
        deleted.isEmpty
            ? !schema.derivedFields.isEmpty
            : deleted.contains { !$0.model.classSchema.derivedFields.isEmpty }
    }

    /// Whether it deletes more than its model, or may.
    var mayCascade: Bool { deleted.count > 1 || deleted.contains(where: \.lacksOthers) }

    /// What to send, of a deletion also for models that were found to go with it: nothing, where nothing was
    /// edited.
    func records(
        _ notes: any KnownModels,
        _ found: [any Model]
    ) throws(StoreError) -> [RecordWrite] {
        var known: StoreSession.Known?
        if case .create = write.action {} else { known = notes.known(model) }
        // A creation that was under way may have given one.
        let identifier = snapshot?.identifier ?? model.identifier
        switch write.action {
        case .update: return try update(known, identifier, notes)
        case .save where known != nil: return try update(known, identifier, notes)
        case .delete: return try deletions(known, notes, found)
        case .save(let onConflict):
            guard let identifier, let snapshot else { break }
            let values = merged ?? schema.values(of: snapshot.row)
            return [send(.save(identifier, values, onConflict))]
        case .create: break
        }
        var new = identifier
        if new == nil { new = try Identifier.make(for: schema) }
        return [send(.create(new, [:]), snapshot?.row)]
    }

    /// What of the model was edited.
    private func update(
        _ known: StoreSession.Known?,
        _ identifier: Identifier?,
        _ notes: any KnownModels
    ) throws(StoreError) -> [RecordWrite] {
        guard let identifier, let snapshot else { throw .noIdentifier(type: schema.name) }
        if let known, known.identifier != identifier {
            throw .unsupported(
                "the identifier of \(schema.name) \(known.identifier) was changed to "
                    + "\(identifier); a model keeps its identifier"
            )
        }
        if known == nil, notes.isGone(model) { throw .gone(model) }
        let changes = snapshot.changes(since: known?.agreements, schema)
        if known != nil, changes.isEmpty { return [] }
        let action = RecordWrite.Action.update(identifier, changes, revision: known?.revision)
        return [send(action, agreements: known?.agreements)]
    }

    private func deletions(
        _ known: StoreSession.Known?,
        _ notes: any KnownModels,
        _ found: [any Model]
    ) throws(StoreError) -> [RecordWrite] {
        guard let identifier = known?.identifier ?? model.identifier else {
            throw .noIdentifier(type: schema.name)
        }
        if known == nil, notes.isGone(model) { throw .gone(model) }
        var writes = [RecordWrite(deleting: model, identifier, known)]
        // Others may be kept inside of this record, or nowhere.
        for other in deleted.dropFirst().map(\.model) + found {
            guard let known = notes.known(other) else { continue }
            writes.append(RecordWrite(deleting: other, known.identifier, known))
        }
        return writes
    }

    private func send(
        _ action: RecordWrite.Action,
        _ row: ContiguousArray<AttributeValue?>? = nil,
        agreements: Agreements? = nil
    ) -> RecordWrite {
        let source = RecordSource(
            model: model,
            snapshot: snapshot,
            agreements: agreements,
            lacking: lacking
        )
        return RecordWrite(action, row, of: schema, from: source)
    }

    /// Notifies the model, once it cannot be rolled back.
    func finish(_ session: StoreSession, _ made: ArraySlice<MadeWrite>) {
        switch write.action {
        case .create: model.afterCreate()
        case .update: break
        case .save: if made.contains(where: \.isNew) { model.afterCreate() }
        case .delete:
            let gone = Set(made.compactMap { $0.write.source.map { ObjectIdentifier($0.model) } })
            let embedded = Set(
                deleted.dropFirst().lazy.filter { !$0.hasRecord }
                    .map { ObjectIdentifier($0.model) }
            )
            // One that was never stored is not deleted, and one may be stored again by now.
            model.nullify { other in
                embedded.contains(ObjectIdentifier(other))
                    || gone.contains(ObjectIdentifier(other)) && session.known(other) == nil
            }
            for made in made { made.write.source?.model.afterDelete() }
        }
    }

    /// Takes back what was set in the model, as nothing was written.
    func undo() {
        if let given { model.takeBack(given) }
    }
}

/// A model that is to be deleted, as it was at the call.
struct DeletedModel: Sendable {
    let model: any Model
    /// Whether it is kept in a record of its own.
    let hasRecord: Bool
    /// Whether it may have others that are not known, which are to be deleted with it.
    let lacksOthers: Bool

    init(_ model: any Model, hasRecord: Bool = false) {
        self.model = model
        self.hasRecord = hasRecord
        lacksOthers = model.hasGaps && model.mayCascade
    }
}

extension [PendingWrite] {
    /// Whether one of them is of a model with the other sides of keys.
    var areOfOwners: Bool { contains(where: \.isOfOwner) }

    /// What each of them sends, with the models that were found to go with it.
    func records(
        _ notes: any KnownModels,
        _ found: [[any Model]] = []
    ) throws(StoreError) -> [[RecordWrite]] {
        var parts: [[RecordWrite]] = []
        parts.reserveCapacity(count)
        for (index, write) in enumerated() {
            parts.append(try write.records(notes, found.isEmpty ? [] : found[index]))
        }
        // Other objects may stand for the same records.
        if count > 1, contains(where: \.mayCascade) { try parts.deleteOnce() }
        needOwners(of: &parts, notes)
        return parts
    }

    /// Has members be written only if the records of their owners are there, of those that are not written themselves.
    private func needOwners(of parts: inout [[RecordWrite]], _ notes: any KnownModels) {
        var done: Set<ObjectIdentifier>?
        for index in indices {
            guard let owner = self[index].write.owner, !parts[index].isEmpty else { continue }
            if done == nil {
                done = Set(
                    indices.filter { !parts[$0].isEmpty }.map { ObjectIdentifier(self[$0].model) }
                )
            }
            guard done?.insert(ObjectIdentifier(owner)).inserted == true,
                let identifier = notes.known(owner)?.identifier ?? owner.identifier
            else { continue }
            parts[index][0] = parts[index][0].needing(owner.classSchema, identifier)
        }
    }
}

extension [[RecordWrite]] {
    /// The writes of all parts.
    var all: [RecordWrite] { count == 1 ? self[0] : flatMap { $0 } }

    /// The writes of each part with their receipts.
    func made(_ receipts: [RecordReceipt]) -> [ArraySlice<MadeWrite>] {
        var rest = zip(joined(), receipts).map { MadeWrite(write: $0, receipt: $1) }[...]
        return map { part in
            defer { rest = rest.dropFirst(part.count) }
            return rest.prefix(part.count)
        }
    }
}

extension RecordWrite {
    fileprivate init(
        deleting model: any Model,
        _ identifier: Identifier,
        _ known: StoreSession.Known?
    ) {
        self.init(
            .delete(identifier, revision: known?.revision),
            of: type(of: model).schema,
            from: RecordSource(model: model, snapshot: nil, agreements: known?.agreements)
        )
    }
}
