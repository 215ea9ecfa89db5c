import ModelKitEssentials
import ModelKitModels
import ModelKitSQL
import ModelKitStores

/// A value of any kind as a text: a letter for its kind, and what is in the order of the values.
///
/// Numbers have a key of 20 digits, which is the same for an integer and for a double that equals it, and then
/// what they are: `n8800…0 1.0`. Texts are as such, dates as RFC 3339 writes them, data are of hexadecimal digits, and
/// the rest is `StoredJSON`. The letters are in the order in which values of different kinds are sorted.
enum PostgreSQLVariant {
    enum Tag: String {
        case number = "n"
        case string = "s"
        case bool = "t"
        case date = "u"
        case data = "x"
        case json = "z"
    }

    /// How long the letter and the key of a number are.
    static let keyLength = 21

    static func text(of value: AttributeValue) throws(ValueRefusal) -> String {
        switch value {
        case .int(let number): return "\(key(of: number)) \(number)"
        case .double(let number) where number.isFinite: return "\(key(of: number)) \(number)"
        case .double(let number): throw ValueRefusal(reason: "is \(number)")
        case .null, .array, .dictionary:
            return Tag.json.rawValue + (try AttributeKind.json(value))
        case .date(let date): _ = try AttributeKind.microseconds(of: date)
        case .string, .bool, .data: break
        }
        return operand(value) ?? ""
    }

    /// What a value is compared with, beside the key of a number; nil if it does not compare.
    ///
    /// That of a number or a date that cannot be stored is in the same order.
    static func operand(_ value: AttributeValue) -> String? {
        switch value {
        case .int(let number): return key(of: number)
        case .double(let number): return number.isNaN ? nil : key(of: number)
        case .string(let text): return Tag.string.rawValue + text
        case .bool(let flag): return Tag.bool.rawValue + "\(flag)"
        case .date(let date): return Tag.date.rawValue + Self.date(date)
        case .data(let data): return Tag.data.rawValue + data.map(hex).joined()
        case .null, .array, .dictionary: return nil
        }
    }

    /// The value of a text.
    static func value(of text: String) throws(ColumnDamage) -> AttributeValue {
        // Not by characters: what follows may combine with the letter.
        let content = String(Substring(text.utf8.dropFirst()))
        switch text.unicodeScalars.first.flatMap({ Tag(rawValue: String($0)) }) {
        case .number?:
            let digits = String(decoding: text.utf8.dropFirst(keyLength + 1), as: UTF8.self)
            let number =
                Int64(digits).map { AttributeValue.int($0) } ?? Double(digits).map { .double($0) }
            if let number, (try? Self.text(of: number)) == text { return number }
        case .string?:
            return .string(content)
        case .bool?:
            if let flag = Bool(content) { return .bool(flag) }
        case .date?:
            if let date = Timestamp.date(from: content), Self.date(date) == content {
                return .date(date)
            }
        case .data?:
            let bytes = Array(content.utf8)
            let data = stride(from: 0, to: bytes.count - 1, by: 2).compactMap { index in
                UInt8(String(decoding: bytes[index..<index + 2], as: UTF8.self), radix: 16)
            }
            if data.map(hex).joined() == content { return .data(Data(data)) }
        case .json?: return try AttributeValue(storedJSON: content, as: .any)
        case nil: break
        }
        throw ColumnDamage(reason: "holds a text that was not written by this store")
    }

    // MARK: Keys

    private static func key(of number: Int64) -> String {
        let zeros = number.magnitude.leadingZeroBitCount
        if number == 0 { return key(exponent: nil, 0, isNegative: false) }
        return key(exponent: 63 - zeros, number.magnitude << UInt64(zeros), isNegative: number < 0)
    }

    private static func key(of number: Double) -> String {
        if number.isInfinite { return Tag.number.rawValue + (number < 0 ? "" : "~") }
        if number == 0 { return key(exponent: nil, 0, isNegative: false) }
        // The first bit is not in the pattern.
        let significand = number.magnitude.significand.significandBitPattern << 11 | 1 << 63
        return key(exponent: Int(number.exponent), significand, isNegative: number < 0)
    }

    /// Of a number that is a significand with the first of 64 bits set and a power of two, the place of that bit.
    private static func key(exponent: Int?, _ significand: UInt64, isNegative: Bool) -> String {
        let high = 0x8000 | (exponent.map { UInt16($0 + 2048) } ?? 0)
        return Tag.number.rawValue
            + padded(String(isNegative ? ~high : high, radix: 16), 4)
            + padded(String(isNegative ? ~significand : significand, radix: 16), 16)
    }

    private static func padded(_ digits: String, _ count: Int) -> String {
        String(repeating: "0", count: count - digits.utf8.count) + digits
    }

    private static func hex(_ byte: UInt8) -> String { padded(String(byte, radix: 16), 2) }

    /// All of one length; what cannot be stored comes before or after all others.
    private static func date(_ date: Date) -> String {
        let microseconds = Timestamp.microseconds(of: date)
        if microseconds < storedDates.lowerBound { return "" }
        guard microseconds <= storedDates.upperBound, let text = Timestamp.text(of: date) else {
            return "~"
        }
        return text.utf8.count > 20 ? text : text.dropLast() + ".000000Z"
    }
}
