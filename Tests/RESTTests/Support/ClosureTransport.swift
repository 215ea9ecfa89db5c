import ModelKitFields
import ModelKitREST
import ModelKitStores

/// A transport that is a closure, and knows what was sent by it.
struct ClosureTransport: HTTPTransport {
    let sent = Noted<HTTPRequest>()
    let deadlines = Noted<Duration?>()
    let answer: @Sendable (HTTPRequest, Int) -> Promise<HTTPResponse>

    /// Answers by the request and its number, from 1.
    init(_ answer: @escaping @Sendable (HTTPRequest, Int) -> Promise<HTTPResponse>) {
        self.answer = answer
    }

    /// Gives one answer after the other, and the last again and again.
    init(_ outcomes: Outcome...) {
        self.init { _, number in outcomes[min(number, outcomes.count) - 1].promise }
    }

    func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
        deadlines.note(limits.deadline)
        return answer(request, sent.note(request))
    }
}

enum Outcome: Sendable {
    case status(Int, HTTPHeaders = [:])
    case failed(HTTPFailure.Reason, mayBeSent: Bool)

    var promise: Promise<HTTPResponse> {
        switch self {
        case .status(let status, let headers):
            .value(HTTPResponse(status: status, headers: headers))
        case .failed(let reason, let mayBeSent):
            .failed(HTTPFailure(reason, mayBeSent: mayBeSent))
        }
    }

    var result: Result<HTTPResponse, HTTPFailure> {
        switch self {
        case .status(let status, let headers):
            .success(HTTPResponse(status: status, headers: headers))
        case .failed(let reason, let mayBeSent): .failure(HTTPFailure(reason, mayBeSent: mayBeSent))
        }
    }
}

/// What happened, from any thread.
// Safe: the variable is guarded by the lock.
final class Noted<Element: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var elements: [Element] = []

    /// Adds one, and returns how many there are.
    @discardableResult
    func note(_ element: Element) -> Int {
        lock.withLock {
            elements.append(element)
            return elements.count
        }
    }

    var all: [Element] { lock.withLock { elements } }
    var count: Int { all.count }
}

extension Promise {
    /// Why it failed, as what transports fail with.
    nonisolated(nonsending) var httpFailure: HTTPFailure? {
        get async {
            do { _ = try await value } catch { return error as? HTTPFailure }
            return nil
        }
    }
}

let example = "https://example.com"
