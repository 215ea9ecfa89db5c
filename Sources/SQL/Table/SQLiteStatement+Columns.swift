import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension SQLiteStatement {
    /// In place of -0.0, which SQLite would store as 0: its bytes.
    private static let minusZero = Data([0x80, 0, 0, 0, 0, 0, 0, 0])

    /// Binds a value as a column of a kind holds it.
    func bind(_ value: AttributeValue, as kind: AttributeKind, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .int(let number): try bind(number, at: index)
        case .string(let text): try bind(text, at: index)
        case .double(let number) where kind == .double && number == 0 && number.sign == .minus:
            try bind(Self.minusZero, at: index)
        case .double(let number): try bind(number, at: index)
        case _ where kind == .any: try bind(SQLiteColumn.tagged(value), at: index)
        case .array, .dictionary: try bind(StoredJSON.text(of: value), at: index)
        case .bool, .data, .date: try bind(value, at: index)
        }
    }

    /// The value that a column of a kind has in a row; `.null` for NULL.
    func value(at index: Int, as kind: AttributeKind) throws -> AttributeValue {
        let type = self.type(at: index)
        switch (kind, type) {
        case (_, .null): return .null
        case (.string, .text), (.any, .text): return .string(try string(at: index))
        case (.int, .integer), (.any, .integer): return .int(int64(at: index))
        case (.double, .double), (.any, .double): return .double(double(at: index))
        case (.double, .integer): return .double(Double(int64(at: index)))
        case (.double, .blob) where try data(at: index) == Self.minusZero: return .double(-0.0)
        case (.date, .integer):
            return .date(Timestamp.date(microseconds: int64(at: index)))
        case (.data, .blob): return .data(try data(at: index))
        case (.array, .text):
            if let array = try withText(at: index, StoredJSON.plainArray) { return array }
            return try AttributeValue(storedJSON: string(at: index), as: kind)
        case (.dictionary, .text):
            return try AttributeValue(storedJSON: string(at: index), as: kind)
        case (.decimal, .text), (.unsigned, .text):
            let text = try string(at: index)
            if kind == .decimal ? NumberText.isNumber(text) : NumberText.isWide(text) {
                return .string(text)
            }
            throw ColumnDamage(noNumber: text)
        case (.unsigned, .integer):
            let number = int64(at: index)
            if number < 0 { throw ColumnDamage(reason: "is \(number), which is negative") }
            return .int(number)
        case (.bool, .integer):
            switch int64(at: index) {
            case 0: return .bool(false)
            case 1: return .bool(true)
            case let number: throw ColumnDamage(reason: "is \(number), not 0 or 1")
            }
        case (.any, .blob): return try SQLiteColumn.untagged(data(at: index))
        default:
            throw ColumnDamage(reason: "holds a value of the type \(type), which it cannot")
        }
    }
}

extension SQLiteColumn {
    /// The first byte of a blob in a column of any kind: blobs of one tag are in the order of their
    /// values.
    enum Tag: UInt8 {
        case bool = 1
        case date, data, json
    }

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

    fileprivate static func untagged(_ blob: Data) throws -> AttributeValue {
        let content = Data(blob.dropFirst())
        switch blob.first.flatMap(Tag.init(rawValue:)) {
        case .bool? where content.count == 1: return .bool(content.first == 1)
        case .data?: return .data(content)
        case .date? where content.count == 8:
            let number = content.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } ^ (1 << 63)
            return .date(Timestamp.date(microseconds: Int64(bitPattern: number)))
        case .json?:
            return try AttributeValue(
                storedJSON: String(decoding: content, as: UTF8.self),
                as: .any
            )
        default: throw ColumnDamage(reason: "holds a blob that was not written by this store")
        }
    }
}
