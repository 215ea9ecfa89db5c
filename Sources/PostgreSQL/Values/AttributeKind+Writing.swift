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
        case (.uuid, .string(let text)):
            guard let number = PostgreSQLUUID.number(of: text) else { throw .noUUID }
            bytes.append(bigEndian: number)
        case (.array, .array), (.dictionary, .dictionary):
            bytes.append(contentsOf: try Self.json(value).utf8)
        case (.any, _): try bytes.append(text: PostgreSQLVariant.text(of: value))
        default: throw .otherKind
        }
    }

    /// Values of an array or a row as `write` writes each, after how long it is, in half of the time.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - value: Gives one with its kind; it is asked twice, and gives the same.
    /// - Returns: The bytes, and whether there is a NULL; nil where one is of another kind, is none of a fixed size or a
    ///   text, or cannot be stored.
    static func plainElements(
        _ count: Int,
        _ value: (Int) throws -> (Self, AttributeValue)
    ) rethrows -> (bytes: [UInt8], hasNull: Bool)? {
        var (size, hasNull) = (0, false)
        for index in 0..<count {
            switch try value(index) {
            case (_, .null): hasNull = true
            case (.bool, .bool): size += 1
            case (.int, .int): size += 8
            case (.double, .double(let number)) where number.isFinite: size += 8
            case (.string, .string(let text)) where !text.hasZeroByte: size += text.utf8.count
            case (.uuid, .string(let text)) where PostgreSQLUUID.number(of: text) != nil: size += 16
            default: return nil
            }
        }
        size += 4 * count
        let bytes = try [UInt8](unsafeUninitializedCapacity: size) { buffer, end in
            var room = Room(UnsafeMutableRawBufferPointer(buffer))
            for index in 0..<count {
                switch try value(index) {
                case (_, .bool(let flag)):
                    room.put(1 as Int32)
                    room.put(flag ? 1 : 0 as UInt8)
                case (_, .int(let number)):
                    room.put(8 as Int32)
                    room.put(number)
                case (_, .double(let number)):
                    room.put(8 as Int32)
                    room.put(number.bitPattern)
                case (.uuid, .string(let text)):
                    room.put(16 as Int32)
                    room.put(PostgreSQLUUID.number(of: text) ?? 0)
                case (_, .string(var text)):
                    room.put(Int32(clamping: text.utf8.count))
                    text.withUTF8 { room.put(UnsafeRawBufferPointer($0)) }
                default: room.put(-1 as Int32)
                }
            }
            end = size - room.rest.count
        }
        return (bytes, hasNull)
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

/// The room for bytes that were counted.
private struct Room {
    private(set) var rest: UnsafeMutableRawBufferPointer

    init(_ rest: UnsafeMutableRawBufferPointer) { self.rest = rest }

    mutating func put(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { put($0) }
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        // What was counted has room; nothing is ever written beyond.
        precondition(bytes.count <= rest.count)
        rest.copyMemory(from: bytes)
        rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(bytes.count))
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

    /// Appends what comes before the elements of an array.
    mutating func append(arrayOf type: PostgreSQLType, count: Int, hasNull: Bool) {
        append(bigEndian: Int32(count == 0 ? 0 : 1))
        append(bigEndian: Int32(hasNull ? 1 : 0))
        append(bigEndian: type.rawValue)
        if count == 0 { return }
        append(bigEndian: Int32(clamping: count))
        append(bigEndian: 1 as Int32)
    }

    /// Appends an array of elements, of which the closure appends one; false for NULL.
    mutating func append(
        arrayOf type: PostgreSQLType,
        count: Int,
        _ write: (Int, inout [UInt8]) throws -> Bool
    ) rethrows {
        let flag = self.count + 4
        append(arrayOf: type, count: count, hasNull: false)
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
