import ModelKitModels

// The types of columns:
//
// | kind | type | holds |
// |---|---|---|
// | bool | boolean | |
// | int | bigint | |
// | double | double precision | -0.0 as such; nothing that is not finite |
// | string | text COLLATE "C" | |
// | decimal, unsigned | numeric | nothing that is not finite |
// | uuid | uuid | the text that Foundation writes |
// | data | bytea | |
// | date | timestamp with time zone | microseconds; the years 1 to 9999 |
// | array, dictionary | json | `StoredJSON` |
// | any | text COLLATE "C" | `PostgreSQLVariant` |

extension AttributeKind {
    var postgreSQLType: PostgreSQLType {
        switch self {
        case .bool: .bool
        case .int: .int8
        case .double: .float8
        case .string, .any: .text
        case .decimal, .unsigned: .numeric
        case .uuid: .uuid
        case .data: .bytea
        case .date: .timestamptz
        case .array, .dictionary: .json
        }
    }

    var postgreSQLArray: PostgreSQLType {
        switch self {
        case .bool: .boolArray
        case .int: .int8Array
        case .double: .float8Array
        case .string, .any: .textArray
        case .decimal, .unsigned: .numericArray
        case .uuid: .uuidArray
        case .data: .byteaArray
        case .date: .timestamptzArray
        case .array, .dictionary: .jsonArray
        }
    }

    /// The name of the type as PostgreSQL says it.
    var typeName: String {
        switch self {
        case .bool: "boolean"
        case .int: "bigint"
        case .double: "double precision"
        case .string, .any: "text"
        case .decimal, .unsigned: "numeric"
        case .uuid: "uuid"
        case .data: "bytea"
        case .date: "timestamp with time zone"
        case .array, .dictionary: "json"
        }
    }

    /// The same with what a column of the type says of its order.
    var declaredType: String { isCollated ? "\(typeName) COLLATE \"C\"" : typeName }

    /// Whether the order of the values is one of texts, which is that of their bytes.
    var isCollated: Bool { postgreSQLType == .text }
}

/// Why PostgreSQL cannot keep a value.
struct ValueRefusal: Error {
    let reason: String

    static let zero = ValueRefusal(reason: "contains U+0000, which PostgreSQL does not store")
    static let noUUID = ValueRefusal(reason: "is no UUID with its letters in capitals")
    static let otherKind = ValueRefusal(reason: "is of another kind than its field")
}

/// The dates of the years 1 to 9999, in microseconds since 1970.
let storedDates: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

/// 2000-01-01 UTC, from which PostgreSQL counts, in microseconds since 1970.
let firstOfPostgreSQL: Int64 = 946_684_800_000_000
