import ModelKitFields
import ModelKitModels

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
        rows.partition { $0.pointee.place < place }
    }

    /// The place of a field among those of the schema.
    func slot(of key: FieldKey) -> Int? { layout.keys.firstIndex(of: key) }

    /// The records in the order of creation.
    var records: [Record] { rows.chunks.flatMap { $0.map(layout.record) } }

    /// The record that a write has found; nil if there was none.
    func old(_ change: Change) -> Record? { change.before.map(layout.record) }

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
        if let (given, row) = write.creation { return try create(given, row) }
        switch write.action {
        case .create(let given, let values): return try create(given, values)
        case .save(let identifier, let values, let onConflict):
            if places[identifier] == nil {
                return try create(identifier, write.valuesOfNew(values))
            }
            if onConflict == .fail { return try create(identifier, values) }
            var changes = values
            if onConflict == .replace {
                for key in layout.keys where changes[key] == nil { changes[key] = .null }
            }
            changes[layout.keys[identity]] = nil
            let (receipt, change) = try update(identifier, changes, nil)
            guard onConflict == .merge else { return (receipt, change) }
            let merged = RecordReceipt(
                identifier: identifier,
                revision: receipt.revision,
                record: self[identifier]
            )
            return (merged, change)
        case .update(let identifier, let changes, let expected):
            return try update(identifier, changes, expected)
        case .delete(let identifier, let expected):
            let row = try find(identifier, expected, [:])
            let change = try replace(row, by: nil)
            noteRevision(row.revision)
            return (RecordReceipt(identifier: identifier, revision: row.revision), change)
        }
    }

    private mutating func create(
        _ given: Identifier?,
        _ values: [FieldKey: AttributeValue]
    ) throws(StoreError) -> (RecordReceipt, Change) {
        let row = ContiguousArray(layout.keys.lazy.map { values[$0] })
        let hasOthers = row.lazy.compactMap { $0 }.count != values.count
        return try create(given, row, hasOthers ? Array(values.keys) : [])
    }

    /// Adds a record; without an identifier a number is made.
    ///
    /// - Parameters:
    ///   - given: The identifier.
    ///   - row: The values in the order of the fields.
    ///   - keys: Keys that have to be those of fields.
    /// - Returns: What `apply` returns.
    /// - Throws: What `RecordStore.perform` fails with.
    mutating func create(
        _ given: Identifier?,
        _ row: ContiguousArray<AttributeValue?>,
        _ keys: [FieldKey] = []
    ) throws(StoreError) -> (RecordReceipt, Change) {
        let identifier: Identifier
        if let given {
            identifier = given
        } else {
            let number = schema.number(after: lastNumber, isTaken: { places[.int($0)] != nil })
            guard let number else { throw schema.numbersAreUsedUp }
            identifier = .int(number)
        }
        var values = ContiguousArray<AttributeValue>()
        values.reserveCapacity(row.count)
        for (slot, entry) in schema.fields.enumerated() {
            let value = slot == identity ? identifier.attributeValue : row[slot] ?? .null
            try schema.check(value, of: entry)
            values.append(value)
        }
        try schema.check(keys: keys)
        guard lastRevision < .max else { throw schema.revisionsUsedUp }
        if places[identifier] != nil {
            throw .alreadyExists(type: schema.name, identifier: identifier)
        }
        let new = MemoryRow(
            identifier: identifier,
            revision: lastRevision + 1,
            values: values,
            place: lastPlace + 1,
            others: nil
        )
        let change = try replace(nil, by: new)
        if case .int(let number) = identifier { noteNumber(number, isMade: given == nil) }
        let receipt = RecordReceipt(
            identifier: identifier,
            revision: new.revision,
            isNew: true
        )
        return (receipt, change)
    }

    private mutating func update(
        _ identifier: Identifier,
        _ changes: [FieldKey: AttributeValue],
        _ expected: Int64?
    ) throws(StoreError) -> (RecordReceipt, Change) {
        let before = try find(identifier, expected, changes)
        try schema.check(changes: changes, of: identifier)
        guard before.revision < .max else { throw schema.revisionsUsedUp }
        var row = before
        row.revision += 1
        for (slot, key) in layout.keys.enumerated() {
            if let value = changes[key] { row.values[slot] = value }
        }
        let receipt = RecordReceipt(identifier: identifier, revision: row.revision)
        return (receipt, try replace(before, by: row))
    }

    /// Puts a row in the place of another one of the same record, or of none.
    ///
    /// - Throws: `.alreadyExists` if another record has the value of a unique field.
    private mutating func replace(
        _ before: MemoryRow?,
        by after: MemoryRow?
    ) throws(StoreError) -> Change {
        let change = Change(
            before: before,
            after: after,
            lastNumber: lastNumber,
            lastRevision: lastRevision
        )
        if let after { try checkUnique(after) }
        put(after, over: before)
        return change
    }

    /// Takes a write back.
    ///
    /// Later ones must have been taken back before.
    mutating func undo(_ change: Change) {
        put(change.before, over: change.after)
        lastNumber = change.lastNumber
        lastRevision = change.lastRevision
    }

    private mutating func put(_ row: MemoryRow?, over old: MemoryRow?) {
        switch (old, row) {
        case (nil, nil): return
        case (nil, let row?):
            let position =
                row.place > lastPlace ? rows.end : rows.partition { $0.pointee.place < row.place }
            lastPlace = max(lastPlace, row.place)
            rows.insert(row, at: position)
            places[row.identifier] = row.place
        case (let old?, nil):
            rows.remove(at: position(of: old.place))
            places[old.identifier] = nil
        case (_, let row?): rows[position(of: row.place)] = row
        }
        for index in indexes.indices { indexes[index].replace(old, by: row) }
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

    /// Adds a row that was kept elsewhere, with its revision, and as the last one if it has no place after all
    /// others.
    ///
    /// - Throws: `.schema` for a value that its field does not take, `.alreadyExists` for a second one in a
    ///   unique field, `.corrupt` for a second record of an identifier.
    mutating func load(_ row: MemoryRow) throws(StoreError) {
        for (entry, value) in zip(schema.fields, row.values) { try schema.check(value, of: entry) }
        if places[row.identifier] != nil {
            throw .corrupt("\(schema.name) \(row.identifier) is there twice")
        }
        try checkUnique(row)
        if case .int(let number) = row.identifier { noteNumber(number, isMade: false) }
        var row = row
        row.place = max(lastPlace + 1, row.place)
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
        for index in indexes.indices { indexes[index].removeAll() }
    }

    /// The table without its records, whose numbers, places and revisions stay used.
    var emptied: MemoryTable {
        var table = self
        table.removeAll()
        table.noteRevisions(ofMissing: self)
        return table
    }
}
