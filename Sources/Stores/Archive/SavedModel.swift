import ModelKitModels

/// A model that is saved as a part of a list, as it was at the call.
struct SavedModel: Sendable {
    let schema: ModelSchema
    /// Adds its record to a table, with the revision after that which the table before has.
    let add: @Sendable (inout MemoryTable, MemoryTable) throws(StoreError) -> RecordReceipt
    /// Adds what is known of it to the records of a group.
    let merge: @Sendable (inout RecordTables) throws(StoreError) -> RecordReceipt
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
            guard let given, var row = before.row(given) else {
                if given != nil, lacking.isBlocking {
                    throw .validation(lacking.map { $0.prefixed(by: [.index(index ?? 0)]) })
                }
                return try table.create(given, snapshot.row).0
            }
            if table.row(given) != nil {
                throw .alreadyExists(type: schema.name, identifier: given)
            }
            guard row.revision < .max else { throw schema.revisionsUsedUp }
            row.revision += 1
            row.place = 0
            // With the fields that only another version of the app knows, or that the model does not.
            for slot in row.values.indices where !snapshot.gaps.contains(slot) {
                row.values[slot] = snapshot.row[slot] ?? .null
            }
            row.values[table.identity] = given.attributeValue
            try table.load(row)
            return RecordReceipt(identifier: given, revision: row.revision)
        }
        merge = { (tables) throws(StoreError) in
            guard let given = identifier() else { throw .noIdentifier(type: schema.name) }
            let isThere = try tables.opened(schema).row(given) != nil
            let values = isThere ? known : snapshot.values(of: schema)
            let write = RecordWrite(.save(given, values, .merge), of: schema)
            return try tables.apply([write]).receipts[0]
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
