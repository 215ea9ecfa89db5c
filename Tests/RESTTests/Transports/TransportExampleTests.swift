import Foundation
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// The examples of the documentation.
@Suite struct TransportExampleTests {
    private struct Echo: HTTPTransport {
        func send(_ request: HTTPRequest, _ limits: HTTPLimits) -> Promise<HTTPResponse> {
            .value(HTTPResponse(status: 200, body: request.body ?? Data()))
        }
    }

    @Test func `a transport of a few lines answers`() async throws {
        let request = HTTPRequest(.post, "https://example.com", "/", body: Data("a".utf8))
        let limits = HTTPLimits(deadline: .seconds(10), responseSize: 1_000_000)
        try await expect(Echo().send(request, limits).value.body, equals: Data("a".utf8))
        #expect(throws: HTTPFailure.self) {
            try HTTPRequest(.get, "https://example.com", "/people/../admin").check()
        }
    }

    @Test func `a script says what goes wrong`() async throws {
        let transport = MemoryTransport { request in
            HTTPResponse(status: request.target == "/people/1" ? 200 : 404)
        }
        transport.script = [.fail(.refused, on: .post), .loseAnswer(on: .post)]
        let request = HTTPRequest(.post, "https://example.com", "/people/1")
        let unsent = Log<Bool>()
        transport.send(request, HTTPLimits()).catch { error in
            guard let failure = error as? HTTPFailure, !failure.mayBeSent else { return }
            unsent.add(true)
        }
        expect(unsent.entries, equals: [true])
        await expect(failure(of: transport.send(request, HTTPLimits()))?.mayBeSent, equals: true)
        try await expect(transport.send(request, HTTPLimits()).value.status, equals: 200)
        expect(transport.count(of: .post), equals: 2)
    }
}
