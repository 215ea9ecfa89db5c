import ModelKitFields
package import ModelKitModels
package import ModelKitStores

/// The table of a type, as queries know it.
package protocol SQLTable: Sendable {
    associatedtype Column: SQLColumn

    var schema: ModelSchema { get }
    var columns: [Column] { get }
    /// The place of the identifier among the columns.
    var identity: Int { get }
    /// The name as it is written in SQL.
    var name: String { get }
}

/// The column of a field, as queries know it.
package protocol SQLColumn: AnyObject, Sendable {
    var entry: ModelSchema.Entry { get }
    /// The key and the kind of the field, which every row asks for.
    var key: FieldKey { get }
    var kind: AttributeKind { get }
    var name: String { get }
    /// The name as it is written in SQL, with the table's before it.
    var sql: String { get }
    /// The value as it compares with others of its kind, which an index has.
    var comparable: String { get }
    /// The value as rows are sorted by it: any two arrays or dictionaries are alike.
    var sortable: String { get }
    /// The value of an identifier as rows are sorted by it that are alike in all else.
    var precedence: String { get }
}

extension SQLTable {
    package var identifierColumn: Column { columns[identity] }

    /// The column of a key; nil if no field has it.
    package func column(_ key: FieldKey) -> Column? {
        columns.first { $0.key == key }
    }

    /// The last terms of an order, and the identifier.
    package func order(by order: ArraySlice<RecordQuery.Order>) -> String {
        let terms = order.compactMap { order in
            column(order.key).map { column in
                "\(column.sortable) \(order.isDescending ? "DESC" : "ASC") NULLS LAST"
            }
        }
        return (terms + [identifierColumn.precedence]).joined(separator: ", ")
    }

    /// The error of a row of which a column holds what its field cannot.
    package func corruption(_ column: Column, of row: String, _ damage: ColumnDamage) -> StoreError
    {
        .corrupt("\(schema.name).\(column.name) of \(row) \(damage.reason)")
    }

    /// Throws if two names are taken for the same.
    ///
    /// - Parameters:
    ///   - taken: The names of columns that the database gives every table.
    ///   - name: What of a name distinguishes it from others.
    /// - Throws: `.schema`.
    package func checkNames<Name: Hashable>(
        beside taken: [String] = [],
        as name: (String) -> Name
    ) throws(StoreError) {
        var seen = [name("_order"): "the store itself", name("_revision"): "the store itself"]
        for other in taken { seen[name(other)] = "the database itself" }
        for column in columns {
            if let other = seen.updateValue("\(column.key)", forKey: name(column.name)) {
                throw .schema(
                    "\(schema.name).\(column.key) needs the column \(column.name), which \(other) needs too"
                )
            }
        }
    }

    /// What is written to a row that is there already.
    package func changes(
        _ values: [FieldKey: AttributeValue],
        _ onConflict: OnConflict
    ) -> [FieldKey: AttributeValue] {
        var changes = values
        for column in columns where onConflict == .replace && changes[column.key] == nil {
            changes[column.key] = .null
        }
        changes[identifierColumn.key] = nil
        return changes
    }

    /// What rows have that were there before the column.
    package func defaultValue(of column: Column) throws -> AttributeValue {
        var traversal = Traversal()
        let field = column.entry.field(in: schema.prototype)
        let value = field.attributeValue(in: &traversal) ?? .null
        try schema.check(value, of: column.entry)
        return value
    }
}

extension SQLColumn {
    /// Whether some values are texts.
    package var holdsTexts: Bool {
        kind.withoutUUIDs == .string || kind == .any || kind.holdsNumberTexts
    }
}

extension AttributeKind {
    /// Whether the store makes identifiers of the kind.
    package var makesNumbers: Bool { [.int, .unsigned, .any].contains(self) }
}

extension FieldKey {
    /// The name of the column of a field.
    package var columnName: String { names.joined(separator: "_") }
}

/// A name between quotes, whatever it contains but for U+0000, which no SQL can have; or a text.
package func quoted(name: String, by quote: Unicode.Scalar = "\"") -> String {
    var result = String(quote)
    for scalar in name.unicodeScalars {
        if scalar == quote { result.unicodeScalars.append(scalar) }
        result.unicodeScalars.append(scalar)
    }
    result.unicodeScalars.append(quote)
    return result
}
