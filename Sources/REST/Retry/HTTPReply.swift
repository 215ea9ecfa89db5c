public import ModelKitStores

/// An answer, and what it took to get it.
///
/// ```swift
/// HTTPReply.to(HTTPRequest(.delete, origin, "/people/7"), HTTPLimits(), over: transport).map { reply in
///     // What is gone since an earlier attempt is deleted.
///     reply.response.status == 404 && reply.mayBeRepeated
/// }
/// ```
public struct HTTPReply: Hashable, Sendable {
    public var response: HTTPResponse
    /// How many requests were sent, those of retries, redirects and renewed credentials included.
    public var attempts: Int
    /// Whether a request before the one that is answered here may have had its effect.
    public var mayBeRepeated: Bool
    /// Whether redirects have led to another origin, which gets no credentials.
    var isFromElsewhere = false

    public init(_ response: HTTPResponse, attempts: Int = 1, mayBeRepeated: Bool = false) {
        self.response = response
        self.attempts = attempts
        self.mayBeRepeated = mayBeRepeated
    }

    /// Sends a request; over a transport that is not `HTTPReplying` that is one attempt.
    public static func to(
        _ request: HTTPRequest,
        _ limits: HTTPLimits,
        over transport: any HTTPTransport
    ) -> Promise<HTTPReply> {
        (transport as? any HTTPReplying)?.reply(to: request, limits)
            ?? transport.send(request, limits).map { HTTPReply($0) }
    }
}

/// A transport that may send more than one request for an answer, and reports that.
///
/// One that wraps another should conform, and use `HTTPReply.to` for the one it wraps, so that it is
/// known above what happened below.
///
/// ```swift
/// struct Logging: HTTPReplying {
///     let base: any HTTPTransport
///
///     func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply> {
///         HTTPReply.to(request, limits, over: base).tap { print(request.target, $0) }
///     }
/// }
/// ```
public protocol HTTPReplying: HTTPTransport {
    /// Sends a request, under the terms of `send`.
    func reply(to request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPReply>
}

extension HTTPReplying {
    public func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        reply(to: request, limits).map(\.response)
            .recover { error in throw (error as? UnsentError)?.error ?? error }
    }
}

extension Promise<HTTPReply> {
    /// Itself, with what was sent before it.
    func after(attempts: Int, mayBeSent: Bool) -> Promise {
        map { reply in
            var reply = reply
            reply.attempts += attempts
            reply.mayBeRepeated = reply.mayBeRepeated || mayBeSent
            return reply
        }
        .recover { error in throw mayBeSent ? HTTPFailure.ofSent(error) : error }
    }
}
