package import ModelKitModels

/// The records of one type.
struct MemoryTable: Sendable {
    let schema: ModelSchema
    let layout: RecordLayout
    /// In the order of creation.
    private(set) var rows = OrderedChunks<MemoryRow>()
    private var places = IdentifierMap()
    private(set) var indexes: [FieldIndex]
    /// The last number of the sequence that identifiers are made of.
    private(set) var lastNumber: Int64 = 0
    /// The place of the record that was created last.
    private(set) var lastPlace: Int64 = 0
    /// The greatest revision that a deleted record had; a new one begins above it.
    private(set) var lastRevision: Int64 = 0
    /// The keys of derived relations that `others` of the rows may have, and that are of no use there.
    var settled: Set<FieldKey> = []
    /// The place of the identifier among the fields.
    let identity: Int

    init(of schema: ModelSchema) throws(StoreError) {
        self.schema = schema
        let identifier = try schema.identity()
        // It is one of the fields.
        identity = schema.fields.firstIndex { $0 === identifier } ?? 0
        layout = RecordLayout(of: schema)
        indexes = schema.fields.enumerated().compactMap { slot, entry in
            entry.isIndexed && entry !== identifier || entry.isIndexedByElement
                ? FieldIndex(slot: slot, of: entry) : nil
        }
    }

    var count: Int { places.count }

    subscript(identifier: Identifier) -> Record? { row(identifier).map(layout.record) }

    func row(_ identifier: Identifier) -> MemoryRow? { places[identifier].map { row(at: $0) } }

    /// The row of a place, which must be there.
    func row(at place: Int64) -> MemoryRow { rows[position(of: place)] }

    private func position(of place: Int64) -> OrderedChunks<MemoryRow>.Position {
        rows.place(of: rows.partition { $0.pointee.place < place })
    }

    /// The place of a field among those of the schema.
    func slot(of key: FieldKey) -> Int? { schema.fields.firstIndex { $0.key == key } }

    /// The records in the order of creation.
    var records: [Record] { rows.chunks.flatMap { $0.map(layout.record) } }

    /// What a write has changed.
    struct Change {
        fileprivate let before: MemoryRow?
        fileprivate let after: MemoryRow?
        fileprivate let lastNumber: Int64
        fileprivate let lastRevision: Int64
    }

    /// Makes a write of the table's type.
    ///
    /// - Returns: The receipt, and what is needed to take the write back.
    /// - Throws: What `RecordStore.perform` fails with.
    mutating func apply(
        _ write: RecordWrite
    ) throws(StoreError) -> (RecordReceipt, Change) {
        if let (given, row) = write.creation {
            let identifier = try identifier(given)
            return try create(
                identifier,
                complete(identifier) { slot, _ in row[slot] },
                isMade: given == nil
            )
        }
        if case .save(let identifier, let values, _) = write.action, places[identifier] == nil {
            return try apply(.create(identifier, write.valuesOfNew(values)))
        }
        return try apply(write.action)
    }

    /// Makes a write.
    ///
    /// - Parameter action: What to write.
    /// - Returns: The receipt, and what is needed to take the write back.
    /// - Throws: What `RecordStore.perform` fails with.
    mutating func apply(
        _ action: RecordWrite.Action
    ) throws(StoreError) -> (RecordReceipt, Change) {
        let (lastNumber, lastRevision) = (lastNumber, lastRevision)
        switch action {
        case .create(let given, let values):
            let identifier = try identifier(given)
            return try create(identifier, complete(values, identifier), isMade: given == nil)
        case .save(let identifier, let values, let onConflict):
            guard places[identifier] != nil, onConflict != .fail else {
                return try apply(.create(identifier, values))
            }
            var changes = values
            if onConflict == .replace { changes = try all(values, identifier) }
            changes[schema.fields[identity].key] = nil
            let (receipt, change) = try apply(.update(identifier, changes, revision: nil))
            guard onConflict == .merge else { return (receipt, change) }
            let merged = RecordReceipt(
                identifier: identifier,
                revision: receipt.revision,
                record: self[identifier]
            )
            return (merged, change)
        case .update(let identifier, let changes, let expected):
            let before = try find(identifier, expected, changes)
            try schema.check(changes: changes, of: identifier)
            guard before.revision < .max else { throw schema.revisionsUsedUp }
            var row = before
            row.revision += 1
            for (slot, entry) in schema.fields.enumerated() {
                if let value = changes[entry.key] { row.values[slot] = value }
            }
            try checkUnique(row)
            put(row, over: before)
            return (
                RecordReceipt(identifier: identifier, revision: row.revision),
                Change(
                    before: before,
                    after: row,
                    lastNumber: lastNumber,
                    lastRevision: lastRevision
                )
            )
        case .delete(let identifier, let expected):
            let before = try find(identifier, expected, [:])
            put(nil, over: before)
            noteRevision(before.revision)
            return (
                RecordReceipt(identifier: identifier, revision: before.revision),
                Change(
                    before: before,
                    after: nil,
                    lastNumber: lastNumber,
                    lastRevision: lastRevision
                )
            )
        }
    }

    /// The identifier of a new record.
    private func identifier(_ given: Identifier?) throws(StoreError) -> Identifier {
        if let given { return given }
        guard let number = schema.number(after: lastNumber, isTaken: { places[.int($0)] != nil })
        else { throw schema.numbersAreUsedUp }
        return .int(number)
    }

    /// Adds a record with a value for each field.
    private mutating func create(
        _ identifier: Identifier,
        _ values: ContiguousArray<AttributeValue>,
        isMade: Bool
    ) throws(StoreError) -> (RecordReceipt, Change) {
        let (lastNumber, lastRevision) = (lastNumber, lastRevision)
        guard lastRevision < .max else { throw schema.revisionsUsedUp }
        let row = MemoryRow(
            identifier: identifier,
            revision: lastRevision + 1,
            values: values,
            place: lastPlace + 1,
            others: nil
        )
        if places[identifier] != nil {
            throw .alreadyExists(type: schema.name, identifier: identifier)
        }
        try checkUnique(row)
        if case .int(let number) = identifier { noteNumber(number, isMade: isMade) }
        put(row, over: nil)
        return (
            RecordReceipt(identifier: identifier, revision: row.revision, isNew: true),
            Change(before: nil, after: row, lastNumber: lastNumber, lastRevision: lastRevision)
        )
    }

    /// Takes a write back.
    ///
    /// Later ones must have been taken back before.
    mutating func undo(_ change: Change) {
        put(change.before, over: change.after)
        lastNumber = change.lastNumber
        lastRevision = change.lastRevision
    }

    /// Puts a row in the place of another one of the same record, or of none.
    private mutating func put(_ row: MemoryRow?, over old: MemoryRow?) {
        switch (old, row) {
        case (nil, nil): return
        case (nil, let row?):
            let position =
                row.place > lastPlace ? rows.end : rows.partition { $0.pointee.place < row.place }
            lastPlace = max(lastPlace, row.place)
            rows.insert(row, at: position)
            places[row.identifier] = row.place
            for index in indexes.indices { indexes[index].insert(row) }
        case (let old?, nil):
            rows.remove(at: position(of: old.place))
            places[old.identifier] = nil
            for index in indexes.indices { indexes[index].remove(old) }
        case (let old?, let row?):
            rows[position(of: row.place)] = row
            for index in indexes.indices { indexes[index].replace(old, by: row) }
        }
    }

    /// Throws if another record has the value of a unique field.
    private func checkUnique(_ row: MemoryRow) throws(StoreError) {
        for index in indexes where index.isUnique {
            guard let holder = index.holder(of: row.values[index.slot]), holder != row.identifier
            else { continue }
            throw .alreadyExists(
                type: schema.name,
                identifier: holder,
                field: schema.fields[index.slot].key
            )
        }
    }

    /// The values of a new record, in the order of the fields.
    private func complete(
        _ values: [FieldKey: AttributeValue],
        _ identifier: Identifier
    ) throws(StoreError) -> ContiguousArray<AttributeValue> {
        var count = 0
        let row = try complete(identifier) { _, entry in
            let given = values[entry.key]
            if given != nil { count += 1 }
            return given
        }
        if count != values.count { try schema.check(keys: values.keys) }
        return row
    }

    /// The same of what is given for each field, by its place.
    private func complete(
        _ identifier: Identifier,
        _ given: (Int, ModelSchema.Entry) -> AttributeValue?
    ) throws(StoreError) -> ContiguousArray<AttributeValue> {
        var row = ContiguousArray<AttributeValue>()
        row.reserveCapacity(schema.fields.count)
        for (slot, entry) in schema.fields.enumerated() {
            let given = given(slot, entry)
            let value = slot == identity ? identifier.attributeValue : given ?? .null
            try schema.check(value, of: entry)
            row.append(value)
        }
        return row
    }

    /// The values of a record that takes the place of another one: one for every field.
    private func all(
        _ values: [FieldKey: AttributeValue],
        _ identifier: Identifier
    ) throws(StoreError) -> [FieldKey: AttributeValue] {
        let complete = try complete(values, identifier)
        return Dictionary(
            zip(schema.fields.map(\.key), complete),
            uniquingKeysWith: { $1 }
        )
    }

    private func find(
        _ identifier: Identifier,
        _ expected: Int64?,
        _ changes: [FieldKey: AttributeValue]
    ) throws(StoreError) -> MemoryRow {
        guard let row = row(identifier) else {
            throw .notFound(type: schema.name, identifier: identifier)
        }
        if let expected, expected != row.revision {
            throw .conflict(
                StoreError.Conflict(
                    type: schema.name,
                    identifier: identifier,
                    base: expected,
                    mine: changes,
                    theirs: layout.record(of: row)
                )
            )
        }
        return row
    }

    /// Adds a record that was kept elsewhere, with its revision.
    ///
    /// - Throws: `.schema` for a value that its field does not take, `.alreadyExists` for a second one in a
    ///   unique field, `.corrupt` for a second record of an identifier.
    mutating func load(_ record: Record) throws(StoreError) {
        var others = record.values
        var values = ContiguousArray<AttributeValue>()
        for entry in schema.fields {
            let value = others.removeValue(forKey: entry.key) ?? .null
            try schema.check(value, of: entry)
            values.append(value)
        }
        if places[record.identifier] != nil {
            throw .corrupt("\(schema.name) \(record.identifier) is there twice")
        }
        let row = MemoryRow(
            identifier: record.identifier,
            revision: record.revision,
            values: values,
            place: max(lastPlace + 1, record.place),
            others: others.isEmpty ? nil : others
        )
        try checkUnique(row)
        if case .int(let number) = record.identifier { noteNumber(number, isMade: false) }
        put(row, over: nil)
    }

    private mutating func noteNumber(_ number: Int64, isMade: Bool) {
        lastNumber = isMade ? number : schema.lastNumber(lastNumber, given: number)
    }

    /// Goes on with the sequence of a file.
    mutating func continueNumbers(after last: Int64) {
        if last <= schema.greatestKept { lastNumber = max(lastNumber, last) }
    }

    /// Has no place up to this one given to another record.
    mutating func notePlace(_ place: Int64) { lastPlace = max(lastPlace, place) }

    /// Has no revision up to this one given to a new record.
    mutating func noteRevision(_ revision: Int64) { lastRevision = max(lastRevision, revision) }

    /// The same with the revisions of those records of another table that this one has not.
    mutating func noteRevisions(ofMissing other: MemoryTable) {
        for row in other.rows.chunks.joined() where places[row.identifier] == nil {
            noteRevision(row.revision)
        }
    }

    /// Forgets all records; revisions are noted by `noteRevisions(ofMissing:)`.
    mutating func removeAll() {
        rows = OrderedChunks()
        places = IdentifierMap()
        indexes = indexes.map(\.emptied)
    }
}

extension ModelSchema {
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
