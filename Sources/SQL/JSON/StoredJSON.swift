import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON text that a column holds of an array or a dictionary, from which exactly the same value
/// can be read.
///
/// What JSON has is written as such, integers without and doubles with a point or an exponent. The
/// rest are objects of one key: `{"$date": 1795253400000000}` (microseconds since 1970 in UTC),
/// `{"$data": "AAEC"}` (Base64), `{"$string": "a\u0000b"}` for a text with U+0000, at which SQLite's
/// JSON functions stop reading, and `{"$dictionary": {…}}` around one with a key that starts with `$`.
enum StoredJSON {
    static func text(of value: AttributeValue) -> String {
        var writer = Writer()
        writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func write(_ value: AttributeValue) {
            switch value {
            case .null: write("null" as StaticString)
            case .bool(true): write("true" as StaticString)
            case .bool(false): write("false" as StaticString)
            case .int(let number): bytes.append(contentsOf: String(number).utf8)
            case .double(let number): bytes.append(contentsOf: number.description.utf8)
            case .string(let text):
                if text.utf8.contains(0) {
                    write(tag: "$string") { $0.write(quoted: text) }
                } else {
                    write(quoted: text)
                }
            case .data(let data):
                write(tag: "$data") { $0.write(quoted: data.base64EncodedString()) }
            case .date(let date):
                write(tag: "$date") { $0.write(.int(Timestamp.microseconds(of: date))) }
            case .array(let values):
                bytes.append(UInt8(ascii: "["))
                for (index, value) in values.enumerated() {
                    if index > 0 { bytes.append(UInt8(ascii: ",")) }
                    write(value)
                }
                bytes.append(UInt8(ascii: "]"))
            case .dictionary(let values):
                if values.keys.contains(where: { $0.utf8.first == UInt8(ascii: "$") }) {
                    write(tag: "$dictionary") { $0.write(values) }
                } else {
                    write(values)
                }
            }
        }

        /// With sorted keys, so that equal values have equal texts.
        private mutating func write(_ values: AttributeDictionary) {
            bytes.append(UInt8(ascii: "{"))
            for (index, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(quoted: key)
                bytes.append(UInt8(ascii: ":"))
                write(value)
            }
            bytes.append(UInt8(ascii: "}"))
        }

        private mutating func write(tag: String, _ body: (inout Writer) -> Void) {
            bytes.append(UInt8(ascii: "{"))
            write(quoted: tag)
            bytes.append(UInt8(ascii: ":"))
            body(&self)
            bytes.append(UInt8(ascii: "}"))
        }

        private mutating func write(_ text: StaticString) {
            text.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        private mutating func write(quoted text: String) {
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(byte)
                case 0..<0x20:
                    write("\\u00" as StaticString)
                    bytes.append(UInt8(ascii: byte < 0x10 ? "0" : "1"))
                    let digit = byte & 0xF
                    bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }
}
