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

extension UnsafePointer<MemoryRow> {
    /// What a test says of the values.
    func fulfils(_ test: RowTest) -> Bool? {
        // Nothing is called that the compiler does not know, before which it would count a reference.
        switch test.plain {
        case .number(let slot, let comparison, let other)?:
            if case .int(let value) = pointee.values[slot] {
                return comparison.holds(ValueOrder(value, other))
            }
        case .text(let slot, let other)?:
            if case .string(let value) = pointee.values[slot] {
                return value.hasSameBytes(as: other)
            }
        case nil: break
        }
        return pointee.values.withUnsafeBufferPointer { values in
            // There is one for the identifier at least.
            guard let base = values.baseAddress else { return nil }
            return test.function(base)
        }
    }
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
