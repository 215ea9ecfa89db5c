import ModelKitEssentials
import ModelKitModels
import ModelKitStores

extension AttributeKind {
    /// Appends a value as a column of the kind holds it, in the binary format.
    func write(_ value: AttributeValue, to bytes: inout [UInt8]) throws(ValueRefusal) {
        switch (self, value) {
        case (.bool, .bool(let flag)): bytes.append(flag ? 1 : 0)
        case (.int, .int(let number)): bytes.append(bigEndian: number)
        case (.double, .double(let number)): bytes.append(bigEndian: number.bitPattern)
        case (.string, .string(let text)): try bytes.append(text: text)
        case (.data, .data(let data)): bytes.append(contentsOf: data)
        case (.date, .date(let date)):
            bytes.append(bigEndian: try Self.microseconds(of: date) - firstOfPostgreSQL)
        case (.decimal, .string(let digits)), (.unsigned, .string(let digits)):
            try PostgreSQLNumeric.write(digits, to: &bytes)
        case (.unsigned, .int(let number)):
            try PostgreSQLNumeric.write(String(number), to: &bytes)
        case (.array, .array), (.dictionary, .dictionary):
            bytes.append(contentsOf: try Self.json(value).utf8)
        case (.any, _): try bytes.append(text: PostgreSQLVariant.text(of: value))
        default: throw .otherKind
        }
    }

    static func microseconds(of date: Date) throws(ValueRefusal) -> Int64 {
        guard let microseconds = Timestamp.exactMicroseconds(of: date),
            storedDates.contains(microseconds)
        else { throw ValueRefusal(reason: "is a date outside of the years 1 to 9999") }
        return microseconds
    }

    /// The text of `StoredJSON`.
    static func json(_ value: AttributeValue) throws(ValueRefusal) -> String {
        let text: String
        do throws(ImportError) {
            text = try StoredJSON.text(of: value)
        } catch {
            throw ValueRefusal(reason: error.description)
        }
        try check(json: text)
        return text
    }

    /// Throws for a text of JSON that the type json has, but none of its functions reads.
    static func check(json text: String) throws(ValueRefusal) {
        if text.hasEscapedZero { throw .zero }
    }
}

extension String {
    /// Whether a text of JSON says U+0000.
    fileprivate var hasEscapedZero: Bool {
        var bytes = utf8[...]
        while let backslash = bytes.firstIndex(of: UInt8(ascii: "\\")) {
            let escape = bytes[backslash...].dropFirst()
            if escape.starts(with: "u0000".utf8) { return true }
            bytes = escape.dropFirst()
        }
        return false
    }
}

extension [UInt8] {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(text: String) throws(ValueRefusal) {
        if text.hasZeroByte { throw .zero }
        append(contentsOf: text.utf8)
    }

    /// Appends an array of elements, of which the closure appends one; false for NULL.
    mutating func append(
        arrayOf type: PostgreSQLType,
        count: Int,
        _ write: (Int, inout [UInt8]) throws -> Bool
    ) rethrows {
        append(bigEndian: Int32(count == 0 ? 0 : 1))
        let flag = self.count
        append(bigEndian: 0 as Int32)
        append(bigEndian: type.rawValue)
        if count == 0 { return }
        append(bigEndian: Int32(clamping: count))
        append(bigEndian: 1 as Int32)
        for index in 0..<count where try !appendSized({ try write(index, &$0) }) {
            self[flag + 3] = 1
        }
    }

    /// Appends what the closure appends, and before it how many bytes that are.
    ///
    /// - Parameter write: Gives false for NULL.
    /// - Returns: What it gives.
    @discardableResult
    mutating func appendSized(_ write: (inout [UInt8]) throws -> Bool) rethrows -> Bool {
        let start = count
        append(bigEndian: -1 as Int32)
        guard try write(&self) else { return false }
        let size = UInt32(clamping: count - start - 4)
        for byte in 0..<4 {
            self[start + byte] = UInt8(truncatingIfNeeded: size >> (24 - 8 * byte))
        }
        return true
    }
}
