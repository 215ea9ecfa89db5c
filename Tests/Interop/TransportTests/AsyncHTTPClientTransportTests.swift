import AsyncHTTPClientTransport
import Foundation
import ModelKitREST
import ModelKitStores
import Testing

/// What the default transport has to pass, as far as it applies.
@Suite struct AsyncHTTPClientTransportTests {
    private let transport = AsyncHTTPClientTransport()

    @Test func `a request arrives as it was asked for`() async throws {
        let server = try LoopbackServer { _ in
            .value(HTTPResponse(status: 201, headers: ["ETag": "\"1\""], body: Data("done".utf8)))
        }
        let request = HTTPRequest(
            .patch,
            server.origin,
            "/people/a%2Fb/%2E%2E//?q=%C3%A9&r=a+b&s=%5B&",
            headers: ["Accept": "text/plain", "X-Empty": "", "If-Match": "\"0\""],
            body: Data("{}".utf8)
        )
        let response = try await transport.send(request, HTTPLimits(deadline: nil)).value
        #expect(response.status == 201)
        #expect(response.headers["etag"] == "\"1\"")
        #expect(response.body == Data("done".utf8))
        let arrived = try #require(server.requests.first)
        #expect(arrived.method == .patch)
        #expect(arrived.target == request.target)
        #expect(arrived.headers["accept"] == "text/plain")
        #expect(arrived.headers["x-empty"] == "")
        #expect(arrived.headers["if-match"] == "\"0\"")
        #expect(arrived.headers["content-length"] == "2")
        #expect(arrived.headers["host"].map { "http://" + $0 } == server.origin)
    }

    @Test func `what Foundation has no URL for arrives encoded, and nothing twice`() async throws {
        let server = try LoopbackServer { _ in .value(HTTPResponse(status: 200)) }
        _ = try await transport.send(.get, server, "/a%2Fb?c[d]=%5B&e={f}|%C3%A9").value
        #expect(server.requests.map(\.target) == ["/a%2Fb?c%5Bd%5D=%5B&e=%7Bf%7D%7C%C3%A9"])
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete, .options])
    func `every method is sent without a body, and with one`(method: HTTPMethod) async throws {
        let server = try LoopbackServer {
            .value(HTTPResponse(status: 200, body: $0.body ?? Data()))
        }
        for body in [nil, "a"] {
            let response = try await transport.send(method, server, "/", body: body).value
            #expect(response.body == Data((body ?? "").utf8))
        }
        #expect(server.requests.map(\.method) == [method, method])
    }

    @Test(arguments: [204, 304])
    func `an answer that has no body does not wait for one`(status: Int) async throws {
        let server = try LoopbackServer { _, _ in
            .raw("HTTP/1.1 \(status) x\r\nETag: \"1\"\r\n\r\n", thenClose: false)
        }
        let response = try await transport.send(.get, server, "/").value
        #expect(response.status == status)
        #expect(response.headers["ETag"] == "\"1\"")
        #expect(response.body.isEmpty)
    }

    @Test func `HEAD is answered with the length of what is not sent`() async throws {
        let server = try LoopbackServer { _, _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", thenClose: false)
        }
        let limits = HTTPLimits(deadline: nil, responseSize: 10)
        let response = try await transport.send(.head, server, "/", limits).value
        #expect(response.headers["Content-Length"] == "99999999")
    }

    @Test(arguments: [301, 302, 303, 307, 308, 300, 401])
    func `redirects and challenges are answers like others`(status: Int) async throws {
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(
                    status: status,
                    headers: ["Location": "/b", "WWW-Authenticate": "Basic realm=\"a\""],
                    body: Data("gone".utf8)
                )
            )
        }
        for method in [HTTPMethod.get, .post] {
            let response = try await transport.send(method, server, "/a").value
            #expect(response.status == status)
            #expect(response.headers["Location"] == "/b")
            #expect(response.body == Data("gone".utf8))
        }
        #expect(server.count(of: "/a") == 2)
        #expect(server.requests.count == 2)
    }

    @Test func `nothing is kept: no cookie, no answer, no validator`() async throws {
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(
                    status: 200,
                    headers: ["Set-Cookie": "a=b", "Cache-Control": "max-age=9", "ETag": "\"1\""]
                )
            )
        }
        for _ in 0..<2 { _ = try await transport.send(.get, server, "/").value }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
        #expect(server.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
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
        #expect(response.status == 200)
        #expect(response.headers["Link"] == nil)
        #expect(response.body == Data("hello you".utf8))
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
        let response = try await transport.send(.get, server, "/").value
        #expect(response.body == Data("hello hello hello\n".utf8))
        #expect(response.headers["Content-Encoding"] == nil)
        #expect(response.headers["Content-Length"] == nil)
    }

    @Test(arguments: ["", "a.example", "ftp://a.example", "file:///etc", "http://"])
    func `an origin that is none is refused`(origin: String) async {
        let request = HTTPRequest(.get, origin, "/")
        let error = await failure(of: transport.send(request, HTTPLimits(deadline: nil)))
        #expect(error?.mayBeSent == false)
    }

    @Test func `what no transport sends is refused`() async {
        let request = HTTPRequest(.get, "http://127.0.0.1:1", "/a\r\nHost: b")
        let error = await failure(of: transport.send(request, HTTPLimits(deadline: nil)))
        #expect(error?.mayBeSent == false)
    }

    @Test func `what is under way ends well when the transport is let go of`() async throws {
        let server = try LoopbackServer { _, _ in .drip(count: 5, pause: .milliseconds(50)) }
        let promise = AsyncHTTPClientTransport().send(.get, server, "/")
        #expect(try await promise.value.body.count == 5)
    }
}
