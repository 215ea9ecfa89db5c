import ModelKitFields
import ModelKitModels

extension StoreSession {
    /// The object that stands for a record, with the record's values in every field that was not
    /// edited: the one in use, or a new one.
    ///
    /// - Parameters:
    ///   - type: The type of the object.
    ///   - record: The record.
    ///   - asked: When the store was asked for it.
    /// - Returns: The object.
    /// - Throws: A `.decoding` error if the record does not fit the fields.
    func model<M: Model>(
        _ type: M.Type,
        from record: Record,
        asked: UInt64
    ) throws(StoreError) -> M {
        let schema = M.schema
        let model = try object(type, schema, from: record, asked: asked)
        if !schema.derivedFields.isEmpty {
            try takeMembers(of: record, into: model, asked: asked)
        }
        return model
    }

    private func object<M: Model>(
        _ type: M.Type,
        _ schema: ModelSchema,
        from record: Record,
        asked: UInt64
    ) throws(StoreError) -> M {
        let (found, place, creations) = seen(type, record)
        if let model = (found ?? creations.creator(of: record)) as? M {
            if place != 0, place == record.place, isWhole(model, schema, record) { return model }
            let known = known(model)
            if known == nil { note(model, before: record) }
            try apply(record, to: model, asked: asked, isFirst: known == nil)
            return model
        }
        // Nobody else may see one that turns out not to be the one in use.
        let isPlain = Linking.isNeedless(for: schema)
        let model = isPlain ? type.init() : Linking.alone(type)
        scratch?.add(model)
        let other =
            isPlain
            ? try readNew(record, into: model, schema) : try readLinked(record, into: model, schema)
        // A foreign key in the record, or in one that another task reads, may have been its own.
        if let other, other !== model, other is M {
            return try object(type, schema, from: record, asked: asked)
        }
        if isPlain { return model }
        model.unloadDerived()
        if scratch == nil { model.joinRelations() }
        return model
    }

    /// Reads a record into a new object, which stands for it from then on.
    ///
    /// - Returns: Another object in use, if that does.
    private func readNew(
        _ record: Record,
        into model: any Model,
        _ schema: ModelSchema
    ) throws(StoreError) -> (any Model)? {
        var issues: [Issue] = []
        let agreements = read(record, into: model, schema, &issues)
        if !issues.isEmpty { throw .decoding(type: schema.name, record, issues) }
        return register(new: model, Known(record, agreements, place: record.place))
    }

    /// The same, and links what was read if the object is used.
    private func readLinked<M: Model>(
        _ record: Record,
        into model: M,
        _ schema: ModelSchema
    ) throws(StoreError) -> (any Model)? {
        var result = Result<(any Model)?, StoreError>.success(nil)
        _ = Linking.afterwards(of: M.self) {
            Linking.attempt { () -> M? in
                result = Result { () throws(StoreError) in
                    try readNew(record, into: model, schema)
                }
                guard case .success(let other) = result else { return nil }
                return other.map { $0 !== model && $0 is M } ?? false ? nil : model
            }
        }
        return try result.get()
    }

    /// Whether nothing was unloaded of what an object has read of a record.
    private func isWhole(_ model: AnyObject, _ schema: ModelSchema, _ record: Record) -> Bool {
        schema.fields.indices.allSatisfy { slot in
            schema.fields[slot].isLoaded(in: model) || record[slot, schema]?.isNull ?? true
        }
    }

    /// Notes an object that stands for no record yet, as it was a foreign key of another: everything
    /// is an edit that was set since.
    private func note<M: Model>(_ model: M, before record: Record) {
        let agreements = Agreements(M.schema.fields) { _, entry in
            let field = entry.field(in: model)
            // In this order: what is edited meanwhile is loaded by then, or differs from what was seen.
            let seen =
                entry.holdsModels ? M.schema.agreedValue(of: field, entry, in: model) : nil
            let revision = field.revision
            let isEdited = field.loadState == .loaded && entry !== M.schema.identifier
            let agreed: AttributeValue?? =
                entry.holdsModels ? .some(isEdited ? record[entry.key] : seen) : nil
            return .init(revision: isEdited ? 0 : revision, value: agreed)
        }
        register(model, Known(record, agreements))
    }

    /// Reads a record into a new object.
    ///
    /// Not of any type, so that the compiler knows all of it.
    private func read(
        _ record: Record,
        into model: AnyObject,
        _ schema: ModelSchema,
        _ issues: inout [Issue]
    ) -> Agreements {
        let row = record.row(of: schema)
        var scope = ImportScope()
        scope.nullIsNil = true
        var slots: [Int] = []
        // Taken together: whatever else is set in the model meanwhile has a later one, and is an edit.
        let count = UInt64(schema.fields.count)
        var first = Revision.next(count)
        var agreements = Agreements(on: schema.fields, under: first &+ count &- 1)
        var slot = 0
        while true {
            if let row {
                let stamp = FieldClock.overriddenStamp() ?? .system()
                schema.takeNew(row, from: &slot, revisions: first, stamp, in: model)
            }
            if slot == schema.fields.count { break }
            let entry = schema.fields[slot]
            let field = entry.field(in: model)
            var revision: UInt64?
            // Null is what a field without a value has anyway, so it stays one that was never set.
            if let value = record[slot, schema], !value.isNull || field.currentAttribute != nil {
                revision =
                    entry.holdsModels
                    ? read(value, into: field, of: entry, into: &scope.issues)
                    : field.read(value, at: entry.path, revision: nil, in: &scope)
            }
            agreements[slot].revision = revision ?? field.revision
            if entry.holdsModels { slots.append(slot) }
            slot += 1
            guard revision != nil, slot < schema.fields.count else { continue }
            // What was computed meanwhile, as of a field that is watched, is older than the values of those that follow.
            first = Revision.next(count)
            for rest in slot..<schema.fields.count {
                agreements[rest].revision = first &+ count &- 1
            }
        }
        // When it is known which model it is.
        for slot in slots {
            let entry = schema.fields[slot]
            let field = entry.field(in: model)
            agreements[slot].value = .some(schema.agreedValue(of: field, entry, in: model))
        }
        if !scope.issues.isEmpty { issues += scope.issues }
        return agreements
    }

    /// Reads a value, with the objects that this store knows in place of foreign keys; in what nobody else
    /// has, they could keep each other alive.
    func read(
        _ value: AttributeValue,
        into field: AnyField,
        of entry: ModelSchema.Entry,
        revision: UInt64? = nil,
        into issues: inout [Issue]
    ) -> UInt64? {
        var scope = ImportScope()
        scope.nullIsNil = true
        defer { if !scope.issues.isEmpty { issues += scope.issues } }
        if !entry.holdsModels {
            return field.read(value, at: entry.path, revision: revision, in: &scope)
        }
        func read() -> UInt64? {
            field.read(value, at: entry.path, revision: revision, in: &scope)
        }
        if let scratch { return Linking.alone(in: scratch, read) }
        return Linking.attempt { identities.useForForeignKeys(read) }
    }

    /// Sets the fields of an object in use that were not edited since it agreed with the store.
    ///
    /// - Parameters:
    ///   - record: What is stored.
    ///   - model: The object.
    ///   - asked: When the store was asked for it.
    ///   - isFirst: Whether the object stood for no record before.
    ///   - base: The values that the two agree on; nil for those of the record.
    ///   - edits: What was edited in fields, by their places, and is given up for what is stored; later edits
    ///     stay.
    /// - Throws: A `.decoding` error if the record does not fit the fields.
    func apply<M: Model>(
        _ record: Record,
        to model: M,
        asked: UInt64,
        isFirst: Bool,
        base: RecordValues? = nil,
        givingUp edits: [Int: Agreements.Agreement] = [:]
    ) throws(StoreError) {
        // A lower revision is an answer that was superseded, unless it was asked for later: then the
        // record was deleted and made anew.
        guard let known = known(model),
            known.revision <= record.revision || known.moment <= asked
        else { return }
        var issues: [Issue] = []
        var agreements = known.agreements
        for (slot, edit) in edits { agreements[slot] = edit }
        Linking.afterwards(of: M.self) {
            Linking.inUse { merge(record, into: model, isFirst, &agreements, &issues) }
        }
        // Of what was unloaded more is known again.
        M.schema.identifier?.field(in: model).loadState = .loaded
        let place = issues.isEmpty ? record.place : 0
        agree(model, Known(record, agreements, base, place: place), since: known.moment)
        if M.schema.hasRelations {
            let keys = M.schema.derivingKeys.map(\.key.key)
            let values = keys.compactMap { key in record[key].map { (key, $0) } }
            var touched = TouchedRelations()
            settleTaken(model, known.agreements, Dictionary(values) { $1 }, &touched)
        }
        if !issues.isEmpty { throw .decoding(type: M.schema.name, record, issues) }
    }

    /// Sets the fields of an object in use that were edited since a revision, to what is stored.
    func takeBack<M: Model>(
        _ model: M,
        setAfter revision: UInt64,
        _ record: Record,
        asked: UInt64
    ) throws(StoreError) {
        let agreements = Snapshot(of: model, M.schema).agreements
        var edits: [Int: Agreements.Agreement] = [:]
        for slot in M.schema.fields.indices where agreements[slot].revision > revision {
            edits[slot] = agreements[slot]
        }
        if edits.isEmpty { return }
        var record = record
        // Somebody has written or read a later one meanwhile.
        if let known = known(model), known.revision > record.revision, known.moment > asked,
            let base = known.base
        {
            let values = base.dictionary(of: M.schema)
            edits = edits.filter { values[M.schema.fields[$0.key].key] != nil }
            record = Record(
                identifier: record.identifier,
                revision: known.revision,
                values: values,
                place: record.place
            )
        }
        try apply(record, to: model, asked: asked, isFirst: false, givingUp: edits)
    }

    /// Sets the fields of an object that were not edited since it was written, to what a store has made of
    /// them.
    func take(_ record: Record?, into model: any Model) {
        guard let record else { return }
        // The write is made: what does not fit stays as it was sent.
        try? apply(record, to: model, asked: 0, isFirst: false)
    }

    /// The same for an object that does not stand for the record, as another one in use does.
    func take<M: Model>(_ record: Record, into model: M, agreeing agreements: Agreements) {
        var (agreements, issues) = (agreements, [Issue]())
        Linking.afterwards(of: M.self) {
            Linking.inUse { merge(record, into: model, false, &agreements, &issues) }
        }
    }

    /// Sets the fields that were not edited since they agreed with the store.
    private func merge<M: Model>(
        _ record: Record,
        into model: M,
        _ isFirst: Bool,
        _ agreements: inout Agreements,
        _ issues: inout [Issue]
    ) {
        let schema = M.schema
        for (index, entry) in schema.fields.enumerated() {
            guard let value = record[index, schema] else { continue }
            let field = entry.field(in: model)
            let revision = field.revision
            let current = schema.agreedValue(of: field, entry, in: model) ?? .null
            // A record may say the inverse, too, and what was agreed on may be what a record says.
            func isSame(_ other: AttributeValue) -> Bool {
                other.isSame(as: current)
                    || schema.mayLeaveOut(entry)
                        && other.isSame(as: field.currentAttribute ?? .null)
            }
            let agreed = agreements[index]
            let isEdited = agreed.value.map { !isSame($0 ?? .null) } ?? (revision > agreed.revision)
            // A field that was unloaded is not edited.
            if isEdited, field.loadState != .notLoaded {
                // An edit to what is stored anyway is none any more.
                if isSame(value) {
                    agreements[index].revision = revision
                    if agreed.value != nil { agreements[index].value = .some(current) }
                }
                continue
            }
            if isSame(value) {
                field.noteLoaded(value)
                continue
            }
            func readValue() -> UInt64? {
                read(value, into: field, of: entry, revision: revision, into: &issues)
            }
            if agreed.value == nil {
                if let set = readValue() { agreements[index].revision = set }
                continue
            }
            if isFirst, current.isNull {
                // Observers, who may edit the models, are notified once their value was noted.
                batch {
                    guard let set = readValue() else { return }
                    let value = schema.agreedValue(of: field, entry, in: model)
                    agreements[index] = .init(revision: set, value: value)
                }
                continue
            }
            // What is used stays, where only keys that nobody reads, missing default values or
            // parts of a microsecond differ.
            let (other, models) = (entry.field(in: Linking.alone(M.self)), ScratchModels())
            defer { withExtendedLifetime(models) {} }
            let tried = Linking.alone(in: models) {
                read(value, into: other, of: entry, into: &issues)
            }
            let stored = schema.agreedValue(of: other, entry, in: model)
            guard tried != nil, !(stored ?? .null).isSame(as: current) else { continue }
            // Not the value of the field: an observer may have edited the models already.
            if let set = readValue() { agreements[index] = .init(revision: set, value: stored) }
        }
    }
}

extension AnyField {
    /// Notes that a record has the value that the field has anyway, maybe by default; null is what a
    /// field without a value has that was never set.
    fileprivate func noteLoaded(_ value: AttributeValue) {
        if !value.isNull, loadState != .loaded { loadState = .loaded }
    }
}

extension StoreError {
    fileprivate static func decoding(
        type: String,
        _ record: Record,
        _ issues: [Issue]
    ) -> StoreError {
        .decoding(type: type, identifier: record.identifier, issues)
    }
}
