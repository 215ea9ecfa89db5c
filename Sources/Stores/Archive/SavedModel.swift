import ModelKitModels

/// A model that is saved as a part of a list, as it was at the call.
struct SavedModel: Sendable {
    let schema: ModelSchema
    private let model: any Model
    private let snapshot: Snapshot
    /// What was set in it since it was made.
    private let known: [FieldKey: AttributeValue]
    /// What is wrong with it if there is nothing stored of what it does not know.
    private let lacking: [Issue]
    /// Asked for when the writes before are made: one of them may have given it.
    private var identifier: Identifier? { snapshot.identifier ?? model.identifier }

    /// - Parameters:
    ///   - model: The model.
    ///   - index: Its place in the list; nil for a related one.
    init(_ model: any Model, _ index: Int? = nil) {
        let model = model.opened
        self.model = model
        schema = model.classSchema
        snapshot = Snapshot(of: model, schema)
        known = snapshot.setValues(in: model, schema)
        if let index, !snapshot.gaps.isEmpty {
            lacking = model.currentIssues().map { $0.prefixed(by: [.index(index)]) }
        } else {
            lacking = []
        }
    }

    /// Adds its record to a table, with the revision after that which the table before has.
    func add(
        to table: inout MemoryTable,
        after before: MemoryTable
    ) throws(StoreError) -> RecordReceipt {
        var given = identifier
        if given == nil { given = try Identifier.make(for: schema) }
        guard let given, var row = before.row(given) else {
            if given != nil, lacking.isBlocking { throw .validation(lacking) }
            return try table.create(given, snapshot.row).0
        }
        if table.row(given) != nil { throw .alreadyExists(type: schema.name, identifier: given) }
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

    /// Adds what is known of it to the records of a group.
    func merge(into tables: inout RecordTables) throws(StoreError) -> RecordReceipt {
        guard let given = identifier else { throw .noIdentifier(type: schema.name) }
        let isThere = try tables.opened(schema).row(given) != nil
        let values = isThere ? known : snapshot.values(of: schema)
        let write = RecordWrite(.save(given, values, .merge), of: schema)
        return try tables.apply([write]).receipts[0]
    }

    /// Notes that it agrees with the store.
    func note(_ receipt: RecordReceipt, _ session: StoreSession, asked: UInt64) {
        session.note(
            model,
            snapshot,
            savedAs: receipt,
            isNew: receipt.isNew,
            over: nil,
            asked: asked
        )
    }
}
