import AsyncHTTPClientTransport
import Foundation
import ModelKitREST
import ModelKitStores
import Testing

@Suite struct RESTResponderTests {
    private static let transports: [any HTTPTransport] = [
        URLSessionTransport(), AsyncHTTPClientTransport(),
    ]
    private let limits = HTTPLimits(deadline: nil)

    @Test func `what comes reaches the handler as it was sent, and its answer the client`()
        async throws
    {
        let seen = Log<HTTPRequest>()
        let handler = MemoryTransport { request in
            seen.add(request)
            return HTTPResponse(
                status: 201,
                headers: ["ETag": "\"1\"", "Link": "</a>"],
                body: request.body ?? Data()
            )
        }
        try await withServer(handler) { origin in
            for transport in Self.transports {
                let request = HTTPRequest(
                    .patch,
                    origin,
                    "/people/a%2Fb/%2E%2E/%C3%A9/?q=%26&r=a+b",
                    headers: ["If-Match": "\"0\"", "Idempotency-Key": "\"k\""],
                    body: Data("{}".utf8)
                )
                let answer = try await transport.send(request, HTTPLimits(deadline: nil)).value
                #expect(answer.status == 201)
                #expect(answer.headers["ETag"] == "\"1\"")
                #expect(answer.headers["Link"] == "</a>")
                #expect(answer.body == Data("{}".utf8))
                let arrived = try #require(seen.entries.last)
                #expect(arrived.method == .patch)
                #expect(arrived.target == request.target)
                #expect(arrived.body == request.body)
                #expect(arrived.headers["if-match"] == "\"0\"")
                #expect(arrived.headers["idempotency-key"] == "\"k\"")
                #expect(arrived.headers["host"].map { "http://" + $0 } == origin)
            }
        }
    }

    @Test(arguments: [204, 304, 404, 412])
    func `every status passes, with or without a body`(status: Int) async throws {
        let handler = MemoryTransport { _ in HTTPResponse(status: status) }
        try await withServer(handler) { origin in
            for transport in Self.transports {
                for method in [HTTPMethod.get, .head, .delete] {
                    let request = HTTPRequest(method, origin, "/")
                    let answer = try await transport.send(request, limits).value
                    #expect(answer.status == status)
                }
            }
        }
    }

    @Test func `a body that is too long is not read to its end`() async throws {
        let handler = MemoryTransport { _ in HTTPResponse(status: 200) }
        try await withServer(handler, bodySize: 1_000) { origin in
            for count in [1_000, 1_001] {
                let request = HTTPRequest(.post, origin, "/", body: Data(count: count))
                let answer = try await AsyncHTTPClientTransport().send(request, limits).value
                #expect(answer.status == (count > 1_000 ? 413 : 200))
            }
        }
    }
}
