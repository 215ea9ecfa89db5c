import Foundation
import ModelKitREST
import ModelKitStores

/// What a promise fails with, if that is a failure of a transport.
func failure(of promise: Promise<HTTPResponse>) async -> HTTPFailure? {
    do {
        _ = try await promise.value
        return nil
    } catch {
        return error as? HTTPFailure
    }
}

extension HTTPLimits {
    /// Limits without a deadline: among thousands of tests, a task may go on only after minutes.
    static let patient = HTTPLimits(deadline: nil)
}

extension HTTPTransport {
    /// Sends a request to a server.
    func send(
        _ method: HTTPMethod,
        _ server: LoopbackServer,
        _ target: String,
        body: String? = nil,
        _ limits: HTTPLimits = .patient
    ) -> Promise<HTTPResponse> {
        send(HTTPRequest(method, server.origin, target, body: body.map { Data($0.utf8) }), limits)
    }
}

/// Waits until something holds, for some seconds at most; false if it does not.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<1_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return condition()
}

/// What happened, in order.
// Safe: `list` belongs to the lock.
final class Log<Entry: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [Entry] = []

    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }

    var entries: [Entry] { lock.withLock { list } }
}
