/// Whether the bytes are an email address as HTML defines it (WHATWG, "valid email address"): what
/// a browser's `<input type=email>` takes.
///
/// ASCII, no quotes, no comments; each label of the domain has up to 63 letters, digits and inner
/// hyphens.
package func isEmailAddress<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
where Bytes.Index == Int {
    var scanner = ByteScanner(bytes)
    guard scanner.skip(all: localPart) > 0, scanner.skip("@") else { return false }
    repeat {
        guard scanner.skipHostLabel() else { return false }
    } while scanner.skip(".")
    return scanner.isAtEnd
}

extension ByteScanner {
    /// Reads up to 63 letters, digits and inner hyphens.
    mutating func skipHostLabel() -> Bool {
        let start = position
        return 1...63 ~= skip(all: label) && bytes[start] != hyphen && bytes[position - 1] != hyphen
    }
}

private let localPart = ByteSet.alphanumerics.union(ByteSet(".!#$%&'*+/=?^_`{|}~-"))
private let label = ByteSet.alphanumerics.union(ByteSet("-"))
private let hyphen = UInt8(ascii: "-")
