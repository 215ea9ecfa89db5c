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

private let base64Bytes = ByteSet.alphanumerics.union(ByteSet("+/"))
