import ModelKitModels

/// A write as it was asked for: with the values that the model had then.
///
/// What is sent is made when the writes before are made, which change what is known of the model.
final class PreparedWrite: Sendable {
    let write: ModelWrite
    /// The model, to be opened with its own class.
    let model: any Model
    let schema: ModelSchema
    /// The values of the model; nil of a deletion.
    private let snapshot: Snapshot?
    /// The model of a deletion, and then those that go with it; empty of other writes.
    let deleted: [DeletedModel]
    /// What was set in the model since it was made: what it saves where it merges.
    private let merged: [FieldKey: AttributeValue]?
    /// What is wrong with the model if nothing is stored of it.
    private let lacking: [Issue]
    /// The identifier that the model was given for others of the batch.
    private let given: Identifier?

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
        (self.write, self.given) = (write, given)
        self.lacking = lacking
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
        _ notes: any WriteNotes,
        _ found: [any Model]
    ) throws(StoreError) -> [RecordWrite] {
        guard let snapshot else { return try deletions(notes, found) }
        switch write.action {
        case .update: return try update(snapshot, notes)
        case .save(let onConflict):
            if notes.known(model) != nil { return try update(snapshot, notes) }
            guard let identifier = snapshot.identifier ?? model.identifier else {
                return [creation(snapshot, try Identifier.make(for: schema))]
            }
            let values = merged ?? snapshot.values(of: schema)
            return [send(.save(identifier, values, onConflict), snapshot, nil)]
        case .create, .delete:
            // A creation that was under way may have given one.
            var identifier = snapshot.identifier ?? model.identifier
            if identifier == nil { identifier = try Identifier.make(for: schema) }
            return [creation(snapshot, identifier)]
        }
    }

    /// What of the model was edited.
    private func update(
        _ snapshot: Snapshot,
        _ notes: any WriteNotes
    ) throws(StoreError) -> [RecordWrite] {
        let known = notes.known(model)
        guard let identifier = snapshot.identifier ?? model.identifier else {
            throw .noIdentifier(type: schema.name)
        }
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
        return [send(action, snapshot, known?.agreements)]
    }

    private func deletions(
        _ notes: any WriteNotes,
        _ found: [any Model]
    ) throws(StoreError) -> [RecordWrite] {
        let known = notes.known(model)
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

    private func creation(_ snapshot: Snapshot, _ identifier: Identifier?) -> RecordWrite {
        let source = RecordSource(model: model, snapshot: snapshot, agreements: nil)
        return RecordWrite(creating: identifier, snapshot.row, of: schema, from: source)
    }

    private func send(
        _ action: RecordWrite.Action,
        _ snapshot: Snapshot,
        _ agreements: Agreements?
    ) -> RecordWrite {
        let source = RecordSource(
            model: model,
            snapshot: snapshot,
            agreements: agreements,
            lacking: lacking
        )
        return RecordWrite(action, of: schema, from: source)
    }

    /// Notes that it was made.
    func note(_ notes: any WriteNotes, _ made: [MadeWrite], _ asked: UInt64) {
        guard let snapshot else {
            for made in made {
                let type = type(of: made.write.schema.prototype)
                let object = made.write.source?.model
                notes.noteDeleted(type, made.receipt.identifier, object, asked: asked)
            }
            return
        }
        switch write.action {
        case .update:
            for made in made {
                let expected = made.write.expected
                notes.note(model, snapshot, updatedAs: made.receipt, over: expected)
            }
        case .save:
            for made in made {
                notes.note(
                    model,
                    snapshot,
                    savedAs: made.receipt,
                    isNew: made.isNew,
                    over: made.write.expected
                )
            }
        case .create, .delete:
            if schema.hasRelations { notes.whenMade { [model] in model.joinCopied() } }
            for made in made { notes.note(model, snapshot, as: made.receipt) }
        }
    }

    /// Notifies the model, once it cannot be rolled back.
    func finish(_ session: StoreSession, _ made: [MadeWrite]) {
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

/// What a write of a record of a type has left behind.
struct MadeWrite: Sendable {
    let write: RecordWrite
    let receipt: RecordReceipt

    /// Whether it has made the record.
    var isNew: Bool { receipt.isNew || write.isCreation }
}

extension [[RecordWrite]] {
    /// The writes of each part with their receipts.
    func made(_ receipts: [RecordReceipt]) -> [[MadeWrite]] {
        var rest = receipts[...]
        return map { part in
            defer { rest = rest.dropFirst(part.count) }
            return zip(part, rest).map { MadeWrite(write: $0, receipt: $1) }
        }
    }
}

extension [PreparedWrite] {
    /// Whether one of them is of a model with the other sides of keys.
    var areOfOwners: Bool {
        contains(where: \.isOfOwner)
    }

    /// What each of them sends, with the models that were found to go with it.
    func records(
        _ notes: any WriteNotes,
        _ found: [[any Model]] = []
    ) throws(StoreError) -> [[RecordWrite]] {
        var parts: [[RecordWrite]] = []
        parts.reserveCapacity(count)
        for (index, write) in enumerated() {
            parts.append(try write.records(notes, found.isEmpty ? [] : found[index]))
        }
        // Other objects may stand for the same records.
        if count > 1, contains(where: \.mayCascade) { try parts.deleteOnce() }
        return parts
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
