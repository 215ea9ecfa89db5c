import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchange that is made by URL loading.
final class URLSessionExchange: Sendable {
    private struct State: Sendable {
        var task: URLSessionTask?
        var response: HTTPURLResponse?
        var body = Data()
        var progress: HTTPProgress
        var hasChallenge = false
    }

    let exchange = HTTPExchange()
    private let method: HTTPMethod
    private let limits: HTTPLimits
    /// Used in the calls of the session alone, which come one after the other; but for the task, which is
    /// set before the first of them.
    private let state: Guarded<State>

    init(_ request: HTTPRequest, _ limits: HTTPLimits) {
        method = request.method
        self.limits = limits
        state = Guarded(State(progress: HTTPProgress(toSend: request.body?.count ?? 0)))
    }

    func begin(_ task: URLSessionTask) {
        state.withLock { $0.task = task }
        exchange.isSent()
        exchange.begin(limits.deadline) { task.cancel() }
        task.resume()
    }

    /// Ends without having read all.
    private func stop(_ reason: HTTPFailure.Reason) {
        exchange.fail(reason)
        state.withLock { $0.task }?.cancel()
    }

    private func report(_ change: (inout HTTPProgress, _ body: Data) -> Void) {
        let progress = state.withLock { state in
            change(&state.progress, state.body)
            return state.progress
        }
        if !exchange.promise.isSettled { limits.progress?(progress) }
    }

    func sent(_ count: Int64) {
        report { progress, _ in
            progress.sent = max(progress.sent, min(Int(count), progress.toSend))
        }
    }

    func received(_ response: URLResponse) {
        // Linux reports those that announce another, too.
        guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else {
            return
        }
        state.withLock { $0.response = response }
        guard method.hasBody(in: response.statusCode) else { return }
        if response.expectedContentLength > Int64(limits.responseSize) {
            return stop(.tooLarge(limit: limits.responseSize))
        }
        if !response.isCompressed, response.expectedContentLength >= 0 {
            state.withLock { $0.progress.toReceive = Int(response.expectedContentLength) }
        }
    }

    func received(_ data: Data) {
        guard !exchange.promise.isSettled else { return }
        let isTaken = state.withLock { state in
            guard data.count <= limits.responseSize - state.body.count else { return false }
            state.body.append(data)
            return true
        }
        guard isTaken else { return stop(.tooLarge(limit: limits.responseSize)) }
        report { progress, body in
            progress.received = body.count
            progress.toReceive = progress.toReceive.map { max($0, body.count) }
        }
    }

    /// It was asked for credentials, of which it has none.
    ///
    /// The answer that asks stands as it is. Linux ends the task by that, when all of it is here.
    func isChallenged() { state.withLock { $0.hasChallenge = true } }

    func ended(_ error: (any Error)?) {
        let (task, state) = state.withLock { ($0.task.take(), $0) }
        withExtendedLifetime(task) {}
        if let error, !(state.hasChallenge && state.response != nil) {
            exchange.end(.failure(HTTPFailure(error, hasResponse: state.response != nil)))
        } else {
            complete(state.response, state.body)
        }
    }

    private func complete(_ response: HTTPURLResponse?, _ body: Data) {
        guard let response else {
            exchange.fail(.malformed)
            return
        }
        let hasBody = method.hasBody(in: response.statusCode)
        if hasBody, !response.isCompressed, Int64(body.count) < response.expectedContentLength {
            exchange.fail(.truncated)
            return
        }
        report { progress, _ in
            progress.sent = progress.toSend
            progress.toReceive = progress.received
        }
        let headers = HTTPHeaders(response, isDecoded: hasBody && response.isCompressed)
        let body = hasBody ? body : Data()
        let status = response.statusCode
        exchange.end(.success(HTTPResponse(status: status, headers: headers, body: body)))
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
        // They describe what was sent, not what is here.
        if isDecoded {
            self["Content-Encoding"] = nil
            self["Content-Length"] = nil
        }
    }
}
