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
        comparable = Self.comparable(sql, kind)
    }

    /// The first byte of a blob in a column of any kind: blobs of one tag are in the order of their
    /// values.
    enum Tag: UInt8 {
        case bool = 1
        case date, data, json
    }

    var declaredType: String { Self.declaredType(of: kind) }

    static func declaredType(of kind: AttributeKind) -> String {
        switch kind {
        case .bool, .int, .date: "INTEGER"
        case .double: "REAL"
        case .string, .decimal, .array, .dictionary: "TEXT"
        case .data: "BLOB"
        case .unsigned, .any: ""
        }
    }

    /// Whether it can hold an identifier.
    func canHold(_ identifier: Identifier) -> Bool {
        switch (identifier, kind) {
        case (.int, .int), (.string, .string), (.string, .decimal), (_, .unsigned), (_, .any): true
        default: false
        }
    }

    /// Binds a value of the column's kind.
    func bind(_ value: AttributeValue, to statement: SQLiteStatement, at index: Int) throws {
        try Self.bind(value, as: kind, to: statement, at: index)
    }

    static func bind(
        _ value: AttributeValue,
        as kind: AttributeKind,
        to statement: SQLiteStatement,
        at index: Int
    ) throws {
        switch value {
        case .null: try statement.bindNull(at: index)
        case .int(let number): try statement.bind(number, at: index)
        case .string(let text): try statement.bind(text, at: index)
        case .double(let number):
            if kind == .double, number == 0, number.sign == .minus {
                try statement.bind(negativeZero, at: index)
            } else {
                try statement.bind(number, at: index)
            }
        case .bool, .date, .data, .array, .dictionary:
            if kind == .any {
                try statement.bind(try tagged(value), at: index)
            } else {
                try bindPlain(value, to: statement, at: index)
            }
        }
    }

    private static func bindPlain(
        _ value: AttributeValue,
        to statement: SQLiteStatement,
        at index: Int
    ) throws {
        switch value {
        case .array, .dictionary:
            try statement.bind(try StoredJSON.text(of: value), at: index)
        default: try statement.bind(value, at: index)
        }
    }

    private static let negativeZero = Data([0x80, 0, 0, 0, 0, 0, 0, 0])

    /// A value as a column of any kind holds it, if not as it is.
    ///
    /// Throws only for a number that is not finite inside of an array or a dictionary.
    static func tagged(_ value: AttributeValue) throws -> Data {
        switch value {
        case .bool(let flag): return Data([Tag.bool.rawValue, flag ? 1 : 0])
        case .data(let data): return [Tag.data.rawValue] + data
        case .date(let date):
            // With the sign turned over, the bytes are in the order of the numbers.
            let number = UInt64(bitPattern: Timestamp.microseconds(of: date)) ^ (1 << 63)
            return Data([Tag.date.rawValue])
                + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        default: return [Tag.json.rawValue] + Data(try StoredJSON.text(of: value).utf8)
        }
    }
}

extension FieldKey {
    /// The name of the column of a field.
    var columnName: String { names.joined(separator: "_") }
}
