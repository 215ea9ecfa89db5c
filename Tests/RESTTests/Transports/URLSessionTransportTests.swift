import Foundation
import ModelKitFields
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct URLSessionTransportTests {
    private let transport = URLSessionTransport()

    @Test func `a request arrives as it was asked for`() async throws {
        let server = try LoopbackServer { _ in
            .value(HTTPResponse(status: 201, headers: ["ETag": "\"1\""], body: Data("done".utf8)))
        }
        let request = HTTPRequest(
            .patch,
            server.origin,
            "/people/a%2Fb/%2E%2E/?q=%C3%A9&r=a+b",
            headers: ["Accept": "text/plain", "X-Empty": "", "If-Match": "\"0\""],
            body: Data("{}".utf8)
        )
        let response = try await transport.send(request, .patient).value
        expect(response.status, equals: 201)
        expect(response.headers["etag"], equals: "\"1\"")
        expect(response.body, equals: Data("done".utf8))
        let arrived = try #require(server.requests.first)
        expect(arrived.method, equals: .patch)
        expect(arrived.target, equals: request.target)
        expect(arrived.headers["accept"], equals: "text/plain")
        expect(arrived.headers["x-empty"], equals: "")
        expect(arrived.headers["if-match"], equals: "\"0\"")
        expect(arrived.headers["content-type"], equals: "application/octet-stream")
        expect(arrived.headers["content-length"], equals: "2")
        expect(arrived.headers["host"].map { "http://" + $0 }, equals: server.origin)
        expect(arrived.headers["cookie"], equals: nil)
    }

    @Test func `brackets in a query do not have the rest encoded twice`() async throws {
        let server = try LoopbackServer { _ in .value(HTTPResponse(status: 200)) }
        _ = try await transport.send(.get, server, "/a%2Fb?c[d]=%5B&e={f}|%C3%A9").value
        expect(server.requests.first?.target.contains("%25"), equals: false)
    }

    @Test func `a GET with a body is refused, as nothing of it would be sent`() async throws {
        let server = try LoopbackServer { _ in .value(HTTPResponse(status: 200)) }
        let error = await failure(of: transport.send(.get, server, "/", body: "a"))
        expect(error?.mayBeSent, equals: false)
        expect(server.requests.isEmpty)
    }

    @Test(arguments: [204, 304])
    func `an answer that has no body does not wait for one`(status: Int) async throws {
        let server = try LoopbackServer { _, _ in
            .raw(
                "HTTP/1.1 \(status) x\r\nContent-Length: 5\r\nETag: \"1\"\r\n\r\n",
                thenClose: false
            )
        }
        let response = try await transport.send(.get, server, "/").value
        expect(response.status, equals: status)
        expect(response.headers["ETag"], equals: "\"1\"")
        expect(response.body.isEmpty)
    }

    @Test func `HEAD is answered with the length of what is not sent`() async throws {
        let server = try LoopbackServer { _, _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", thenClose: false)
        }
        let limits = HTTPLimits(deadline: nil, responseSize: 10)
        let response = try await transport.send(.head, server, "/", limits).value
        expect(response.headers["Content-Length"], equals: "99999999")
        expect(response.body.isEmpty)
    }

    @Test(arguments: [301, 302, 303, 307, 308, 300])
    func `a redirect is an answer like others`(status: Int) async throws {
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(status: status, headers: ["Location": "/b"], body: Data("gone".utf8))
            )
        }
        for method in [HTTPMethod.get, .post] {
            let response = try await transport.send(method, server, "/a").value
            expect(response.status, equals: status)
            expect(response.headers["Location"], equals: "/b")
            expect(response.body, equals: Data("gone".utf8))
        }
        expect(server.count(of: "/a"), equals: 2)
        expect(server.requests.count, equals: 2)
    }

    @Test(arguments: [
        "Basic realm=\"a\"", "Bearer", "Bearer realm=\"a\", error=\"invalid_token\"",
        "Digest realm=\"a\", nonce=\"b\"", "Negotiate", "",
    ])
    func `401 is an answer like others, whatever it asks for`(challenge: String) async throws {
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(
                    status: 401,
                    headers: ["WWW-Authenticate": challenge],
                    body: Data("who?".utf8)
                )
            )
        }
        let response = try await transport.send(.post, server, "/", body: "a").value
        expect(response.status, equals: 401)
        expect(response.body, equals: Data("who?".utf8))
        expect(server.requests.count, equals: 1)
    }

    @Test func `nothing is kept: no cookie, no answer, no validator`() async throws {
        for transport in [transport, URLSessionTransport(keepsConnections: true)] {
            let server = try LoopbackServer { _, _ in
                .response(
                    HTTPResponse(
                        status: 200,
                        headers: [
                            "Set-Cookie": "a=b", "Cache-Control": "max-age=100", "ETag": "\"1\"",
                        ]
                    )
                )
            }
            for _ in 0..<2 {
                try await expect(
                    transport.send(.get, server, "/").value.headers["Set-Cookie"],
                    equals: "a=b"
                )
            }
            expect(server.requests.count, equals: 2)
            expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
            expect(server.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
        }
    }

    @Test func `chunks are put together, and interim answers passed over`() async throws {
        let server = try LoopbackServer { _, _ in
            .raw(
                """
                HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
                HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                5\r\nhello\r\n4;x=y\r\n you\r\n0\r\n\r\n
                """,
                thenClose: false
            )
        }
        let response = try await transport.send(.get, server, "/").value
        expect(response.status, equals: 200)
        expect(response.headers["Link"], equals: nil)
        expect(response.body, equals: Data("hello you".utf8))
    }

    @Test func `a compressed answer is decompressed, and its head does not say otherwise`()
        async throws
    {
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(
                    status: 200,
                    headers: ["Content-Encoding": "gzip"],
                    body: Data(Gzip.hello)
                )
            )
        }
        let seen = Log<HTTPProgress>()
        let response = try await transport.send(
            .get,
            server,
            "/",
            HTTPLimits(deadline: nil, progress: seen.add)
        )
        .value
        expect(response.body, equals: Data("hello hello hello\n".utf8))
        expect(response.headers["Content-Encoding"], equals: nil)
        expect(response.headers["Content-Length"], equals: nil)
        expect(seen.entries.map(\.fraction).max(), equals: 1)
        expect(seen.entries.allSatisfy { $0.received <= $0.toReceive ?? .max })
    }
}
