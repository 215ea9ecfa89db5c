extension JSONReader {
    /// Reads a string, the opening quote of which stands here.
    mutating func readString() throws(Failure) -> String {
        let quote = position
        let run = PlainRun(in: bytes, from: quote + 1)
        position = run.end
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            return try readStringWithEscapes(from: quote)
        }
        let plain = UnsafeRawBufferPointer(rebasing: bytes[(quote + 1)..<position])
        return try closeString(plain, isASCII: run.isASCII, from: quote)
    }

    /// Makes the string of its bytes and moves over the closing quote.
    private mutating func closeString(
        _ content: some Collection<UInt8>,
        isASCII: Bool,
        from quote: Int
    ) throws(Failure) -> String {
        // Decoding mends what is not valid, so that it differs. The initialiser that validates
        // instead is not specialised and takes several times as long.
        let text = String(decoding: content, as: UTF8.self)
        guard isASCII || text.utf8.elementsEqual(content) else { throw invalidUTF8(from: quote) }
        position += 1
        return text
    }

    /// Goes on reading a string at the first byte that does not stand for itself.
    private mutating func readStringWithEscapes(from quote: Int) throws(Failure) -> String {
        unescaped.removeAll(keepingCapacity: true)
        var start = quote + 1
        while position < bytes.count {
            unescaped.append(contentsOf: bytes[start..<position])
            switch bytes[position] {
            case UInt8(ascii: "\""):
                // What an escape adds is valid and complete: it hides and mends nothing.
                return try closeString(unescaped, isASCII: false, from: quote)
            case UInt8(ascii: "\\"): try readEscape()
            case let byte:
                throw failure("the control character \(Unicode.Scalar(byte).name) in a string")
            }
            start = position
            position = PlainRun(in: bytes, from: start).end
        }
        throw Failure(reason: "a string without a closing quote", position: quote)
    }

    /// Reads the escape that stands here into `unescaped`.
    private mutating func readEscape() throws(Failure) {
        guard position + 1 < bytes.count else { throw failure("an escape without an end") }
        let byte = bytes[position + 1]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            try readEscapedScalar()
            return
        default: throw failure("an unknown escape")
        }
        position += 2
    }

    /// Reads `\u` and four digits, or two of them that are a surrogate pair.
    private mutating func readEscapedScalar() throws(Failure) {
        guard let unit = codeUnit(at: position) else {
            throw failure("an escape \\u without four hexadecimal digits")
        }
        var number = unit
        var length = 6
        if (0xD800..<0xDC00).contains(unit), let second = codeUnit(at: position + 6),
            (0xDC00..<0xE000).contains(second)
        {
            number = 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
            length = 12
        }
        guard let scalar = Unicode.Scalar(number) else {
            throw failure("a surrogate \\u\(String(unit, radix: 16)) without its other half")
        }
        unescaped.append(contentsOf: scalar.utf8)
        position += length
    }

    /// The number in an escape `\uXXXX`; nil when there is none.
    private func codeUnit(at start: Int) -> UInt32? {
        guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"),
            bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[(start + 2)..<(start + 6)] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt32(byte - 87)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt32(byte - 55)
            default: return nil
            }
        }
        return unit
    }

    /// That the string that ends here is not valid, at its first byte that is not.
    private func invalidUTF8(from quote: Int) -> Failure {
        var place = quote
        var rest = bytes[quote..<position].makeIterator()
        var parser = UTF8.ForwardParser()
        while case .valid(let encoded) = parser.parseScalar(from: &rest) { place += encoded.count }
        return Failure(reason: "invalid UTF-8", position: place)
    }
}
