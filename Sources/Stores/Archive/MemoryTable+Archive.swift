import ModelKitModels

extension MemoryTable {
    /// What a file is to hold of the table.
    var archived: ArchiveContents.Table {
        var keys = schema.fields.map(\.key)
        // Of fields that the type had once, so that nothing of an older version of the app is lost.
        let known = Set(keys)
        var others: Set<FieldKey> = []
        for row in rows.chunks.joined() {
            for key in (row.others ?? [:]).keys where !known.contains(key) { others.insert(key) }
        }
        keys += others.sorted { $0.description < $1.description }
        return ArchiveContents.Table(
            lastNumber: lastNumber,
            lastPlace: lastPlace,
            lastRevision: lastRevision,
            keys: keys,
            records: records,
            settled: settled.sorted { $0.description < $1.description }
        )
    }

    /// The table of a type with what a file holds of it.
    ///
    /// - Throws: `.schema` for a value of another kind than its field's, `.corrupt` for two records of
    ///   one identifier, `.decoding` for a dictionary that does not fit the fields.
    init(of schema: ModelSchema, _ archived: ArchiveContents.Table) throws(StoreError) {
        try self.init(of: schema)
        let known = Set(archived.keys)
        var defaults: [FieldKey: AttributeValue] = [:]
        for entry in schema.fields where !known.contains(entry.key) {
            defaults[entry.key] = entry.field(in: schema.prototype).currentAttribute ?? .null
        }
        for record in archived.records {
            var record = record
            record.values.merge(defaults) { $1 }
            try restore(record)
        }
        for (index, dictionary) in archived.dictionaries.enumerated() {
            try restore(try schema.record(of: dictionary, at: index))
        }
        settled = Set(archived.settled)
        continueNumbers(after: archived.lastNumber)
        notePlace(archived.lastPlace)
        noteRevision(archived.lastRevision)
    }

    /// Adds a record of a file, which may be older than a unique field.
    private mutating func restore(_ record: Record) throws(StoreError) {
        do {
            try load(record)
        } catch .alreadyExists(_, let holder, let field?) {
            throw schema.duplicate(of: field, holder, record.identifier)
        }
    }
}

extension ModelSchema {
    /// The record of a dictionary that a model has written of itself.
    fileprivate func record(
        of dictionary: AttributeDictionary,
        at index: Int
    ) throws(StoreError) -> Record {
        let identity = try identity()
        func open<M: Model>(_ model: M) throws -> Record {
            try Record(of: M.self, dictionary, identity)
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
}

extension Record {
    fileprivate init<M: Model>(
        of type: M.Type,
        _ dictionary: AttributeDictionary,
        _ identity: ModelSchema.Entry
    ) throws {
        let model = try M(dictionaryValue: dictionary)
        let row = Snapshot(of: model, M.schema).row
        guard let identifier = model.identifier else {
            throw StoreError.validation([
                Issue(code: "required", path: identity.path, message: "is required")
            ])
        }
        var all: [FieldKey: AttributeValue] = [:]
        for (entry, value) in zip(M.schema.fields, row) { all[entry.key] = value ?? .null }
        // They are derived by now, and were not when the dictionary was written.
        for entry in M.schema.derivedFields { all[entry.key] = dictionary.value(atKey: entry.key) }
        self.init(identifier: identifier, revision: 1, values: all)
    }
}
