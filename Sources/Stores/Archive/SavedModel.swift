import ModelKitModels

/// A model that is saved as a part of a list, as it was at the call.
struct SavedModel: Sendable {
    let schema: ModelSchema
    /// Adds its record to a table, with the revision after that which the table before has.
    let add: @Sendable (inout MemoryTable, MemoryTable) throws(StoreError) -> RecordReceipt
    /// Adds what is known of it to the records of a group.
    let merge: @Sendable (inout ArchiveState) throws(StoreError) -> RecordReceipt
    /// Notes that it agrees with the store.
    let note: @Sendable (RecordReceipt, StoreSession) -> Void

    /// - Parameters:
    ///   - model: The model.
    ///   - index: Its place in the list; nil for a related one.
    init<M: Model>(_ model: M, _ index: Int?) {
        let schema = M.schema
        self.schema = schema
        let snapshot = Snapshot(of: model, schema)
        let known = snapshot.setValues(in: model, schema)
        // Of what it does not know, the rules are asked only if there is nothing stored of it.
        let lacking = snapshot.gaps.isEmpty || index == nil ? [] : model.currentIssues()
        // Asked for when the writes before are made: one of them may have given it.
        let identifier = { @Sendable () in snapshot.identifier ?? model.identifier }
        add = { (table, before) throws(StoreError) in
            var given = identifier()
            if given == nil { given = try Identifier.make(for: schema) }
            guard let given else {
                return try table.apply(.create(nil, snapshot.values(of: schema))).0
            }
            if table[given] != nil {
                throw .alreadyExists(type: schema.name, identifier: given)
            }
            let known = before[given]
            if known == nil, lacking.isBlocking {
                throw .validation(lacking.map { $0.prefixed(by: [.index(index ?? 0)]) })
            }
            // With the fields that only another version of the app knows, or that the model does not.
            var record =
                known
                ?? Record(identifier: given, revision: before.lastRevision, values: [:])
            guard record.revision < .max else { throw schema.revisionsUsedUp }
            record.revision += 1
            record.place = 0
            for (slot, entry) in schema.fields.enumerated() {
                if known?[entry.key] != nil, snapshot.gaps.contains(slot) { continue }
                record.values[entry.key] = snapshot.row[slot] ?? .null
            }
            if let key = schema.identifier?.key { record.values[key] = given.attributeValue }
            try table.load(record)
            return RecordReceipt(
                identifier: given,
                revision: record.revision,
                isNew: known == nil
            )
        }
        merge = { (state) throws(StoreError) in
            guard let given = identifier() else { throw .noIdentifier(type: schema.name) }
            let isThere = try state.table(of: schema)[given] != nil
            let values = isThere ? known : snapshot.values(of: schema)
            let write = RecordWrite(.save(given, values, .merge), of: schema)
            return try state.apply([write]).receipts[0]
        }
        note = { receipt, session in
            session.note(
                model,
                snapshot,
                savedAs: receipt,
                isNew: receipt.isNew,
                over: nil
            )
        }
    }

    init(opening model: any Model, _ index: Int? = nil) {
        func open<M: Model>(_ model: M) -> SavedModel { SavedModel(model, index) }
        self = open(model.opened)
    }
}
