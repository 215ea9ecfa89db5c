/// Whether the bytes are a JSON text by the grammar of RFC 8259: one value, however deep it goes,
/// with white space around it.
///
/// A mark of the byte order before it is ignored, as the standard allows.
package func isJSONText<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    if scanner.next == 0xEF {
        guard bytes.prefix(3).elementsEqual([0xEF, 0xBB, 0xBF]) else { return false }
        scanner.position += 3
    }
    /// Of everything that is open, whether it is an object.
    var open: [Bool] = []
    nextValue: while true {
        scanner.skip(all: jsonSpace)
        if scanner.skip("{") {
            scanner.skip(all: jsonSpace)
            if !scanner.skip("}") {
                guard scanner.skipKey() else { return false }
                open.append(true)
                continue
            }
        } else if scanner.skip("[") {
            scanner.skip(all: jsonSpace)
            if !scanner.skip("]") {
                open.append(false)
                continue
            }
        } else if !scanner.skipJSONScalar() {
            return false
        }
        while let isObject = open.last {
            scanner.skip(all: jsonSpace)
            if scanner.skip(",") {
                scanner.skip(all: jsonSpace)
                if isObject, !scanner.skipKey() { return false }
                continue nextValue
            }
            guard scanner.skip(isObject ? "}" : "]") else { return false }
            open.removeLast()
        }
        scanner.skip(all: jsonSpace)
        return scanner.isAtEnd
    }
}

extension ByteScanner {
    /// Reads the name of a member and the colon after it.
    fileprivate mutating func skipKey() -> Bool {
        guard skipJSONString() else { return false }
        skip(all: jsonSpace)
        return skip(":")
    }

    fileprivate mutating func skipJSONScalar() -> Bool {
        switch next {
        case UInt8(ascii: "\""): return skipJSONString()
        case UInt8(ascii: "t"): return skip(word: "true")
        case UInt8(ascii: "f"): return skip(word: "false")
        case UInt8(ascii: "n"): return skip(word: "null")
        default: return skipJSONNumber()
        }
    }

    private mutating func skip(word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard skip(Unicode.Scalar(word.utf8Start[offset])) else { return false }
        }
        return true
    }

    private mutating func skipJSONNumber() -> Bool {
        _ = skip("-")
        if !skip("0"), skip(all: .digits) == 0 { return false }
        if skip("."), skip(all: .digits) == 0 { return false }
        guard skip("e") || skip("E") else { return true }
        if !skip("+") { _ = skip("-") }
        return skip(all: .digits) > 0
    }

    private mutating func skipJSONString() -> Bool {
        guard skip("\"") else { return false }
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case ..<0x20: return false
            case UInt8(ascii: "\\"):
                guard let escape = next else { return false }
                position += 1
                if jsonEscapes.contains(escape) { continue }
                // Half of a pair of surrogates is in the grammar, too.
                guard escape == UInt8(ascii: "u") else { return false }
                for _ in 0..<4 {
                    guard let digit = next, ByteSet.hexDigits.contains(digit) else { return false }
                    position += 1
                }
            default: continue
            }
        }
        return false
    }
}

private let jsonSpace = ByteSet(" \t\n\r")
private let jsonEscapes = ByteSet(#""\/bfnrt"#)
