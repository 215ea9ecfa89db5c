/// Whether the bytes are a mailbox of RFC 5321: `a.b@example.com`, `"a b"@[192.0.2.1]`.
///
/// Of an international one, bytes beyond ASCII count as letters, but in a domain, whose labels are those that
/// Punycode can spell (RFC 5890), or are spelled by it.
package func isMailbox<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes,
    isInternational: Bool
) -> Bool where Bytes.Index == Int {
    guard bytes.count <= 254 else { return false }
    var scanner = ByteScanner(bytes)
    guard
        scanner.next == UInt8(ascii: "\"")
            ? scanner.skipQuotedText(isInternational) : scanner.skipAtoms(isInternational)
    else { return false }
    guard scanner.position - bytes.startIndex <= 64, scanner.skip("@") else { return false }
    if scanner.skip("[") {
        let start = scanner.position
        let isIPv6 = scanner.skipPrefix(ipv6Tag)
        let address = scanner.position
        scanner.skip(all: addressBytes)
        let range = address..<scanner.position
        guard
            isIPv6
                ? isIPv6Address(bytes, in: range, ofMail: true)
                : isIPv4Address(bytes, in: start..<range.upperBound, ofMail: true)
        else { return false }
        return scanner.skip("]") && scanner.isAtEnd
    }
    repeat {
        guard scanner.skipLabel(isInternational) else { return false }
    } while scanner.skip(".")
    return scanner.isAtEnd
}

extension ByteScanner {
    /// Reads words with single dots between them.
    fileprivate mutating func skipAtoms(_ isInternational: Bool) -> Bool {
        repeat {
            guard skip(all: atomBytes, orForeign: isInternational) > 0 else { return false }
        } while skip(".")
        return true
    }

    /// Reads text in quotes, in which a backslash takes the next byte as it is.
    fileprivate mutating func skipQuotedText(_ isInternational: Bool) -> Bool {
        position += 1
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let next, 0x20...0x7E ~= next else { return false }
                position += 1
            case 0x20...0x7E: continue
            case 0x80...: if !isInternational { return false }
            default: return false
            }
        }
        return false
    }

    /// Reads a label of a domain.
    fileprivate mutating func skipLabel(_ isInternational: Bool) -> Bool {
        if !isInternational { return skipHostLabel() }
        let start = position
        guard skip(all: labelBytes, orForeign: true) > 0 else { return false }
        let label = bytes[start..<position]
        if label.contains(where: { $0 >= 0x80 }) {
            return isForeignLabel(Array(String(decoding: label, as: UTF8.self).unicodeScalars))
        }
        return label.count <= 63 && label.first != UInt8(ascii: "-")
            && label.last != UInt8(ascii: "-") && !isMisencodedLabel(label)
    }

    /// Reads all bytes of a set that come next, with those beyond ASCII if they count, too.
    private mutating func skip(all set: ByteSet, orForeign isForeignTaken: Bool) -> Int {
        let start = position
        while let next, set.contains(next) || isForeignTaken && next >= 0x80 { position += 1 }
        return position - start
    }

    /// Reads a text, whatever the case of its letters.
    fileprivate mutating func skipPrefix(_ prefix: [UInt8]) -> Bool {
        let isSame: (UInt8, UInt8) -> Bool = { byte, wanted in
            byte == wanted || ByteSet.letters.contains(wanted) && byte ^ wanted == 0x20
        }
        guard bytes[position..<end].starts(with: prefix, by: isSame) else { return false }
        position += prefix.count
        return true
    }
}

private let atomBytes = ByteSet.alphanumerics.union(ByteSet("!#$%&'*+/=?^_`{|}~-"))
private let labelBytes = ByteSet.alphanumerics.union(ByteSet("-"))
private let ipv6Tag = Array("IPv6:".utf8)
