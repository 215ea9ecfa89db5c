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
    /// Sends a request, if it passes `HTTPRequest.check()`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limits: How long it may take, and how much may be answered.
    /// - Returns: The answer, whatever its status is: a redirect is not followed. It fails with an
    ///   `HTTPFailure`, which says whether the server may have got the request. To cancel it closes the
    ///   connection.
    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse>
}
