import ModelKitFields
package import ModelKitModels

/// The records of a type as a file holds them.
struct TableContents: Sendable {
    var lastNumber: Int64 = 0
    var lastPlace: Int64 = 0
    var lastRevision: Int64 = 0
    var keys: [FieldKey] = []
    /// With a value for each of the keys.
    var rows: [MemoryRow] = []
    /// The keys of relations that are derived by now, whose models have records of their own.
    var settled: [FieldKey] = []
    /// Records of version 1, which are known only once their model type is.
    var dictionaries: [AttributeDictionary] = []

    /// The values of a row, in the order of the keys.
    func values(of row: MemoryRow) -> [AttributeValue] {
        keys.enumerated().map { slot, key in
            slot < row.values.count ? row.values[slot] : row.others?[key] ?? .null
        }
    }
}

extension MemoryTable {
    /// What a file is to hold of the table.
    var contents: TableContents {
        // Of fields that the type had once, so that nothing of an older version of the app is lost.
        var others: Set<FieldKey> = []
        for row in rows.chunks.joined() {
            if let keys = row.others?.keys { others.formUnion(keys) }
        }
        others.subtract(layout.keys)
        return TableContents(
            lastNumber: lastNumber,
            lastPlace: lastPlace,
            lastRevision: lastRevision,
            keys: layout.keys + others.sorted { $0.description < $1.description },
            rows: Array(rows.chunks.joined()),
            settled: settled.sorted { $0.description < $1.description }
        )
    }

    /// The table of a type with what a file holds of it.
    ///
    /// - Throws: `.schema` for a value of another kind than its field's, `.corrupt` for two records of
    ///   one identifier, `.decoding` for a dictionary that does not fit the fields.
    init(of schema: ModelSchema, _ contents: TableContents) throws(StoreError) {
        try self.init(of: schema)
        let slots = schema.fields.map { contents.keys.firstIndex(of: $0.key) }
        let others = Array(contents.keys.enumerated()).filter { !slots.contains($0.offset) }
        let defaults = zip(slots, schema.fields).map { slot, entry in
            slot == nil ? entry.field(in: schema.prototype).currentAttribute ?? .null : .null
        }
        for old in contents.rows {
            let values = zip(slots, defaults).map { slot, value in
                slot.map { old.values[$0] } ?? value
            }
            let unknown = others.map { ($0.element, old.values[$0.offset]) }
            let row = MemoryRow(
                identifier: old.identifier,
                revision: old.revision,
                values: ContiguousArray(values),
                place: old.place,
                others: others.isEmpty ? nil : Dictionary(unknown) { $1 }
            )
            try restore(row)
        }
        for (index, dictionary) in contents.dictionaries.enumerated() {
            try restore(try schema.row(of: dictionary, at: index))
        }
        settled = Set(contents.settled)
        continueNumbers(after: contents.lastNumber)
        notePlace(contents.lastPlace)
        noteRevision(contents.lastRevision)
    }

    /// Adds a row of a file, which may be older than a unique field.
    private mutating func restore(_ row: MemoryRow) throws(StoreError) {
        do {
            try load(row)
        } catch .alreadyExists(_, let holder, let field?) {
            throw schema.duplicate(of: field, holder, row.identifier)
        }
    }
}

extension ModelSchema {
    /// The row of a dictionary that a model has written of itself.
    fileprivate func row(
        of dictionary: AttributeDictionary,
        at index: Int
    ) throws(StoreError) -> MemoryRow {
        let identity = try identity()
        func open<M: Model>(_ model: M) throws -> MemoryRow {
            try MemoryRow(of: M(dictionaryValue: dictionary), dictionary, identity)
        }
        do {
            return try open(self.prototype)
        } catch {
            let issues = (error as? any IssuesError)?.issues ?? []
            throw .schema(
                "element \(index) of \(name) does not fit: "
                    + issues.map(\.description).joined(separator: "; ")
            )
        }
    }

    /// What is wrong with records that were there before their field was declared unique.
    package func duplicate(
        of field: FieldKey,
        _ first: Identifier,
        _ second: Identifier
    ) -> StoreError {
        .schema(
            "\(name).\(field) is declared as unique, but \(first) and \(second) have the same value"
        )
    }
}

extension MemoryRow {
    fileprivate init<M: Model>(
        of model: M,
        _ dictionary: AttributeDictionary,
        _ identity: ModelSchema.Entry
    ) throws {
        guard let identifier = model.identifier else {
            throw StoreError.validation([
                Issue(code: "required", path: identity.path, message: "is required")
            ])
        }
        // They are derived by now, and were not when the dictionary was written.
        let others = M.schema.derivedFields.compactMap { entry in
            dictionary.value(atKey: entry.key).map { (entry.key, $0) }
        }
        self.init(
            identifier: identifier,
            revision: 1,
            values: ContiguousArray(Snapshot(of: model, M.schema).row.map { $0 ?? .null }),
            place: 0,
            others: others.isEmpty ? nil : Dictionary(others) { $1 }
        )
    }
}
