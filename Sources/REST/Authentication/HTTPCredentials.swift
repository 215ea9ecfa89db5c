import ModelKitEssentials

/// What shows who sends a request: one field of its head.
///
/// Its descriptions do not show the value.
///
/// ```swift
/// let credentials = HTTPCredentials.bearer("mF_9.B5f-4.1JqM")
/// let key = HTTPCredentials("X-API-Key", "7f3a")
/// ```
public struct HTTPCredentials: Hashable, Sendable {
    /// The name of the field.
    public var header: String
    /// The value of the field.
    public var value: String

    public init(_ header: String, _ value: String) {
        self.header = header
        self.value = value
    }

    /// A token (RFC 6750, 2.1).
    public static func bearer(_ token: String) -> HTTPCredentials {
        HTTPCredentials("Authorization", "Bearer \(token)")
    }

    /// A name and a password, in UTF-8 (RFC 7617); nil if the name has a colon, which would be read as
    /// the start of the password, or one of the two a control character.
    public static func basic(user: String, password: String) -> HTTPCredentials? {
        guard !user.utf8.contains(UInt8(ascii: ":")),
            !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return HTTPCredentials("Authorization", "Basic \(pair)")
    }
}

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "\(header): (hidden)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
