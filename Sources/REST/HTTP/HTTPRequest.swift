public import ModelKitEssentials

/// What is sent to a server, as values: a transport sends it, a handler answers it.
///
/// ```swift
/// let request = HTTPRequest(.get, "https://example.com", "/people?city=Rome")
/// ```
///
/// Whether it can be sent is found out when it is. Descriptions leave out the body, the values of the query,
/// and what may be secret in the fields.
public struct HTTPRequest: Hashable, Sendable {
    public var method: HTTPMethod
    /// Where the server is, as `https://example.com:8080`; empty on the server's side.
    public var origin: String
    /// The path and the query, percent-encoded, as `/people/p%2F1?city=Rome` (RFC 9112, 3.2.1).
    public var target: String
    public var headers: HTTPHeaders
    public var body: Data?

    public init(
        _ method: HTTPMethod,
        _ origin: String,
        _ target: String,
        headers: HTTPHeaders = [:],
        body: Data? = nil
    ) {
        self.method = method
        self.origin = origin
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// A request as a server gets it, which has no origin.
    public init(
        _ method: HTTPMethod,
        _ target: String,
        headers: HTTPHeaders = [:],
        body: Data? = nil
    ) {
        self.init(method, "", target, headers: headers, body: body)
    }
}
