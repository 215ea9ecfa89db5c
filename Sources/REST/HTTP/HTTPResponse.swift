public import ModelKitEssentials

/// What a server answers, as values.
///
/// ```swift
/// let response = HTTPResponse(status: 204)
/// ```
///
/// Descriptions leave out the body, and what may be secret in the fields.
public struct HTTPResponse: Hashable, Sendable {
    public var status: Int
    public var headers: HTTPHeaders
    /// What is answered: decompressed, and empty where an answer has none.
    public var body: Data

    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPMethod {
    /// Whether an answer of this status has a body at all (RFC 9112, 6.3), whatever its head says.
    func hasBody(in status: Int) -> Bool {
        self != .head && status >= 200 && status != 204 && status != 304
    }
}
