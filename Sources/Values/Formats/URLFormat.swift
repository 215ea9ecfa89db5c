/// Whether the bytes are an absolute URL with a host, by the characters of RFC 3986 (so ASCII), of
/// one of these schemes, which are given in lower case.
///
/// A port is at most 65535.
package func isURL<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    schemes: [[UInt8]]
) -> Bool where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    scanner.skip(all: schemeBytes)
    // The bit of lower case letters is set in all other bytes of a scheme.
    let scheme = bytes[..<scanner.position].lazy.map { $0 | 0x20 }
    guard schemes.contains(where: { $0.elementsEqual(scheme) }) else { return false }
    guard scanner.skip(":"), scanner.skip("/"), scanner.skip("/") else { return false }
    guard scanner.skipAuthority(needsHost: true) else { return false }
    if scanner.next == UInt8(ascii: "/") { scanner.skipEncoded(pathBytes) }
    scanner.skipQueryAndFragment()
    return scanner.isAtEnd
}

let schemeBytes = ByteSet.alphanumerics.union(ByteSet("+-."))
private let nameBytes = ByteSet.alphanumerics.union(ByteSet("-._~!$&'()*+,;="))
private let userBytes = nameBytes.union(ByteSet(":"))
let pathBytes = userBytes.union(ByteSet("@/"))
let queryBytes = pathBytes.union(ByteSet("?"))

extension ByteScanner {
    /// Reads `user@host:port`: of a URL with a host, of another URI perhaps with nothing.
    mutating func skipAuthority(needsHost: Bool) -> Bool {
        let start = position
        skipEncoded(userBytes)
        if !skip("@") { position = start }
        if skip("[") {
            guard skipAddressLiteral() else { return false }
        } else if skipEncoded(nameBytes) == 0 && needsHost {
            return false
        }
        if skip(":") {
            // A URI's port is any number; a URL's is one of TCP.
            guard needsHost else {
                skip(all: .digits)
                return true
            }
            skip(all: zero)
            if number(digits: 5).value > 65535 { return false }
        }
        return true
    }

    /// Reads an IP address of version 6 or later, and the bracket after it.
    private mutating func skipAddressLiteral() -> Bool {
        let start = position
        if skip("v") || skip("V") {
            guard skip(all: .hexDigits) > 0, skip("."), skip(all: userBytes) > 0 else {
                return false
            }
            return skip("]")
        }
        skip(all: addressBytes)
        return isIPv6Address(bytes, in: start..<position) && skip("]")
    }

    /// Reads `?query` and `#fragment`, if they are there.
    mutating func skipQueryAndFragment() {
        if skip("?") { skipEncoded(queryBytes) }
        if skip("#") { skipEncoded(queryBytes) }
    }

    /// Reads all bytes of a set and all percent-encoded ones, and counts what it read.
    @discardableResult
    mutating func skipEncoded(_ set: ByteSet) -> Int {
        let start = position
        while true {
            skip(all: set)
            var escape = self
            guard escape.skip("%"), escape.skipHexDigit(), escape.skipHexDigit() else { break }
            position = escape.position
        }
        return position - start
    }

    private mutating func skipHexDigit() -> Bool {
        guard let next, ByteSet.hexDigits.contains(next) else { return false }
        position += 1
        return true
    }
}

private let zero = ByteSet("0")
