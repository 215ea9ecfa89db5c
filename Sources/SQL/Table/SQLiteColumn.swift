import ModelKitModels
import ModelKitEssentials

/// The column of a field, and how values go into it and come back.
///
/// | field | column | holds |
/// |---|---|---|
/// | bool | INTEGER | 0 or 1 |
/// | int | INTEGER | |
/// | double | REAL | and -0.0, which SQLite would make 0.0 of, as its eight bytes |
/// | string, uuid | TEXT | |
/// | decimal | TEXT | the shortest text of the number |
/// | unsigned | no type | an integer, or beyond `Int64.max` the text of its digits |
/// | data | BLOB | |
/// | date | INTEGER | microseconds since 1970 in UTC |
/// | array, dictionary | TEXT | `StoredJSON` |
/// | any | no type | numbers and texts as such, the rest as a blob that starts with a `Tag` |
final class SQLiteColumn: SQLColumn {
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
        kind = entry.kind.withoutUUIDs
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

    var sortable: String {
        switch kind {
        case .array, .dictionary: "iif(\(sql) IS NULL, NULL, 0)"
        case .any: "iif(\(isTagged(.json, sql)), x'04', \(sql))"
        default: comparable
        }
    }

    var precedence: String { sql }

    func isTagged(_ tag: Tag, _ name: String) -> String {
        "(typeof(\(name)) = 'blob' AND substr(\(name), 1, 1) = x'0\(tag.rawValue)')"
    }
}

extension AttributeKind {
    /// The type of a column for such values.
    var declaredType: String {
        switch self {
        case .bool, .int, .date: "INTEGER"
        case .double: "REAL"
        case .string, .decimal, .uuid, .array, .dictionary: "TEXT"
        case .data: "BLOB"
        case .unsigned, .any: ""
        }
    }

    /// The value of a column by that name as it compares with others of the kind: -0.0, which is stored as a blob, is zero, and numbers that are stored as texts have
    /// the keys that `NumberText.key` makes; what is no number comes after them.
    func comparable(_ name: String) -> String {
        switch self {
        case .double: return "iif(typeof(\(name)) = 'blob', 0.0, \(name))"
        case .unsigned:
            return """
                iif(\(name) GLOB '*[^0-9]*' OR \(name) GLOB '0?*' OR \(name) = '', \
                char(9999)||\(name), char(1001+length(\(name)))||\(name))
                """
        case .decimal:
            let digits = "0123456789".reversed().enumerated()
            let complement = digits.reduce("substr(\(name),2)") { sql, digit in
                "replace(\(sql),'\(digit.element)','\(Array("abcdefghij")[digit.offset])')"
            }
            let count = "instr(\(name)||'.','.')"
            return """
                CASE WHEN \(name) GLOB '[0-9]*' AND \(name) NOT GLOB '*[^0-9.]*' \
                THEN char(1000+\(count))||\(name) \
                WHEN \(name) GLOB '-[0-9]*' AND \(name) NOT GLOB '-*[^0-9.]*' \
                THEN '-'||char(1000-\(count))||\(complement)||'~' ELSE char(9999)||\(name) END
                """
        default: return name
        }
    }
}
