import ModelKitFields
import ModelKitModels

/// The records of one type.
struct MemoryTable {
    let schema: ModelSchema
    /// In the order of creation; nil where one was deleted.
    private(set) var rows: [Record?] = []
    private var places: [Identifier: Int] = [:]
    /// The greatest number that was ever used as an identifier.
    private(set) var lastNumber: Int64 = 0
    /// The place of the record that was created last.
    private(set) var lastPlace: Int64 = 0
    private let identity: ModelSchema.Entry

    init(of schema: ModelSchema) throws(StoreError) {
        self.schema = schema
        identity = try schema.identity()
    }

    subscript(identifier: Identifier) -> Record? {
        places[identifier].flatMap { rows[$0] }
    }

    /// What a write has changed: what stands at a place now was this before.
    struct Change {
        let place: Int
        let identifier: Identifier
        let before: Record?
        let lastNumber: Int64
    }

    /// Makes a write.
    ///
    /// - Parameter action: What to write.
    /// - Returns: The receipt, and what is needed to take the write back.
    /// - Throws: What `RecordStore.perform` fails with.
    mutating func apply(
        _ action: RecordWrite.Action
    ) throws(StoreError) -> (RecordReceipt, Change) {
        let lastNumber = lastNumber
        switch action {
        case .create(let given, let values):
            let identifier: Identifier =
                if let given { given } else { .int(try schema.number(after: lastNumber)) }
            let record = Record(
                identifier: identifier,
                revision: 1,
                values: try complete(values, identifier),
                place: lastPlace + 1
            )
            if places[identifier] != nil {
                throw .alreadyExists(type: schema.name, identifier: identifier)
            }
            if case .int(let number) = identifier { self.lastNumber = max(lastNumber, number) }
            lastPlace += 1
            places[identifier] = rows.count
            rows.append(record)
            return (
                RecordReceipt(identifier: identifier, revision: 1),
                Change(
                    place: rows.count - 1,
                    identifier: identifier,
                    before: nil,
                    lastNumber: lastNumber
                )
            )
        case .save(let identifier, let values, let onConflict):
            guard places[identifier] != nil, onConflict != .fail else {
                return try apply(.create(identifier, values))
            }
            var changes = values
            if onConflict == .replace { changes = try complete(values, identifier) }
            changes[identity.key] = nil
            return try apply(.update(identifier, changes, revision: nil))
        case .update(let identifier, let changes, let expected):
            let (place, before) = try find(identifier, expected, changes)
            try schema.check(changes: changes, of: identifier)
            var record = before
            record.revision += 1
            record.values.merge(changes) { $1 }
            rows[place] = record
            return (
                RecordReceipt(identifier: identifier, revision: record.revision),
                Change(
                    place: place,
                    identifier: identifier,
                    before: before,
                    lastNumber: lastNumber
                )
            )
        case .delete(let identifier, let expected):
            let (place, before) = try find(identifier, expected, [:])
            rows[place] = nil
            places[identifier] = nil
            return (
                RecordReceipt(identifier: identifier, revision: before.revision),
                Change(
                    place: place,
                    identifier: identifier,
                    before: before,
                    lastNumber: lastNumber
                )
            )
        }
    }

    /// The values of a new record: one for every field.
    private func complete(
        _ values: [FieldKey: AttributeValue],
        _ identifier: Identifier
    ) throws(StoreError) -> [FieldKey: AttributeValue] {
        var values = values
        for entry in schema.fields {
            if entry === identity {
                values[entry.key] = identifier.attributeValue
                try schema.check(identifier.attributeValue, of: entry)
            } else if let value = values[entry.key] {
                try schema.check(value, of: entry)
            } else {
                values[entry.key] = .null
            }
        }
        if values.count != schema.fields.count { try schema.check(keys: values.keys) }
        return values
    }

    /// Takes a write back.
    ///
    /// Later ones must have been taken back before.
    mutating func undo(_ change: Change) {
        rows[change.place] = change.before
        places[change.identifier] = change.before == nil ? nil : change.place
        lastNumber = change.lastNumber
    }

    private func find(
        _ identifier: Identifier,
        _ expected: Int64?,
        _ changes: [FieldKey: AttributeValue]
    ) throws(StoreError) -> (Int, Record) {
        guard let place = places[identifier], let record = rows[place] else {
            throw .notFound(type: schema.name, identifier: identifier)
        }
        if let expected, expected != record.revision {
            throw .conflict(
                StoreError.Conflict(
                    type: schema.name,
                    identifier: identifier,
                    base: expected,
                    mine: changes,
                    theirs: record
                )
            )
        }
        return (place, record)
    }

    /// Adds a record that was kept elsewhere, with its revision.
    ///
    /// - Throws: `.schema` for a value that its field does not take, `.corrupt` for a second record of an
    ///   identifier.
    mutating func load(_ record: Record) throws(StoreError) {
        for entry in schema.fields {
            try schema.check(record.values[entry.key] ?? .null, of: entry)
        }
        if places.updateValue(rows.count, forKey: record.identifier) != nil {
            throw .corrupt("\(schema.name) \(record.identifier) is there twice")
        }
        if case .int(let number) = record.identifier { noteNumber(number) }
        lastPlace = max(lastPlace + 1, record.place)
        rows.append(record)
        rows[rows.count - 1]?.place = lastPlace
    }

    /// Has no number up to this one made for another record.
    mutating func noteNumber(_ number: Int64) { lastNumber = max(lastNumber, number) }

    /// Has no place up to this one given to another record.
    mutating func notePlace(_ place: Int64) { lastPlace = max(lastPlace, place) }

    /// Forgets all records.
    mutating func removeAll() { (rows, places) = ([], [:]) }

    /// Closes the gaps, once there are more of them than records.
    mutating func compact() {
        guard rows.count > 32, places.count * 2 < rows.count else { return }
        rows = rows.filter { $0 != nil }
        for (place, record) in rows.enumerated() {
            if let record { places[record.identifier] = place }
        }
    }
}
