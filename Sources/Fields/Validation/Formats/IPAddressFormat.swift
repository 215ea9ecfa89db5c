/// Whether the bytes are an IPv6 address by the grammar of RFC 3986: eight groups of up to four
/// hexadecimal digits, "::" once for one or more groups of zeros, the last two perhaps as an IPv4
/// address.
///
/// No zone.
package func isIPv6Address<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    in range: Range<Int>
) -> Bool where Bytes.Index == Int {
    var scanner = ByteScanner(bytes, in: range)
    var groups = 0
    var isShortened = false
    if scanner.skip(":") {
        guard scanner.skip(":") else { return false }
        isShortened = true
    }
    while !scanner.isAtEnd {
        let start = scanner.position
        let digits = scanner.skip(all: .hexDigits)
        if scanner.next == UInt8(ascii: ".") {
            guard isIPv4Address(bytes, in: start..<range.upperBound) else { return false }
            groups += 2
            break
        }
        guard 1...4 ~= digits else { return false }
        groups += 1
        if scanner.isAtEnd { break }
        guard scanner.skip(":"), !scanner.isAtEnd else { return false }
        if scanner.skip(":") {
            if isShortened { return false }
            isShortened = true
        }
    }
    return isShortened ? groups <= 7 : groups == 8
}

/// Whether the bytes are an IPv4 address by the grammar of RFC 3986: four numbers up to 255,
/// without leading zeros.
package func isIPv4Address<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    in range: Range<Int>
) -> Bool where Bytes.Index == Int {
    var scanner = ByteScanner(bytes, in: range)
    for part in 0..<4 {
        if part > 0, !scanner.skip(".") { return false }
        let isZero = scanner.next == UInt8(ascii: "0")
        let (value, digits) = scanner.number(digits: 3)
        guard digits > 0, value <= 255, !isZero || digits == 1 else { return false }
    }
    return scanner.isAtEnd
}
