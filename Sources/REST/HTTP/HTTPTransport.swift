public import ModelKitStores

/// What sends requests: one exchange with a server, without retries, redirects, cookies or caches.
///
/// ```swift
/// struct Echo: HTTPTransport {
///     func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
///         .value(HTTPResponse(status: 200, body: request.body ?? Data()))
///     }
/// }
/// ```
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limits: How long it may take, and how much may be answered.
    /// - Returns: The answer, whatever its status is: a redirect is not followed. It fails with an
    ///   `HTTPFailure`, which says whether the server may have got the request. To cancel it closes the
    ///   connection.
    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse>
}

/// The bounds of one exchange.
///
/// ```swift
/// let limits = HTTPLimits(deadline: .seconds(10), responseSize: 1_000_000)
/// ```
public struct HTTPLimits: Sendable {
    /// After how long it fails, from the call to the last byte; nil for never.
    public var deadline: Duration?
    /// How many bytes of a body are taken.
    public var responseSize: Int
    /// Is told how far it is: of what is sent first, then of what is received.
    public var progress: (@Sendable (HTTPProgress) -> Void)?

    public init(
        deadline: Duration? = .seconds(60),
        responseSize: Int = 64 << 20,
        progress: (@Sendable (HTTPProgress) -> Void)? = nil
    ) {
        self.deadline = deadline
        self.responseSize = responseSize
        self.progress = progress
    }
}

/// How far an exchange is.
///
/// ```swift
/// let limits = HTTPLimits(progress: { print($0.received, $0.expected ?? 0) })
/// ```
public struct HTTPProgress: Hashable, Sendable {
    /// How many bytes of the request's body are sent.
    public var sent: Int64 = 0
    /// How many bytes of the answer's body are here.
    public var received: Int64 = 0
    /// How many bytes the answer's body will have, where the server says so.
    public var expected: Int64?
}

/// Why there is no answer.
///
/// ```swift
/// HTTPFailure(.refused, mayBeSent: false)
/// ```
public struct HTTPFailure: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// No server of that name.
        case unknownHost
        /// Nobody listens there.
        case refused
        /// The connection is not secure.
        case insecure
        /// The connection was closed before the answer was there.
        case connectionLost
        /// The answer ends too early.
        case truncated
        /// The answer is longer than was allowed.
        case tooLarge(limit: Int)
        case timedOut
        case cancelled
        /// What was answered is no HTTP.
        case malformed
        /// The request cannot be sent as it is.
        case invalidRequest(String)
        case other(String)
    }

    public var reason: Reason
    /// Whether the server may have got the request; false only where it certainly has not.
    public var mayBeSent: Bool

    public init(_ reason: Reason, mayBeSent: Bool) {
        self.reason = reason
        self.mayBeSent = mayBeSent
    }
}
