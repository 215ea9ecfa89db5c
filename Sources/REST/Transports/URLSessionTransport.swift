import Foundation
public import ModelKitStores

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests by Foundation's URL loading, without its caches, cookies, stored credentials, redirects
/// and retries.
///
/// ```swift
/// let transport = URLSessionTransport()
/// let answer = try await transport
///     .send(HTTPRequest(.get, "https://example.com", "/people/1"), HTTPLimits())
///     .value
/// ```
///
/// Each request has a connection of its own. A server may close one that was kept open at any time, and
/// whether it had got a request by then cannot be known; libcurl, which does the work on Linux, then sends the
/// request once more by itself, whatever it asks for, and does not report that. Nothing turns that off; nor
/// does the field `Connection: close`, where a server ignores it. A connection that was never used before is
/// not suspected of having been closed.
///
/// It refuses with `.invalidRequest` what URL loading cannot send: a GET with a body, and on Linux IPv6
/// addresses in place of names. A request with a body and no `Content-Type` is sent as
/// `application/octet-stream`. An answer is decompressed, and its head has no `Content-Encoding` and
/// `Content-Length` then; of fields whose names differ in their case alone, Linux keeps one. Promises are
/// settled on a thread of URL loading.
///
/// Faults of URL loading on Linux (6.3) that cannot be mended from here: the body of a redirect is received as
/// a whole before its size is seen; and an answer that ends inside its head, or that has fields behind its
/// last chunk, stops the process.
public struct URLSessionTransport: HTTPTransport {
    private let kept: URLSessionLoader?

    /// - Parameter keepsConnections: Whether connections are kept open for requests that only read, which
    ///   spares them the greeting; on Linux a server may see such a request twice.
    public init(keepsConnections: Bool = false) {
        kept = keepsConnections ? URLSessionLoader() : nil
    }

    public func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        let foreign: URLRequest
        do {
            try request.check()
            foreign = try URLRequest(request)
        } catch {
            return .failed(error)
        }
        let exchange = URLSessionExchange(request, limits)
        // A loader of one request ends with it.
        let loader = request.method.isSafe ? kept ?? URLSessionLoader() : URLSessionLoader()
        loader.load(foreign, exchange)
        return exchange.exchange.promise
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest) throws(HTTPFailure) {
        guard let url = request.url else {
            throw .invalid(
                "the origin is none of http or https: a scheme, a host and perhaps a port"
            )
        }
        let body = request.body.flatMap { $0.isEmpty ? nil : $0 }
        if body != nil, request.method == .get || request.method == .head {
            throw .invalid("a \(request.method) has no body")
        }
        self.init(
            url: url,
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: URLSessionLoader.longest
        )
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        httpBody = body
        for (name, _) in request.headers {
            setValue(request.headers[name], forHTTPHeaderField: name)
        }
        // Else POST would be taken for a form.
        if body != nil, request.headers["Content-Type"] == nil {
            setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
    }
}
