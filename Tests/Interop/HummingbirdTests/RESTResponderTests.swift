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

    @Test(arguments: [
        ("POST /people HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 200),
        ("GET /people?name=Jos\u{e9} HTTP/1.1", "\r\n", 400),
        ("GET /people/%zz HTTP/1.1", "\r\n", 400),
        ("GET /people HTTP/1.1", "\r\n", 200),
    ]) func `what no client here would send is answered, too`(
        _ line: String,
        _ rest: String,
        _ status: Int
    ) async throws {
        let handler = MemoryTransport { request in
            HTTPResponse(status: 200, body: request.body ?? Data())
        }
        try await withServer(handler) { origin in
            let port = try #require(origin.split(separator: ":").last.flatMap { UInt16($0) })
            let head = "\(line)\r\nHost: a\r\nConnection: close\r\n"
            let answer = try await onThread {
                let socket = try Socket.connected(to: port)
                socket.write(Array((head + rest).utf8))
                var bytes: [UInt8] = []
                while let more = socket.read() { bytes += more }
                return String(decoding: bytes, as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            if rest.contains("{}") { #expect(answer.hasSuffix("{}")) }
        }
    }

    @Test func `an answer may be as long as it is`() async throws {
        let handler = MemoryTransport { _ in
            HTTPResponse(status: 200, body: Data(count: 65 << 20))
        }
        try await withServer(handler) { origin in
            let limits = HTTPLimits(deadline: nil, responseSize: .max)
            let request = HTTPRequest(.get, origin, "/")
            let answer = try await AsyncHTTPClientTransport().send(request, limits).value
            #expect(answer.status == 200 && answer.body.count == 65 << 20)
        }
    }

    /// Where something may block.
    private func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await Promise<Result> { resolver in
            Thread.detachNewThread { resolver.resolve(Swift.Result { try body() }) }
        }.value
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
