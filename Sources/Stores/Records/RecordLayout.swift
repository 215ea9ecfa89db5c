package import ModelKitModels

/// The fields of a type, of which records hold the values in their order.
package final class RecordLayout: Sendable {
    package let schema: ModelSchema
    let keys: [FieldKey]
    /// Null for each field, and where that of each stands: so the keys of a dictionary are not hashed.
    private let template: [FieldKey: AttributeValue]
    private let slots: [Dictionary<FieldKey, AttributeValue>.Index]

    package init(of schema: ModelSchema) {
        self.schema = schema
        keys = schema.fields.map(\.key)
        let template = Dictionary(keys.map { ($0, AttributeValue.null) }) { $1 }
        self.template = template
        slots = keys.compactMap { template.index(forKey: $0) }
    }

    fileprivate func slot(of key: FieldKey) -> Int? { keys.firstIndex(of: key) }

    fileprivate func dictionary(
        _ row: ContiguousArray<AttributeValue>,
        _ others: [FieldKey: AttributeValue]?
    ) -> [FieldKey: AttributeValue] {
        var values = template
        for (slot, value) in zip(slots, row) where !value.isNull { values.values[slot] = value }
        if let others { values.merge(others) { first, _ in first } }
        return values
    }
}

/// The values of a record: as a dictionary, or in the order of the fields.
enum RecordValues: Sendable {
    case dictionary([FieldKey: AttributeValue])
    case row(RecordLayout, ContiguousArray<AttributeValue>)
    /// With those of keys that no field has: a box, so that records are not larger by what few have.
    indirect case extendedRow(
        RecordLayout,
        ContiguousArray<AttributeValue>,
        others: [FieldKey: AttributeValue]
    )

    var dictionary: [FieldKey: AttributeValue] {
        switch self {
        case .dictionary(let values): values
        case .row(let layout, let row): layout.dictionary(row, nil)
        case .extendedRow(let layout, let row, let others): layout.dictionary(row, others)
        }
    }

    subscript(key: FieldKey) -> AttributeValue? {
        switch self {
        case .dictionary(let values): values[key]
        case .row(let layout, let row): layout.slot(of: key).map { row[$0] }
        case .extendedRow(let layout, let row, let others):
            layout.slot(of: key).map { row[$0] } ?? others[key]
        }
    }

    /// The value of a field of a schema, by its place there.
    subscript(slot: Int, schema: ModelSchema) -> AttributeValue? {
        switch self {
        case .row(let layout, let row) where layout.schema === schema: row[slot]
        case .extendedRow(let layout, let row, _) where layout.schema === schema: row[slot]
        default: self[schema.fields[slot].key]
        }
    }
}

extension RecordValues: Hashable {
    static func == (left: RecordValues, right: RecordValues) -> Bool {
        if case (.row(let layout, let row), .row(let other, let others)) = (left, right),
            layout === other
        {
            return row == others
        }
        return left.dictionary == right.dictionary
    }

    func hash(into hasher: inout Hasher) { hasher.combine(dictionary) }
}
