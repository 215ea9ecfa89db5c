import ModelKitFields

extension StoredJSON {
    /// The value of an array of integers and texts as `text(of:)` writes it: what keys of several owners are, which
    /// are read by the thousand.
    ///
    /// - Returns: The array; nil for any other JSON, and for what is none.
    package static func plainArray(of bytes: UnsafeBufferPointer<UInt8>) -> AttributeValue? {
        let end = bytes.count - 1
        guard end > 0, bytes[0] == UInt8(ascii: "["), bytes[end] == UInt8(ascii: "]")
        else { return nil }
        var elements: [AttributeValue] = []
        var position = 1
        if position == end { return .array([]) }
        // Only where it is short: the commas of long texts are mostly inside of its elements.
        if bytes.count < 256 {
            elements.reserveCapacity(bytes.count { $0 == UInt8(ascii: ",") } + 1)
        }
        while position < end {
            let element =
                bytes[position] == UInt8(ascii: "\"")
                ? plainText(bytes, &position, end) : integer(bytes, &position, end)
            guard let element else { return nil }
            elements.append(element)
            if position == end { return .array(elements) }
            guard bytes[position] == UInt8(ascii: ",") else { return nil }
            position += 1
        }
        return nil
    }

    static func plainArray(of text: String) -> AttributeValue? {
        var text = text
        return text.withUTF8 { plainArray(of: $0) }
    }

    /// A text without escapes.
    private static func plainText(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ position: inout Int,
        _ end: Int
    ) -> AttributeValue? {
        let start = position + 1
        position = start
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
                position += 1
                return String(validating: text, as: UTF8.self).map { .string($0) }
            case UInt8(ascii: "\\"), 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    /// An integer of so few digits that it is one of 64 bits.
    private static func integer(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ position: inout Int,
        _ end: Int
    ) -> AttributeValue? {
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value: Int64 = 0
        while position < end, position - start < 18,
            case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10
        {
            value = value * 10 + Int64(digit)
            position += 1
        }
        let count = position - start
        // A zero before other digits is no JSON, and one with a sign is no integer.
        guard count > 0, bytes[start] != UInt8(ascii: "0") || count == 1 && !isNegative
        else { return nil }
        return .int(isNegative ? -value : value)
    }
}
