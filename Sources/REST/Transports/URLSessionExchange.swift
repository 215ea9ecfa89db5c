import Foundation
import ModelKitStores

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchange that is made by URL loading.
// Safe: the variables are used in the calls of the session alone, which come one after the other; but for
// `task`, which is set before the first of them.
final class URLSessionExchange: @unchecked Sendable {
    let exchange = HTTPExchange()
    private let method: HTTPMethod
    private let limits: HTTPLimits
    private var task: URLSessionTask?

    private var response: HTTPURLResponse?
    private var body = Data()
    private var progress: HTTPProgress
    private var hasChallenge = false

    init(_ request: HTTPRequest, _ limits: HTTPLimits) {
        method = request.method
        self.limits = limits
        progress = HTTPProgress(toSend: request.body?.count ?? 0)
    }

    func begin(_ task: URLSessionTask) {
        self.task = task
        exchange.isSent()
        exchange.begin(limits.deadline) { task.cancel() }
        task.resume()
    }

    /// Ends without having read all.
    private func stop(_ reason: HTTPFailure.Reason) {
        exchange.fail(reason)
        task?.cancel()
    }

    private func report(_ change: (inout HTTPProgress) -> Void) {
        change(&progress)
        if !exchange.promise.isSettled { limits.progress?(progress) }
    }

    func sent(_ count: Int64) {
        report { $0.sent = max($0.sent, min(Int(count), $0.toSend)) }
    }

    func received(_ response: URLResponse) {
        // Linux tells of those that announce another, too.
        guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else {
            return
        }
        self.response = response
        guard method.hasBody(in: response.statusCode) else { return }
        if response.expectedContentLength > Int64(limits.responseSize) {
            return stop(.tooLarge(limit: limits.responseSize))
        }
        if !response.isCompressed, response.expectedContentLength >= 0 {
            progress.toReceive = Int(response.expectedContentLength)
        }
    }

    func received(_ data: Data) {
        guard !exchange.promise.isSettled else { return }
        guard data.count <= limits.responseSize - body.count else {
            return stop(.tooLarge(limit: limits.responseSize))
        }
        body.append(data)
        report { progress in
            progress.received = body.count
            progress.toReceive = progress.toReceive.map { max($0, body.count) }
        }
    }

    /// It was asked for credentials, of which it has none.
    ///
    /// The answer that asks stands as it is. Linux ends the task by that, when all of it is here.
    func isChallenged() { hasChallenge = true }

    func ended(_ error: (any Error)?) {
        task = nil
        if let error, !(hasChallenge && response != nil) {
            exchange.end(.failure(HTTPFailure(error, hasResponse: response != nil)))
        } else {
            complete()
        }
    }

    private func complete() {
        guard let response else {
            exchange.fail(.malformed)
            return
        }
        let hasBody = method.hasBody(in: response.statusCode)
        if hasBody, !response.isCompressed, Int64(body.count) < response.expectedContentLength {
            exchange.fail(.truncated)
            return
        }
        report { progress in
            progress.sent = progress.toSend
            progress.toReceive = progress.received
        }
        exchange.end(
            .success(
                HTTPResponse(
                    status: response.statusCode,
                    headers: HTTPHeaders(response, isDecoded: hasBody && response.isCompressed),
                    body: hasBody ? body : Data()
                )
            )
        )
    }
}

extension HTTPURLResponse {
    fileprivate var isCompressed: Bool {
        value(forHTTPHeaderField: "Content-Encoding").map { $0.lowercased() != "identity" } ?? false
    }
}

extension HTTPHeaders {
    /// The fields, by their names, as URL loading keeps no order.
    fileprivate init(_ response: HTTPURLResponse, isDecoded: Bool) {
        self.init()
        var fields: [(name: String, value: String)] = []
        for case let (name as String, value as String) in response.allHeaderFields {
            fields.append((name, value))
        }
        for (name, value) in fields.sorted(by: { $0.name < $1.name }) { add(name, value) }
        // They tell of what was sent, not of what is here.
        if isDecoded {
            self["Content-Encoding"] = nil
            self["Content-Length"] = nil
        }
    }
}
