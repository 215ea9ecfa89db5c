import ModelKitFields

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredJSON {
    /// Where a text is not what `text(of:)` writes, nor other JSON.
    struct Failure: Error {
        let reason: String
        /// Counted in bytes from 0.
        let offset: Int
    }

    /// The value of a text; any JSON is taken, also what another program has written.
    static func value(of text: String) throws(Failure) -> AttributeValue {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(Failure) in
                var reader = Reader(bytes: bytes)
                let value = try reader.value(depth: deepest)
                reader.skipBlanks()
                if reader.offset < bytes.count { throw reader.failure("is followed by more") }
                return value
            }
        }
        return try result.get()
    }

    /// Deeper than what is stored, as the tags need levels of their own.
    private static let deepest = 1000

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var offset = 0

        func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: offset) }

        private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        mutating func skipBlanks() {
            while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                offset += 1
            }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard byte == UInt8(ascii: character) else { return false }
            offset += 1
            return true
        }

        private mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
            if !take(character) { throw failure("lacks \(character)") }
        }

        mutating func value(depth: Int) throws(Failure) -> AttributeValue {
            if depth == 0 { throw failure("is nested too deep") }
            skipBlanks()
            switch byte {
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "["): return try array(depth: depth)
            case UInt8(ascii: "{"): return try dictionary(depth: depth)
            case UInt8(ascii: "t"): return try word("true", .bool(true))
            case UInt8(ascii: "f"): return try word("false", .bool(false))
            case UInt8(ascii: "n"): return try word("null", .null)
            default: return try number()
            }
        }

        private mutating func word(
            _ word: StaticString,
            _ value: AttributeValue
        ) throws(Failure) -> AttributeValue {
            for index in 0..<word.utf8CodeUnitCount {
                if byte != word.utf8Start[index] { throw failure("is not JSON") }
                offset += 1
            }
            return value
        }

        private mutating func array(depth: Int) throws(Failure) -> AttributeValue {
            var values: [AttributeValue] = []
            try expect("[")
            if take("]") { return .array([]) }
            repeat { values.append(try value(depth: depth - 1)) } while take(",")
            try expect("]")
            return .array(values)
        }

        /// - Parameter isPlain: Whether a key that starts with `$` is only a key.
        private mutating func dictionary(
            depth: Int,
            isPlain: Bool = false
        ) throws(Failure) -> AttributeValue {
            if depth == 0 { throw failure("is nested too deep") }
            var values: AttributeDictionary = [:]
            let start = offset
            try expect("{")
            if take("}") { return .dictionary([:]) }
            repeat {
                skipBlanks()
                let key = try string()
                try expect(":")
                skipBlanks()
                values[key] =
                    !isPlain && key == "$dictionary" && byte == UInt8(ascii: "{")
                    ? try dictionary(depth: depth - 1, isPlain: true)
                    : try value(depth: depth - 1)
            } while take(",")
            try expect("}")
            guard !isPlain, values.count == 1, let (key, value) = values.first,
                key.utf8.first == 0x24
            else { return .dictionary(values) }
            switch (key, value) {
            case ("$date", .int(let number)): return .date(Timestamp.date(microseconds: number))
            case ("$string", .string): return value
            case ("$dictionary", .dictionary): return value
            case ("$data", .string(let text)):
                if let data = Data(base64Encoded: text) { return .data(data) }
                offset = start
                throw failure("has data that is not Base64")
            default: return .dictionary(values)
            }
        }

        private mutating func string() throws(Failure) -> String {
            guard byte == UInt8(ascii: "\"") else { throw failure("lacks a text") }
            offset += 1
            let start = offset
            while let byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
            if byte == UInt8(ascii: "\"") {
                defer { offset += 1 }
                return String(decoding: bytes[start..<offset], as: UTF8.self)
            }
            var text = Array(bytes[start..<offset])
            while let byte {
                offset += 1
                if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") {
                    try escape(into: &text)
                } else {
                    text.append(byte)
                }
            }
            throw failure("ends inside of a text")
        }

        private mutating func escape(into text: inout [UInt8]) throws(Failure) {
            guard let byte else { throw failure("ends inside of a text") }
            offset += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "u"):
                var units = [try unit()]
                if 0xD800..<0xDC00 ~= units[0], byte == UInt8(ascii: "u"), self.byte == 0x5C {
                    offset += 2
                    units.append(try unit())
                }
                text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
            default: throw failure("has an unknown escape")
            }
        }

        private mutating func unit() throws(Failure) -> UInt16 {
            var unit: UInt16 = 0
            for _ in 0..<4 {
                guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                    throw failure("has an escape without four digits")
                }
                unit = unit << 4 | UInt16(digit)
                offset += 1
            }
            return unit
        }

        private mutating func number() throws(Failure) -> AttributeValue {
            let start = offset
            var isWhole = true
            while let byte {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
                case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"):
                    isWhole = false
                default:
                    return try number(bytes[start..<offset], isWhole)
                }
                offset += 1
            }
            return try number(bytes[start..<offset], isWhole)
        }

        private func number(
            _ digits: Slice<UnsafeBufferPointer<UInt8>>,
            _ isWhole: Bool
        ) throws(Failure) -> AttributeValue {
            let text = String(decoding: digits, as: UTF8.self)
            if isWhole, let number = Int64(text) { return .int(number) }
            guard let number = Double(text), number.isFinite else { throw failure("is not JSON") }
            return .double(number)
        }
    }
}
