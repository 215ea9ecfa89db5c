import ModelKitFields
import ModelKitModels

/// A model that is saved as a part of a list, as it was at the call.
struct SavedModel: Sendable {
    /// Adds its record to a table, with the revision after that which the table before has.
    let add: @Sendable (inout MemoryTable, MemoryTable) throws(StoreError) -> RecordReceipt
    /// Adds what is known of it to the records of a group.
    let merge: @Sendable (inout ArchiveState) throws(StoreError) -> Void
    /// Notes that it agrees with the store.
    let note: @Sendable (RecordReceipt, StoreSession) -> Void

    init<M: Model>(_ model: M) throws(StoreError) {
        let schema = M.schema
        let snapshot = Snapshot(of: model, schema)
        let given: Identifier? =
            if let known = snapshot.identifier { known } else { try .make(for: schema) }
        add = { (table, before) throws(StoreError) in
            guard let given else { return try table.apply(.create(nil, snapshot.values)).0 }
            if table[given] != nil {
                throw .alreadyExists(type: schema.name, identifier: given)
            }
            var record = Record(identifier: given, revision: 1, values: [:])
            if let old = before[given] {
                record = old
                record.revision += 1
                record.place = 0
            }
            for entry in schema.fields {
                record.values[entry.key] = snapshot.values[entry.key] ?? .null
            }
            if let key = schema.identifier?.key { record.values[key] = given.attributeValue }
            try table.load(record)
            return RecordReceipt(identifier: given, revision: record.revision)
        }
        merge = { (state) throws(StoreError) in
            guard let given else { return }
            let exists = try state.table(of: schema)[given] != nil
            let changes = snapshot.changes(since: nil, schema)
            let action: RecordWrite.Action =
                exists ? .update(given, changes, revision: nil) : .create(given, snapshot.values)
            _ = try state.apply([RecordWrite(action, of: schema)])
        }
        note = { receipt, session in session.note(model, snapshot, as: receipt) }
    }

    init(opening model: any Model) throws(StoreError) {
        func open<M: Model>(_ model: M) throws(StoreError) -> SavedModel { try SavedModel(model) }
        self = try open(model)
    }
}
