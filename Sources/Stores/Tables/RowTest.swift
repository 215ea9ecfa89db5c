import ModelKitFields
import ModelKitModels

/// What a filter says of the rows of a table; nil is unknown.
enum RowTest {
    // What most filters are, and no more than that.
    case number(slot: Int, RecordFilter.Comparison, Int64)
    case text(slot: Int, String)
    case function(FilterRows.Function)

    init(_ filter: RecordFilter, of table: MemoryTable, in tables: RecordTables) {
        if case .compare(let key, let comparison, let other) = filter,
            let slot = table.slot(of: key),
            !table.schema.fields[slot].kind.holdsNumberTexts
        {
            switch (other, comparison) {
            case (.int(let number), _):
                self = .number(slot: slot, comparison, number)
                return
            case (.string(let text), .equal):
                self = .text(slot: slot, text)
                return
            default: break
            }
        }
        let rows = FilterRows(
            schema: table.schema,
            keys: table.layout.keys,
            areStored: true,
            related: tables.related
        )
        self = .function(rows.function(of: filter))
    }
}

extension UnsafePointer<MemoryRow> {
    /// What a test says of the values; without one they are all found.
    ///
    /// For many rows it is taken out of where it is kept before, as it would be retained for each of them.
    func fulfils(_ test: RowTest?) -> Bool? {
        // Nothing is called that the compiler does not know, before which it would count a reference.
        switch test {
        case .number(let slot, let comparison, let other)?:
            if case .int(let value) = pointee.values[slot] {
                return comparison.holds(ValueOrder(value, other))
            }
            return pointee.values[slot].compare(.int(other)).map(comparison.holds)
        case .text(let slot, let other)?:
            guard case .string(let value) = pointee.values[slot] else { return nil }
            return value.hasSameBytes(as: other)
        case .function(let function)?: return pointee.values.withUnsafeBufferPointer(function)
        case nil: return true
        }
    }
}

extension RecordTables {
    /// What a filter says of the model that a value stands for.
    fileprivate func related(
        _ filter: RecordFilter,
        to partner: ModelSchema
    ) -> (AttributeValue) -> Bool? {
        let embedded = FilterTest(filter, of: partner) { (try? table(of: $1))?[$0] }
        // A model that is kept inside may be of a type that the store has no records of.
        guard partner.identifier != nil, let table = try? table(of: partner) else {
            return embedded.result
        }
        let test = RowTest(filter, of: table, in: self)
        return { value in
            if case .dictionary = value { return embedded.result(of: value) }
            return (try? Identifier(attributeValue: value)).flatMap { table.row($0) }.flatMap {
                row in
                withUnsafePointer(to: row) { $0.fulfils(test) }
            }
        }
    }
}
