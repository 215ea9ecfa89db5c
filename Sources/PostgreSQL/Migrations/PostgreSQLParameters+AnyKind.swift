import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension PostgreSQLParameters {
    /// The kind as which a value is sent that belongs to no field; nil of null.
    private static func kind(of value: AttributeValue) -> AttributeKind? {
        switch value {
        case .null: nil
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .array: .array
        case .dictionary: .dictionary
        }
    }

    /// Adds a value that belongs to no field.
    mutating func append(anyKind value: AttributeValue) throws(ValueRefusal) {
        // Null of the type that the server finds.
        guard let kind = Self.kind(of: value) else { return appendNull(.unknown) }
        var bytes: [UInt8] = []
        try kind.write(value, to: &bytes)
        append(kind.postgreSQLType) { $0 += bytes }
    }

    /// Adds values of a column, for `unnest`.
    mutating func append(
        _ values: [AttributeValue],
        of kind: AttributeKind,
        _ field: String
    ) throws(StoreError) {
        do {
            try append(kind.postgreSQLArray) { bytes in
                try bytes.append(arrayOf: kind.postgreSQLType, count: values.count) {
                    index,
                    bytes in
                    let value = values[index]
                    if value.isNull { return false }
                    try (kind.isJSON(value) ? .dictionary : kind).write(value, to: &bytes)
                    return true
                }
            }
        } catch let error as ValueRefusal {
            throw .unsupported("\(field) \(error.reason)")
        } catch {
            throw StoreError(error)
        }
    }

    init(texts: String...) {
        self.init()
        for text in texts { append(text) }
    }
}

extension AttributeKind {
    /// Whether it is one of arrays, and the value a dictionary, which is kept in a column of the same type.
    func isJSON(_ value: AttributeValue) -> Bool {
        if case .dictionary = value { self == .array } else { false }
    }
}

extension PostgreSQLResult {
    func number(_ row: Int, _ column: Int) -> Int64 { bytes(row, column).int64 }

    /// A value by the type of its column.
    func value(_ row: Int, _ column: Int) throws(ColumnDamage) -> AttributeValue {
        if isNull(row, column) { return .null }
        let bytes = bytes(row, column)
        switch type(ofColumn: column) {
        case .bool: return try AttributeKind.bool.value(of: bytes)
        case .int8: return try AttributeKind.int.value(of: bytes)
        case .int4: return .int(Int64(integer(row, column) as Int32? ?? 0))
        case .int2: return .int(Int64(integer(row, column) as Int16? ?? 0))
        case .float8: return try AttributeKind.double.value(of: bytes)
        case .numeric: return .string(bytes.read(PostgreSQLNumeric.text) ?? "NaN")
        case .text, .varchar, .name: return .string(try bytes.text)
        case .bytea: return .data(bytes.read { Data($0) })
        case .timestamptz: return try AttributeKind.date.value(of: bytes)
        case .json: return try AttributeValue(storedJSON: try bytes.text, as: .any)
        case .uuid: return try AttributeKind.uuid.value(of: bytes)
        default:
            throw ColumnDamage(reason: "has a type that is not read: it is to be cast")
        }
    }
}
