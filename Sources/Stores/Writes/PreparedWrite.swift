import ModelKitFields
import ModelKitModels

/// A write as it was asked for: with the values that the model had then.
///
/// What is sent is made when the writes before are made, which change what is known of the model.
struct PreparedWrite: Sendable {
    /// The model, and those that may go with it.
    let models: [any Model]
    /// The model of a deletion, and then those that go with it; empty of other writes.
    var deleted: [DeletedModel] = []
    /// What to send, of a deletion also for models that were found to go with it.
    ///
    /// Nothing, where nothing was edited.
    let records:
        @Sendable (any WriteNotes, _ found: [any Model]) throws(StoreError) -> [RecordWrite]
    /// Notes that it was made.
    let note: @Sendable (any WriteNotes, _ made: [MadeWrite], _ asked: UInt64) -> Void
    /// Notifies the model, once it cannot be rolled back.
    let finish: @Sendable (_ session: StoreSession, _ made: [MadeWrite]) -> Void
    /// Takes back what was set in the model, as nothing was written.
    var undo: @Sendable () -> Void = {}

    /// Whether members of the model are written with it, or after it.
    var isOfGraph = false

    /// Whether it is of a model with the other sides of keys: loaded ones follow what is committed, and other
    /// records may change with a deletion.
    var isOfOwner: Bool { models.contains { !$0.classSchema.derivedFields.isEmpty } }

    /// Whether it deletes more than its model, or may.
    var mayCascade: Bool { deleted.count > 1 || deleted.contains(where: \.lacksOthers) }
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
    var isNew: Bool { receipt.isNew || write.creation != nil }
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
        // By their places, which copies none of them.
        indices.contains { self[$0].isOfOwner }
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

extension ModelWrite {
    /// Prepares writes at the call.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isBatch: Whether issues have the index of their model.
    ///   - notes: What is known of the models; nil where nothing is.
    ///   - isWriting: Whether a write of a model is under way, which may give it its identifier.
    /// - Returns: The writes, with the values that the models have now.
    /// - Throws: `.validation` with the issues of all models, `.unsupported` for a model that comes twice,
    ///   and what `beforeSave` throws.
    static func prepare(
        _ writes: [ModelWrite],
        isBatch: Bool,
        _ notes: (any WriteNotes)? = nil,
        isWriting: (any Model) -> Bool = { _ in false }
    ) throws -> [PreparedWrite] {
        // So that saving it is an update.
        func isKnown(_ model: any Model) -> Bool { notes?.known(model) != nil }
        var seen: Set<ObjectIdentifier> = []
        for write in writes where !seen.insert(ObjectIdentifier(write.model)).inserted {
            throw StoreError.unsupported(
                "the same \(type(of: write.model).modelName) is to be written twice at once"
            )
        }
        for write in writes where write.hasRules { try write.model.beforeSave() }
        var issues: [Issue] = []
        // One for all, which each model would make for itself.
        CheckScope(askingAgain: true).run { _ in
            for (index, write) in writes.enumerated() where write.hasRules {
                let found = write.issues(isKnown)
                if found.isEmpty { continue }
                let place = write.place ?? (isBatch ? [.index(index)] : [])
                issues += found.map { $0.prefixed(by: place) }
            }
        }
        if issues.isBlocking { throw StoreError.validation(issues) }
        let given = try giveIdentifiers(to: writes, isWriting)
        var unsaved: [Issue] = []
        for (index, write) in writes.enumerated() where write.hasRules {
            let found = write.unsavedKeys()
            if found.isEmpty { continue }
            let place = write.place ?? (isBatch ? [.index(index)] : [])
            unsaved += found.map { $0.prefixed(by: place) }
        }
        if !unsaved.isEmpty {
            for write in writes {
                given[ObjectIdentifier(write.model)].map { write.model.takeBack($0) }
            }
            throw StoreError.validation(unsaved)
        }
        // Whatever goes with several, or is deleted itself, is deleted once.
        var deleted = Set(writes.filter { !$0.hasRules }.map { ObjectIdentifier($0.model) })
        var prepared: [PreparedWrite] = []
        prepared.reserveCapacity(writes.count)
        for (index, write) in writes.enumerated() {
            var lacking = write.lackingIssues(isKnown)
            if !lacking.isEmpty {
                let place = write.place ?? (isBatch ? [.index(index)] : [])
                lacking = lacking.map { $0.prefixed(by: place) }
            }
            func open<M: Model>(_ model: M) -> PreparedWrite {
                write.prepared(model, &deleted, lacking)
            }
            prepared.append(open(write.model.opened))
            if write.place != nil { prepared[index].isOfGraph = true }
            if let identifier = given[ObjectIdentifier(write.model)] {
                prepared[index].undo = { write.model.takeBack(identifier) }
            }
        }
        if !deleted.isEmpty {
            for write in writes where write.hasRules {
                guard deleted.contains(ObjectIdentifier(write.model)) else { continue }
                for prepared in prepared { prepared.undo() }
                throw StoreError.deletedAndWritten(write.model)
            }
        }
        if let notes {
            let dangling = writes.danglingKeys(prepared, isBatch: isBatch, notes)
            if !dangling.isEmpty {
                for prepared in prepared { prepared.undo() }
                throw StoreError.validation(dangling)
            }
        }
        return prepared
    }

    /// What is wrong with what is written of the model.
    private func issues(_ isKnown: (any Model) -> Bool) -> [Issue] {
        // Of a new one all is written.
        let isPart =
            switch action {
            case .update, .save(.merge): model.hasGaps
            case .save: model.hasGaps && isKnown(model)
            case .create, .delete: false
            }
        return isPart ? model.loadedIssues() : model.validationIssues()
    }

    /// The keys to models that were never stored, where there must be one; the others are reported, as null is
    /// written for them.
    private func unsavedKeys() -> [Issue] {
        let schema = model.classSchema
        var issues: [Issue] = []
        if !schema.hasRelations { return issues }
        for entry in schema.fields where entry.isForeignKey {
            let field = entry.field(in: model)
            guard field.modelsInField.contains(where: { $0.identifier == nil }) else { continue }
            if entry.needsValue {
                let message = "was never stored; store it before, or save this one including it"
                var issue = Issue(code: "unsaved", path: entry.path, message: message)
                issue.label = field.name
                issues.append(issue)
                continue
            }
            ModelKitDiagnostics.report(
                Diagnostic(
                    code: .unsavedKey,
                    message:
                        "\(schema.name) is written without its \(entry.name), which was never stored; "
                        + "store that before, or save this one including: \\.\(entry.name)",
                    field: entry.name
                )
            )
        }
        return issues
    }

    /// What is wrong with the model if nothing is stored of it, which only the write itself finds out.
    private func lackingIssues(_ isKnown: (any Model) -> Bool) -> [Issue] {
        guard case .save(.merge) = action, model.hasGaps, !isKnown(model) else { return [] }
        return model.currentIssues()
    }

    /// Gives new models their identifiers that others of the batch have by foreign keys.
    ///
    /// - Returns: What was given.
    /// - Throws: `.unsupported` where the store makes a number only when it writes the model, and where
    ///   another write makes the model.
    private static func giveIdentifiers(
        to writes: [ModelWrite],
        _ isWriting: (any Model) -> Bool
    ) throws(StoreError) -> [ObjectIdentifier: Identifier] {
        var given: [ObjectIdentifier: Identifier] = [:]
        guard writes.count > 1 else { return given }
        let new = writes.filter { $0.hasRules && $0.model.identifier == nil }
        var waiting = Set(new.map { ObjectIdentifier($0.model) })
        if waiting.isEmpty { return given }
        for write in writes where write.hasRules {
            for (other, isForeignKey) in write.model.modelsInRelations
            where isForeignKey && waiting.remove(ObjectIdentifier(other)) != nil {
                let schema = type(of: other).schema
                if isWriting(other) {
                    throw .unsupported(
                        "\(type(of: write.model).schema.name) has a \(schema.name) by a foreign key "
                            + "that is being created by another write; wait for that"
                    )
                }
                guard let identifier = try Identifier.make(for: schema) else {
                    throw .unsupported(
                        "\(type(of: write.model).schema.name) has a new \(schema.name) of the same "
                            + "batch by a foreign key, whose number is not known before; use a "
                            + "transaction"
                    )
                }
                given[ObjectIdentifier(other)] = identifier
            }
        }
        for write in new { given[ObjectIdentifier(write.model)].map { write.model.give($0) } }
        return given
    }

    var hasRules: Bool { if case .delete = action { false } else { true } }

    private func prepared<M: Model>(
        _ model: M,
        _ deleted: inout Set<ObjectIdentifier>,
        _ lacking: [Issue]
    ) -> PreparedWrite {
        switch action {
        case .create: .create(model)
        case .update: .update(model)
        case .save(let onConflict): .save(model, onConflict, lacking)
        case .delete: .delete(model, &deleted)
        }
    }
}

extension PreparedWrite {
    fileprivate static func create<M: Model>(_ model: M) -> PreparedWrite {
        let schema = M.schema
        let snapshot = Snapshot(of: model, schema)
        return PreparedWrite(models: [model]) { (_, _) throws(StoreError) in
            // A creation that was under way may have given one.
            var identifier = snapshot.identifier ?? model.identifier
            if identifier == nil { identifier = try Identifier.make(for: schema) }
            return [snapshot.creation(identifier, of: model)]
        } note: { notes, made, _ in
            if schema.hasRelations { notes.whenMade { model.joinCopied() } }
            for made in made { notes.note(model, snapshot, as: made.receipt) }
        } finish: { _, _ in
            model.afterCreate()
        }
    }

    fileprivate static func update<M: Model>(_ model: M) -> PreparedWrite {
        let snapshot = Snapshot(of: model, M.schema)
        return PreparedWrite(models: [model]) { (notes, _) throws(StoreError) in
            try snapshot.update(of: model, notes)
        } note: { notes, made, _ in
            for made in made {
                let expected = made.write.expected
                notes.note(model, snapshot, updatedAs: made.receipt, over: expected)
            }
        } finish: { _, _ in
        }
    }

    fileprivate static func save<M: Model>(
        _ model: M,
        _ onConflict: OnConflict,
        _ lacking: [Issue]
    ) -> PreparedWrite {
        let snapshot = Snapshot(of: model, M.schema)
        let merged = onConflict == .merge ? snapshot.setValues(in: model, M.schema) : nil
        return PreparedWrite(models: [model]) { (notes, _) throws(StoreError) in
            if notes.known(model) != nil { return try snapshot.update(of: model, notes) }
            var identifier = snapshot.identifier ?? model.identifier
            if let identifier {
                let values = merged ?? snapshot.values(of: M.schema)
                let action = RecordWrite.Action.save(identifier, values, onConflict)
                return [snapshot.write(action, of: model, lacking: lacking)]
            }
            identifier = try Identifier.make(for: M.schema)
            return [snapshot.creation(identifier, of: model)]
        } note: { notes, made, _ in
            for made in made {
                let expected = made.write.expected
                notes.note(
                    model,
                    snapshot,
                    savedAs: made.receipt,
                    isNew: made.isNew,
                    over: expected
                )
            }
        } finish: { _, made in
            if made.contains(where: \.isNew) { model.afterCreate() }
        }
    }

    fileprivate static func delete<M: Model>(
        _ model: M,
        _ deleted: inout Set<ObjectIdentifier>
    ) -> PreparedWrite {
        let others = model.modelsInCascade.filter {
            deleted.insert(ObjectIdentifier($0.model)).inserted
        }
        let models = others.map(\.model)
        let all = [DeletedModel(model)] + others.map { DeletedModel($0, hasRecord: $1) }
        return PreparedWrite(models: [model] + models, deleted: all) {
            (notes, found) throws(StoreError) in
            let known = notes.known(model)
            guard let identifier = known?.identifier ?? model.identifier else {
                throw .noIdentifier(type: M.schema.name)
            }
            if known == nil, notes.isGone(model) { throw .gone(model) }
            var writes = [RecordWrite(deleting: model, identifier, known)]
            // Others may be kept inside of this record, or nowhere.
            for other in models + found {
                guard let known = notes.known(other) else { continue }
                writes.append(RecordWrite(deleting: other, known.identifier, known))
            }
            return writes
        } note: { notes, made, asked in
            for made in made {
                let type = type(of: made.write.schema.prototype)
                let object = made.write.source?.model
                notes.noteDeleted(type, made.receipt.identifier, object, asked: asked)
            }
        } finish: { session, made in
            let gone = Set(made.compactMap { $0.write.source.map { ObjectIdentifier($0.model) } })
            let embedded = Set(
                others.lazy.filter { !$0.hasRecord }.map { ObjectIdentifier($0.model) }
            )
            // One that was never stored is not deleted, and one may be stored again by now.
            model.nullify { other in
                embedded.contains(ObjectIdentifier(other))
                    || gone.contains(ObjectIdentifier(other)) && session.known(other) == nil
            }
            for made in made { made.write.source?.model.afterDelete() }
        }
    }
}

extension Snapshot {
    /// What of a model was edited; nothing, if nothing was.
    fileprivate func update<M: Model>(
        of model: M,
        _ notes: any WriteNotes
    ) throws(StoreError) -> [RecordWrite] {
        let known = notes.known(model)
        guard let identifier = identifier ?? model.identifier else {
            throw .noIdentifier(type: M.schema.name)
        }
        if let known, known.identifier != identifier {
            throw .unsupported(
                "the identifier of \(M.schema.name) \(known.identifier) was changed to "
                    + "\(identifier); a model keeps its identifier"
            )
        }
        if known == nil, notes.isGone(model) { throw .gone(model) }
        let changes = changes(since: known?.agreements, M.schema)
        if known != nil, changes.isEmpty { return [] }
        let action = RecordWrite.Action.update(identifier, changes, revision: known?.revision)
        return [write(action, of: model, known?.agreements)]
    }

    fileprivate func creation<M: Model>(_ identifier: Identifier?, of model: M) -> RecordWrite {
        let source = RecordSource(model: model, snapshot: self, agreements: nil)
        return RecordWrite(creating: identifier, row, of: M.schema, from: source)
    }

    fileprivate func write<M: Model>(
        _ action: RecordWrite.Action,
        of model: M,
        _ agreements: Agreements? = nil,
        lacking: [Issue] = []
    ) -> RecordWrite {
        let source = RecordSource(
            model: model,
            snapshot: self,
            agreements: agreements,
            lacking: lacking
        )
        return RecordWrite(action, of: M.schema, from: source)
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
