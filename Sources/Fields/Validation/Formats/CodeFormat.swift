/// Whether the bytes are a colour of CSS Color 4 in hexadecimal: `#` and 3, 4, 6 or 8 digits.
package func isHexColor<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard scanner.skip("#") else { return false }
    return [3, 4, 6, 8].contains(scanner.skip(all: .hexDigits)) && scanner.isAtEnd
}

/// Whether the bytes are Base 64 of RFC 4648, section 4: padded, in one line.
///
/// The bits that padding leaves over may be anything.
package func isBase64<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    guard bytes.count.isMultiple(of: 4) else { return false }
    var scanner = ByteScanner(bytes)
    scanner.skip(all: base64Bytes)
    if scanner.skip("=") { _ = scanner.skip("=") }
    return scanner.isAtEnd
}

/// Whether the bytes are a JSON Pointer of RFC 6901: nothing, or names that each begin with a
/// slash, with `~0` and `~1` for tilde and slash.
package func isJSONPointer<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    if !scanner.isAtEnd, scanner.next != UInt8(ascii: "/") { return false }
    while let byte = scanner.next {
        scanner.position += 1
        guard byte != UInt8(ascii: "~") || scanner.skip("0") || scanner.skip("1") else {
            return false
        }
    }
    return true
}

/// Whether the bytes are a version of Semantic Versioning 2.0.0: `1.2.3-rc.1+build.5`.
package func isSemanticVersion<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    for part in 0..<3 {
        if part > 0, !scanner.skip(".") { return false }
        guard scanner.skipWithoutLeadingZero(all: .digits) else { return false }
    }
    if scanner.skip("-") {
        repeat {
            guard scanner.skipWithoutLeadingZero(all: identifierBytes) else { return false }
        } while scanner.skip(".")
    }
    if scanner.skip("+") {
        repeat {
            guard scanner.skip(all: identifierBytes) > 0 else { return false }
        } while scanner.skip(".")
    }
    return scanner.isAtEnd
}

extension ByteScanner {
    /// Reads all bytes of a set that come next: one or more, and no number that begins with a zero
    /// but 0 itself.
    fileprivate mutating func skipWithoutLeadingZero(all set: ByteSet) -> Bool {
        var digits = self
        let zero = next == UInt8(ascii: "0")
        let count = skip(all: set)
        return count > 0 && (!zero || count == 1 || digits.skip(all: .digits) < count)
    }
}

private let base64Bytes = ByteSet.alphanumerics.union(ByteSet("+/"))
private let identifierBytes = ByteSet.alphanumerics.union(ByteSet("-"))
