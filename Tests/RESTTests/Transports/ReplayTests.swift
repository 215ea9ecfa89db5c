import Foundation
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// A connection that is closed when it is used a second time, after the request was read: libcurl would send
/// it once more.
@Suite struct ReplayTests {
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request, number in
            if request.target == "/die", number > 1 { return .close }
            return .response(HTTPResponse(status: 200, body: Data("ok".utf8)))
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .post, .put, .patch, .delete], [nil, "body"])
    func `a request arrives once, whatever connections were there before`(
        method: HTTPMethod,
        body: String?
    ) async throws {
        if body != nil, method == .get || method == .head { return }
        let transport = URLSessionTransport()
        let server = try server()
        for _ in 0..<3 { _ = try await transport.send(.get, server, "/ok").value }
        _ = try await transport.send(method, server, "/die", body: body).value
        expect(server.count(of: "/die"), equals: 1)
        expect(server.connectionCount, equals: 4)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete], [nil, "body"])
    func `what writes arrives once, also where connections are kept`(
        method: HTTPMethod,
        body: String?
    ) async throws {
        let transport = URLSessionTransport(keepsConnections: true)
        let server = try server()
        // One after the other at once: a connection is not kept as long as a task may have to wait.
        let reads = (0..<2).reduce(transport.send(.get, server, "/ok")) { read, _ in
            read.then { _ in transport.send(.get, server, "/ok") }
        }
        let counts = Log<Int>()
        _ = try await reads.then { _ in
            counts.add(server.connectionCount)
            return transport.send(method, server, "/die", body: body)
        }.value
        expect(counts.entries, equals: [1])
        expect(server.count(of: "/die"), equals: 1)
        expect(server.connectionCount, equals: 2)
    }

    @Test(arguments: [HTTPMethod.get, .post, .delete], [LoopbackServer.Answer.close, .reset])
    func `a connection that ends without an answer is a failure, and nothing is sent again`(
        method: HTTPMethod,
        answer: LoopbackServer.Answer
    ) async throws {
        let server = try LoopbackServer { _, _ in answer }
        let error = await failure(of: URLSessionTransport().send(method, server, "/"))
        expect(error, equals: HTTPFailure(.connectionLost, mayBeSent: true))
        expect(server.requests.count, equals: 1)
    }
}
