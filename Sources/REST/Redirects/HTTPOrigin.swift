/// Where a server is: scheme, host and port (RFC 6454, 4), however it is written.
struct HTTPOrigin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of a text as `https://example.com:8080`; nil if it is none, or has more than that.
    init?(_ text: String) {
        guard let end = text.utf8.firstRange(of: "://".utf8) else { return nil }
        scheme = text[..<end.lowerBound].lowercased()
        let authority = text[end.upperBound...].lowercased()
        let bytes = authority.utf8
        // The colons in brackets are those of an address.
        let start = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[start...].lastIndex(of: UInt8(ascii: ":"))
        host = String(authority[..<(colon ?? bytes.endIndex)])
        guard !host.isEmpty, host.utf8.allSatisfy(\.isOfHost) else { return nil }
        let digits = colon.map { authority[bytes.index(after: $0)...] } ?? ""
        if digits.isEmpty {
            port = scheme == "https" ? 443 : 80
        } else {
            guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits),
                number <= 0xFFFF
            else { return nil }
            port = number
        }
    }

    /// Whether two texts stand for one origin; those that stand for none are equal if they are the same.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let one = HTTPOrigin(one), let other = HTTPOrigin(other) else { return false }
        return one == other
    }
}

extension UInt8 {
    /// Whether a host may have it: a name, or an address in brackets (RFC 3986, 3.2.2).
    fileprivate var isOfHost: Bool {
        switch self {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: "%"): true
        case UInt8(ascii: "@"): false
        default: isOfPath
        }
    }
}
