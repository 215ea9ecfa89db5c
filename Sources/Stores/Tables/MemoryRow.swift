import ModelKitFields
import ModelKitModels

/// A record in memory: its values stand in the order of the schema's fields.
struct MemoryRow: Sendable {
    let identifier: Identifier
    var revision: Int64
    var values: ContiguousArray<AttributeValue>
    var place: Int64
    /// The values of keys that no field has: of fields that the type had once.
    let others: [FieldKey: AttributeValue]?
}

extension RecordLayout {
    func record(of row: MemoryRow) -> Record {
        Record(
            identifier: row.identifier,
            revision: row.revision,
            self,
            row.values,
            others: row.others,
            place: row.place
        )
    }
}
