import ModelKitModels

/// The values on which an object and its record agreed last: the record's own, or those that were written.
enum BaseValues: Sendable {
    case record(RecordValues)
    /// By the order of the fields; nil for one that was never set.
    case written(ContiguousArray<AttributeValue?>)

    /// The values by their keys.
    func dictionary(of schema: ModelSchema) -> [FieldKey: AttributeValue] {
        switch self {
        case .record(let values): values.dictionary
        case .written(let row):
            Dictionary(zip(schema.fields, row).map { ($0.key, $1 ?? .null) }) { first, _ in first }
        }
    }
}

extension Snapshot {
    /// The values that a record has once these are stored, of which the model may not know all.
    func base(over old: BaseValues?, _ schema: ModelSchema) -> BaseValues {
        guard !gaps.isEmpty, let old else { return .written(row) }
        var values = old.dictionary(of: schema)
        for (index, entry) in schema.fields.enumerated() where !gaps.contains(index) {
            values[entry.key] = row[index] ?? .null
        }
        return .record(.dictionary(values))
    }
}
