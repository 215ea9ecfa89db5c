import ModelKitFields
import ModelKitModels

/// The records of one type.
struct MemoryTable {
    /// In the order of creation; nil where one was deleted.
    private(set) var rows: [Record?] = []
    private var places: [Identifier: Int] = [:]
    private var lastNumber: Int64 = 0

    subscript(identifier: Identifier) -> Record? {
        places[identifier].flatMap { rows[$0] }
    }

    /// What a write has changed: what stands at a place now was this before.
    struct Change {
        let place: Int
        let identifier: Identifier
        let before: Record?
    }

    /// Makes a write.
    ///
    /// - Parameters:
    ///   - action: What to write.
    ///   - schema: The type of the record.
    /// - Returns: The receipt, and what is needed to take the write back.
    mutating func apply(
        _ action: RecordWrite.Action,
        of schema: ModelSchema
    ) throws(StoreError) -> (RecordReceipt, Change) {
        switch action {
        case .create(let given, let values):
            let identifier = given ?? .int(lastNumber + 1)
            if places[identifier] != nil {
                throw .alreadyExists(type: schema.name, identifier: identifier)
            }
            if case .int(let number) = identifier { lastNumber = max(lastNumber, number) }
            var record = Record(identifier: identifier, revision: 1, values: values)
            if let key = schema.identifier?.key { record.values[key] = identifier.attributeValue }
            places[identifier] = rows.count
            rows.append(record)
            return (
                RecordReceipt(identifier: identifier, revision: 1),
                Change(place: rows.count - 1, identifier: identifier, before: nil)
            )
        case .update(let identifier, let changes, let expected):
            let (place, before) = try find(identifier, expected, changes, type: schema.name)
            var record = before
            record.revision += 1
            record.values.merge(changes) { $1 }
            rows[place] = record
            return (
                RecordReceipt(identifier: identifier, revision: record.revision),
                Change(place: place, identifier: identifier, before: before)
            )
        case .delete(let identifier, let expected):
            let (place, before) = try find(identifier, expected, [:], type: schema.name)
            rows[place] = nil
            places[identifier] = nil
            return (
                RecordReceipt(identifier: identifier, revision: before.revision),
                Change(place: place, identifier: identifier, before: before)
            )
        }
    }

    /// Takes a write back.
    ///
    /// Later ones must have been taken back before.
    mutating func undo(_ change: Change) {
        rows[change.place] = change.before
        places[change.identifier] = change.before == nil ? nil : change.place
    }

    private func find(
        _ identifier: Identifier,
        _ expected: Int64?,
        _ changes: [FieldKey: AttributeValue],
        type: String
    ) throws(StoreError) -> (Int, Record) {
        guard let place = places[identifier], let record = rows[place] else {
            throw .notFound(type: type, identifier: identifier)
        }
        if let expected, expected != record.revision {
            throw .conflict(
                StoreError.Conflict(
                    type: type,
                    identifier: identifier,
                    base: expected,
                    mine: changes,
                    theirs: record
                )
            )
        }
        return (place, record)
    }

    /// Closes the gaps, once there are more of them than records.
    mutating func compact() {
        guard rows.count > 32, places.count * 2 < rows.count else { return }
        rows = rows.filter { $0 != nil }
        for (place, record) in rows.enumerated() {
            if let record { places[record.identifier] = place }
        }
    }
}
