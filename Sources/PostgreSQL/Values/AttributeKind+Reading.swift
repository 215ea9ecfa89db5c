import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

extension AttributeKind {
    /// The value that a column of the kind has in a row, in the binary format.
    func value(
        _ result: PostgreSQLResult,
        _ row: Int,
        _ column: Int
    ) throws(ColumnDamage) -> AttributeValue {
        try result.read(row, column) { bytes throws(ColumnDamage) in
            if bytes.isEmpty, result.isNull(row, column) { return .null }
            return try value(of: bytes)
        }
    }

    /// The value of an element of an array.
    func value(of bytes: PostgreSQLBytes) throws(ColumnDamage) -> AttributeValue {
        try bytes.read { bytes throws(ColumnDamage) in try value(of: bytes) }
    }

    private func value(of bytes: UnsafeRawBufferPointer) throws(ColumnDamage) -> AttributeValue {
        switch self {
        case .bool:
            guard bytes.count == 1 else { break }
            return .bool(bytes[0] != 0)
        case .int:
            guard bytes.count == 8 else { break }
            return .int(bytes.int64)
        case .double:
            guard bytes.count == 8 else { break }
            let number = Double(bitPattern: UInt64(bitPattern: bytes.int64))
            if number.isFinite { return .double(number) }
            throw ColumnDamage(reason: "is \(number), which is not finite")
        case .string: return .string(try bytes.text)
        case .data: return .data(Data(bytes))
        case .date:
            guard bytes.count == 8 else { break }
            let (number, isBeyond) = bytes.int64.addingReportingOverflow(firstOfPostgreSQL)
            if !isBeyond, storedDates.contains(number) {
                return .date(Timestamp.date(microseconds: number))
            }
            throw ColumnDamage(reason: "is a date outside of the years 1 to 9999")
        case .decimal, .unsigned:
            guard let text = PostgreSQLNumeric.text(of: bytes) else {
                throw ColumnDamage(reason: "is not finite")
            }
            if self == .unsigned, let number = Int64(text), number >= 0 { return .int(number) }
            guard self == .decimal ? NumberText.isNumber(text) : NumberText.isWide(text) else {
                throw ColumnDamage(reason: "is \(text.prefix(100)), which its field cannot have")
            }
            return .string(text)
        case .uuid:
            guard bytes.count == 16 else { break }
            return .string(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString)
        case .array:
            if let array = StoredJSON.plainArray(of: bytes.bindMemory(to: UInt8.self)) {
                return array
            }
            return try AttributeValue(storedJSON: try bytes.text, as: self)
        case .dictionary: return try AttributeValue(storedJSON: try bytes.text, as: self)
        case .any: return try PostgreSQLVariant.value(of: try bytes.text)
        }
        throw ColumnDamage(reason: "has \(bytes.count) bytes, which a \(typeName) has not")
    }
}
