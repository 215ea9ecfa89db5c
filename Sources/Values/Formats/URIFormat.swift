/// Whether the bytes are a URI by the grammar of RFC 3986 (so ASCII), of any scheme: `urn:isbn:1`,
/// `mailto:a@b.c`, `file:///tmp`.
package func isURI<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    return scanner.skipScheme() && scanner.skipHierarchy() && scanner.isAtEnd
}

/// Whether the bytes are a URI or one that is relative to another, by the grammar of RFC 3986:
/// `../a?b#c`, `//host`, the empty text.
package func isURIReference<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    if !scanner.skipScheme() {
        // A colon in the first segment would end a scheme.
        let start = scanner.position
        scanner.skipEncoded(segmentBytes)
        if scanner.next == UInt8(ascii: ":") { return false }
        scanner.position = start
    }
    return scanner.skipHierarchy() && scanner.isAtEnd
}

extension ByteScanner {
    /// Reads a scheme and its colon, if both are there.
    fileprivate mutating func skipScheme() -> Bool {
        let start = position
        if let next, ByteSet.letters.contains(next) {
            skip(all: schemeBytes)
            if skip(":") { return true }
        }
        position = start
        return false
    }

    /// Reads what comes after a scheme: `//host`, a path, a query, a fragment.
    fileprivate mutating func skipHierarchy() -> Bool {
        var ahead = self
        if ahead.skip("/") && ahead.skip("/") {
            self = ahead
            guard skipAuthority(needsHost: false) else { return false }
            if next == UInt8(ascii: "/") { skipEncoded(pathBytes) }
        } else {
            skipEncoded(pathBytes)
        }
        skipQueryAndFragment()
        return true
    }
}

private let segmentBytes = ByteSet.alphanumerics.union(ByteSet("-._~!$&'()*+,;=@"))
