#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPResponse {
    /// How long the server asks to wait before the next request (RFC 9110, 10.2.3).
    ///
    /// ```swift
    /// HTTPResponse(status: 503, headers: ["Retry-After": "120"]).retryAfter()  // 120 seconds
    /// ```
    ///
    /// - Parameter date: The time of day here, for a server that names a time: it may be off by what the
    ///   two clocks are apart.
    /// - Returns: None for a time that is over, and at most a century; nil where the server does not say, or
    ///   says it in a way that means nothing.
    public func retryAfter(at date: Date = Date()) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        let value = text.drop { $0 == " " || $0 == "\t" }.utf8
        guard let first = value.first else { return nil }
        let century = 100 * 366 * 86_400
        guard 0x30...0x39 ~= first else {
            guard let end = HTTPDate.date(from: text, at: date) else { return nil }
            let seconds = end.timeIntervalSince(date)
            return .seconds(min(max(seconds.rounded(.up), 0), Double(century)))
        }
        var seconds = 0
        for byte in value {
            switch byte {
            case 0x30...0x39: seconds = min(seconds * 10 + Int(byte - 0x30), century)
            case 0x20, 0x09: break
            default: return nil
            }
        }
        return .seconds(seconds)
    }
}
