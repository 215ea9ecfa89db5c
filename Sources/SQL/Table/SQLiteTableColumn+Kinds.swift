import ModelKitStores

extension SQLiteTableColumn {
    /// The kind of a field that keeps such a value in such a column; nil if there is none.
    func kind(for value: AttributeValue) -> AttributeKind? {
        switch (type.uppercased(), value) {
        case ("", _), (_, .null): .any
        case ("INTEGER", .int): .int
        case ("INTEGER", .bool): .bool
        case ("INTEGER", .date): .date
        case ("REAL", .int), ("REAL", .double): .double
        case ("TEXT", .string), ("TEXT", .array), ("TEXT", .dictionary): .string
        case ("BLOB", .data): .data
        default: nil
        }
    }

    /// Binds a value as a field keeps it in such a column of a type's table.
    func bind(
        _ value: AttributeValue,
        of type: String,
        to statement: SQLiteStatement,
        at index: Int
    ) throws {
        guard let kind = kind(for: value) else {
            throw StoreError.schema(
                "the column \(type).\(name) has the type \(self.type), but a value is \(value.kind)"
            )
        }
        try statement.bind(value, as: kind, at: index)
    }

    /// The type of a column for such values: the first one that can hold them; none for null.
    static func declaredType(for value: AttributeValue) -> String {
        if value.isNull { return "" }
        return ["INTEGER", "REAL", "TEXT", "BLOB"].first {
            SQLiteTableColumn(name: "", type: $0).kind(for: value) != nil
        } ?? ""
    }
}
