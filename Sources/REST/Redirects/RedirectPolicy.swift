/// Which redirects are followed, and with what.
///
/// A request that only reads is followed to wherever a redirect leads, but for http from https; one that
/// may have an effect, as it is, for a 307 and a 308, and not to another origin. After a 303 the answer
/// is read with a GET. To another origin (scheme, host and port) only those fields go along that cannot
/// be secret: no credentials, whatever they are called.
///
/// ```swift
/// let policy = RedirectPolicy(limit: 1, followsToOtherOrigins: false)
/// ```
public struct RedirectPolicy: Hashable, Sendable {
    /// How many are followed, one after the other.
    public var limit: Int
    /// Whether a request that only reads may go to another origin.
    public var followsToOtherOrigins: Bool
    /// Whether a request that may have an effect may go to another origin, with its body.
    public var sendsToOtherOrigins: Bool

    public init(
        limit: Int = 5,
        followsToOtherOrigins: Bool = true,
        sendsToOtherOrigins: Bool = false
    ) {
        self.limit = limit
        self.followsToOtherOrigins = followsToOtherOrigins
        self.sendsToOtherOrigins = sendsToOtherOrigins
    }

    /// The request that follows a redirect (RFC 9110, 15.4); nil where the answer is none, or says not
    /// where to.
    ///
    /// A target keeps its percent-encoding. What was before the request is not known here, hence neither
    /// `.tooMany` nor `.loop` is thrown.
    public func next(
        after request: HTTPRequest,
        _ response: HTTPResponse
    ) throws(RedirectRefusal) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.headers["Location"]
        else { return nil }
        guard let place = URLReference(location)?.resolved(against: request.origin, request.target)
        else { throw .invalidLocation }
        var next = request
        (next.origin, next.target) = place
        if response.status == 303, request.method != .head { next.becomeGet() }
        if [301, 302].contains(response.status), !request.method.isSafe {
            throw .unsafeMethod(request.method, status: response.status)
        }
        if HTTPOrigin.areEqual(request.origin, next.origin) { return next }
        let scheme = HTTPOrigin(next.origin)?.scheme
        guard scheme == "https" || scheme == "http" else { throw .invalidLocation }
        guard scheme == "https" || HTTPOrigin(request.origin)?.scheme != "https" else {
            throw .insecure
        }
        guard next.method.isSafe ? followsToOtherOrigins : sendsToOtherOrigins else {
            throw .otherOrigin
        }
        // All other fields may be credentials, or be meant for the first server only.
        let harmless = next.headers.filter { HTTPHeaders.harmless.contains($0.name.lowercased()) }
        next.headers = HTTPHeaders(harmless)
        return next
    }
}

extension HTTPRequest {
    /// Reads, and has nothing of what it would have done.
    fileprivate mutating func becomeGet() {
        let names = ["content-"] + (method.isSafe ? [] : ["if-", "idempotency-key"])
        for name in headers.map(\.name) where names.contains(where: name.lowercased().hasPrefix) {
            headers[name] = nil
        }
        method = .get
        body = nil
    }
}

extension HTTPHeaders {
    /// The fields that another server may see.
    fileprivate static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
        "content-encoding", "content-language", "content-type", "idempotency-key", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "prefer", "range",
        "user-agent",
    ]
}
