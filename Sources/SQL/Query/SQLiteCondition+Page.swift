import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension SQLiteCondition {
    /// A condition that holds for the rows that come after a place in the order of the answer.
    ///
    /// - Parameters:
    ///   - cursor: The place.
    ///   - order: The order, or the last terms of it, if all others are the same.
    /// - Returns: The condition.
    mutating func follow(
        _ cursor: PageCursor,
        _ order: ArraySlice<RecordQuery.Order>
    ) -> String {
        var same: [String] = []
        var terms: [String] = []
        for (order, value) in zip(order, cursor.values.suffix(order.count)) {
            guard let column = table.column(order.key) else { continue }
            guard let operand = column.sortOperand(value) else {
                // Null comes last, so that only null follows.
                same.append("\(column.sql) IS NULL")
                continue
            }
            let parameter = bindAlways(operand)
            let comparison = order.isDescending ? "<" : ">"
            let isBehind =
                "(\(column.sortable) \(comparison) \(parameter) OR \(column.sql) IS NULL)"
            terms.append((same + [isBehind]).joined(separator: " AND "))
            same.append("\(column.sortable) = \(parameter)")
        }
        let identifier = bindAlways(cursor.identifier.attributeValue)
        terms.append(
            (same + ["\(table.identifierColumn.sql) > \(identifier)"]).joined(separator: " AND ")
        )
        return terms.joined(separator: " OR ")
    }
}

extension SQLiteColumn {
    /// What a value is compared with where rows are sorted by `sortable`; nil for null.
    func sortOperand(_ value: AttributeValue) -> AttributeValue? {
        switch (kind, value) {
        case (_, .null): return nil
        case (.decimal, _), (.unsigned, _): return value.numberSortKey.map { .string($0) }
        case (.array, _), (.dictionary, _): return .int(0)
        case (.any, .array), (.any, .dictionary): return .data(Data([Tag.json.rawValue]))
        default: return SQLiteOperand(value, for: self)?.parameter ?? value
        }
    }
}
