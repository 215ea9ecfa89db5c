package import ModelKitModels
import ModelKitEssentials

/// The JSON text that a store keeps of a value, from which exactly the same value can be read.
///
/// What JSON has is written as such, integers without and doubles with a point or an exponent. The
/// rest are objects of one key: `{"$date": 1795253400000000}` (microseconds since 1970 in UTC),
/// `{"$data": "AAEC"}` (Base64), `{"$string": "a\u0000b"}` for a text with U+0000, at which SQLite's
/// JSON functions stop reading, and `{"$dictionary": {…}}` around one with a key that starts with `$`.
package enum StoredJSON {
    package static func text(of value: AttributeValue) throws(ImportError) -> String {
        String(decoding: try tagged(value).jsonData(), as: UTF8.self)
    }

    /// The value as JSON says it.
    package static func tagged(_ value: AttributeValue) -> AttributeValue {
        value.isPlain ? value : value.tagged
    }

    /// The value that such JSON stands for.
    package static func untagged(_ value: AttributeValue) -> AttributeValue { value.untagged }

    /// The value of a text; any JSON is taken, also what another program has written.
    package static func value(of text: String) throws(ImportError) -> AttributeValue {
        if let array = plainArray(of: text) { return array }
        let value = try AttributeValue(json: Data(text.utf8))
        return text.utf8.contains(UInt8(ascii: "$")) ? value.untagged : value
    }
}

extension AttributeValue {
    /// Whether JSON says it exactly.
    fileprivate var isPlain: Bool {
        switch self {
        case .null, .bool, .int, .double: true
        case .string(let text): !text.utf8.contains(0)
        case .data, .date: false
        case .array(let values): values.allSatisfy(\.isPlain)
        case .dictionary(let values):
            values.allSatisfy { !$0.key.startsWithDollar && $0.value.isPlain }
        }
    }

    fileprivate var tagged: AttributeValue {
        switch self {
        case .null, .bool, .int, .double: self
        case .string(let text): text.utf8.contains(0) ? ["$string": self] : self
        case .data, .date: tag.map { [$0.key: $0.value] } ?? self
        case .array(let values): .array(values.map(\.tagged))
        case .dictionary(let values):
            values.keys.contains(where: \.startsWithDollar)
                ? ["$dictionary": .dictionary(values.mapValues(\.tagged))]
                : .dictionary(values.mapValues(\.tagged))
        }
    }

    fileprivate var untagged: AttributeValue {
        switch self {
        case .array(let values): return .array(values.map(\.untagged))
        case .dictionary(let values):
            if values.count == 1 {
                switch values.first {
                case ("$string", .string(let text))?: return .string(text)
                case ("$date", .int(let number))?:
                    return .date(Timestamp.date(microseconds: number))
                case ("$data", .string(let text))?:
                    if let data = Data(base64Encoded: text) { return .data(data) }
                case ("$dictionary", .dictionary(let values))?:
                    return .dictionary(values.mapValues(\.untagged))
                default: break
                }
            }
            return .dictionary(values.mapValues(\.untagged))
        default: return self
        }
    }
}

extension String {
    fileprivate var startsWithDollar: Bool { utf8.first == UInt8(ascii: "$") }
}
