import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

/// The column of a field, and how values go into it and come back.
///
/// | field | column | holds |
/// |---|---|---|
/// | bool | INTEGER | 0 or 1 |
/// | int | INTEGER | |
/// | double | REAL | and -0.0, which SQLite would make 0.0 of, as its eight bytes |
/// | string | TEXT | |
/// | decimal | TEXT | the shortest text of the number |
/// | unsigned | no type | an integer, or beyond `Int64.max` the text of its digits |
/// | data | BLOB | |
/// | date | INTEGER | microseconds since 1970 in UTC |
/// | array, dictionary | TEXT | `StoredJSON` |
/// | any | no type | numbers and texts as such, the rest as a blob that starts with a `Tag` |
final class SQLiteColumn: Sendable {
    let entry: ModelSchema.Entry
    let key: FieldKey
    let kind: AttributeKind
    let name: String
    /// The name as it is written in SQL, and with the table's before it.
    let quotedName: String
    let sql: String
    /// The value as it compares with others of its kind.
    let comparable: String

    init(_ entry: ModelSchema.Entry, table: String) throws {
        self.entry = entry
        key = entry.key
        kind = entry.kind
        name = entry.key.columnName
        quotedName = try quoted(identifier: name)
        sql = "\(table).\(quotedName)"
        comparable = kind.comparable(sql)
    }

    /// Whether it can hold an identifier.
    func canHold(_ identifier: Identifier) -> Bool {
        switch (identifier, kind) {
        case (.int, .int), (.string, .string), (.string, .decimal), (_, .unsigned), (_, .any): true
        default: false
        }
    }
}

extension AttributeKind {
    /// The type of a column for such values.
    var declaredType: String {
        switch self {
        case .bool, .int, .date: "INTEGER"
        case .double: "REAL"
        case .string, .decimal, .array, .dictionary: "TEXT"
        case .data: "BLOB"
        case .unsigned, .any: ""
        }
    }

    /// Whether the store makes identifiers of the kind.
    var makesNumbers: Bool { [.int, .unsigned, .any].contains(self) }
}

extension FieldKey {
    /// The name of the column of a field.
    var columnName: String { names.joined(separator: "_") }
}
