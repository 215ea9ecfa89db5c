/// Whether the bytes are the name of a host by RFC 1123: labels of up to 63 letters, digits and
/// inner hyphens, a dot between them, at most 253 in all.
///
/// ASCII, and no dot at the end. The last of several labels is no number, as that would be an
/// address; one that begins with `xn--` is a name of other letters (RFC 5891).
package func isHostname<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    guard bytes.count <= 253 else { return false }
    var scanner = ByteScanner(bytes)
    var start: Int
    repeat {
        start = scanner.position
        guard scanner.skipHostLabel() else { return false }
        if isMisencodedLabel(bytes[start..<scanner.position]) { return false }
    } while scanner.skip(".")
    guard scanner.isAtEnd else { return false }
    return start == bytes.startIndex || !bytes[start...].allSatisfy(ByteSet.digits.contains)
}

/// Whether the bytes are words of lower case letters and digits, a hyphen between them.
package func isSlug<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    repeat {
        guard scanner.skip(all: slugBytes) > 0 else { return false }
    } while scanner.skip("-")
    return scanner.isAtEnd
}

private let slugBytes = ByteSet("abcdefghijklmnopqrstuvwxyz0123456789")
