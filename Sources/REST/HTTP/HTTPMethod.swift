/// What a request asks for (RFC 9110, 9.3; PATCH by RFC 5789).
///
/// ```swift
/// HTTPMethod.patch.isIdempotent   // false
/// ```
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let get = HTTPMethod(rawValue: "GET")
    public static let head = HTTPMethod(rawValue: "HEAD")
    public static let post = HTTPMethod(rawValue: "POST")
    public static let put = HTTPMethod(rawValue: "PUT")
    public static let patch = HTTPMethod(rawValue: "PATCH")
    public static let delete = HTTPMethod(rawValue: "DELETE")
    public static let options = HTTPMethod(rawValue: "OPTIONS")

    /// Whether it only reads.
    public var isSafe: Bool { self == .get || self == .head || self == .options }

    /// Whether a request made twice has the effect of one.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: CustomStringConvertible {
    public var description: String { rawValue }
}
