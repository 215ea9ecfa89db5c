/// Whether the bytes are an IPv6 address by the grammar of RFC 3986: eight groups of up to four
/// hexadecimal digits, "::" once for one or more groups of zeros, the last two perhaps as an IPv4
/// address.
///
/// No zone. In mail "::" stands for two groups at least (RFC 5321, section 4.1.3).
package func isIPv6Address<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    in range: Range<Int>,
    ofMail isOfMail: Bool = false
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
            guard isIPv4Address(bytes, in: start..<range.upperBound, ofMail: isOfMail) else {
                return false
            }
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
    return isShortened ? groups <= (isOfMail ? 6 : 7) : groups == 8
}

/// Whether the bytes are an IPv4 address by the grammar of RFC 3986: four numbers up to 255,
/// without leading zeros.
///
/// In mail (RFC 5321, section 4.1.3) with them, up to three digits.
package func isIPv4Address<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    in range: Range<Int>,
    ofMail isOfMail: Bool = false
) -> Bool where Bytes.Index == Int {
    var scanner = ByteScanner(bytes, in: range)
    for part in 0..<4 {
        if part > 0, !scanner.skip(".") { return false }
        let isZero = scanner.next == UInt8(ascii: "0")
        let (value, digits) = scanner.number(digits: 3)
        guard digits > 0, value <= 255, !isZero || digits == 1 || isOfMail else { return false }
    }
    return scanner.isAtEnd
}

/// Whether the bytes are a block of addresses by RFC 4632 or RFC 4291: an IPv4 or IPv6 address, a
/// slash and the length of the prefix, without leading zeros.
package func isAddressBlock<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    scanner.skip(all: addressBytes)
    let address = bytes.startIndex..<scanner.position
    guard scanner.skip("/") else { return false }
    let isZero = scanner.next == UInt8(ascii: "0")
    let (length, digits) = scanner.number(digits: 3)
    guard digits > 0, !isZero || digits == 1, scanner.isAtEnd else { return false }
    return length <= 32 && isIPv4Address(bytes, in: address)
        || length <= 128 && isIPv6Address(bytes, in: address)
}

/// What an address without a zone is made of.
let addressBytes = ByteSet.hexDigits.union(ByteSet(":."))
