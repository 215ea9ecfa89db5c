import ModelKitModels
package import ModelKitStores

/// The rows of a table that a migration goes through, in the order in which they were created, in parts, as what is being
/// read must not be written.
package struct SQLMigrationRows {
    /// A row by the names of its columns.
    package typealias Row = [String: AttributeValue]

    /// The name of the type.
    package let type: String
    /// How many there are.
    package let count: () throws -> Int64
    /// The first rows whose `_order` is not below one, so many at most.
    package let part: (_ first: Int64, _ count: Int) throws -> [Row]

    package init(
        of type: String,
        count: @escaping () throws -> Int64,
        part: @escaping (_ first: Int64, _ count: Int) throws -> [Row]
    ) {
        (self.type, self.count, self.part) = (type, count, part)
    }

    /// Hands over part after part, and counts the rows.
    package func forEachPart(
        _ run: SQLMigrationRun,
        _ body: ([(order: Int64, row: Row)]) throws -> Void
    ) throws {
        try run.countRows(of: count()) { seen in
            var first = Int64.min
            while true {
                let part = try part(first, SQLMigrationRun.step).compactMap { row in
                    if case .int(let order)? = row["_order"] { (order, row) } else { nil }
                }
                try body(part)
                for _ in part { try seen() }
                guard part.count == SQLMigrationRun.step, let last = part.last?.0, last < .max
                else { return }
                first = last + 1
            }
        }
    }

    /// What a closure has changed in a row.
    ///
    /// - Throws: `.schema` for a column that the table has not, and `.unsupported` for one of the store itself.
    package func changes(
        of row: Row,
        by body: (inout Row) throws -> Void,
        isOfStore: (String) -> Bool
    ) throws -> Row {
        var new = row
        try body(&new)
        if let name = new.keys.first(where: { row[$0] == nil }) {
            throw StoreError.schema("the table \(type) has no column \(name)")
        }
        var changes: Row = [:]
        for (name, old) in row {
            let value = new[name] ?? .null
            if value != old { changes[name] = value }
        }
        if let own = changes.keys.first(where: isOfStore) {
            throw StoreError.unsupported("\(type).\(own) is the store's own")
        }
        return changes
    }

    /// Throws for a value that a field is to have and cannot.
    package static func check(
        _ value: AttributeValue,
        is kind: AttributeKind,
        _ field: String
    ) throws(StoreError) {
        guard value.isOfKind(kind) else {
            throw .schema("\(field) is to be \(kind), but a value is \(value.kind)")
        }
        if kind.holdsNumberTexts, !value.isStorable(as: kind) {
            throw .schema(
                "\(field) is to be \(kind), but a value is no such number in its shortest form"
            )
        }
        if let reason = value.obstacle() {
            throw .unsupported("\(field) \(reason), which cannot be stored")
        }
    }
}
