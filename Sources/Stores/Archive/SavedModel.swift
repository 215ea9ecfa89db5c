import ModelKitFields
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

    init<M: Model>(_ model: M) {
        let schema = M.schema
        self.schema = schema
        let snapshot = Snapshot(of: model, schema)
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
            // With the fields that only another version of the app knows.
            var record = before[given] ?? Record(identifier: given, revision: 0, values: [:])
            record.revision += 1
            record.place = 0
            for (entry, value) in zip(schema.fields, snapshot.row) {
                record.values[entry.key] = value ?? .null
            }
            if let key = schema.identifier?.key { record.values[key] = given.attributeValue }
            try table.load(record)
            return RecordReceipt(identifier: given, revision: record.revision)
        }
        merge = { (state) throws(StoreError) in
            guard let given = identifier() else { throw .noIdentifier(type: schema.name) }
            let values = snapshot.values(of: schema)
            let write = RecordWrite(.save(given, values, .merge), of: schema)
            return try state.apply([write])[0]
        }
        note = { receipt, session in session.note(model, snapshot, savedAs: receipt) }
    }

    init(opening model: any Model) {
        func open<M: Model>(_ model: M) -> SavedModel { SavedModel(model) }
        self = open(model)
    }
}
