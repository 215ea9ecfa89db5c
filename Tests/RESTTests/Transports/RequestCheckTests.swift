import Foundation
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What no transport sends, tried with both.
@Suite struct RequestCheckTests {
    static let transports: [any HTTPTransport] = [
        URLSessionTransport(), MemoryTransport { _ in HTTPResponse(status: 200) },
    ]

    private func expectRefusal(_ request: HTTPRequest) async {
        for transport in Self.transports {
            let error = await failure(of: transport.send(request, .patient))
            guard case .invalidRequest(let text)? = error?.reason else {
                Issue.record("\(type(of: transport)) did not refuse it: \(error as Any)")
                continue
            }
            expect(error?.mayBeSent, equals: false)
            expect(!text.contains("s3cret"))
        }
    }

    @Test(arguments: [
        ("X", "s3cret\r\nHost: evil"), ("X", "s3cret\nb"), ("X", "s3cret\rb"), ("X", "s3cret\0"),
        ("", "s3cret"), ("a b", "s3cret"), ("s3cret:", "a"), ("X\r\nY", "a"), ("é", "a"),
    ])
    func `a field that would break the head is refused`(name: String, value: String) async {
        await expectRefusal(
            HTTPRequest(
                .get,
                "http://127.0.0.1:1",
                "/",
                headers: HTTPHeaders(dictionaryLiteral: (name, value))
            )
        )
    }

    @Test(arguments: [
        "", "people", "/a b", "/a\r\nHost: evil", "/é", "/a#b", "/a%", "/a%2", "/a%zz", "/..",
        "/a/../b",
        "/./b", "http://a.example/",
    ])
    func `a target that would be sent as another is refused`(target: String) async {
        await expectRefusal(HTTPRequest(.get, "http://127.0.0.1:1", target))
    }

    @Test(arguments: ["", "GE T", "GET\r\n", "GÉT"])
    func `a method that is no name is refused`(method: String) async {
        await expectRefusal(HTTPRequest(HTTPMethod(rawValue: method), "http://127.0.0.1:1", "/"))
    }

    @Test func `a length that is not that of the body is refused, and so is another framing`() async
    {
        for (name, value) in [
            ("Content-Length", "1"), ("content-length", "x"), ("Transfer-Encoding", "chunked"),
        ] {
            await expectRefusal(
                HTTPRequest(
                    .post,
                    "http://127.0.0.1:1",
                    "/",
                    headers: HTTPHeaders(dictionaryLiteral: (name, value)),
                    body: Data("ab".utf8)
                )
            )
        }
    }

    @Test(arguments: [
        "", "a.example", "ftp://a.example", "file:///etc", "http://", "http://a.example/b",
        "http://me:s3cret@a.example", "http://a example", "http://a.example?b",
        "http://a.example#b",
    ])
    func `an origin is a scheme, a host and perhaps a port`(origin: String) async {
        let error = await failure(
            of: URLSessionTransport().send(HTTPRequest(.get, origin, "/"), .patient)
        )
        guard case .invalidRequest? = error?.reason else {
            Issue.record("\(error as Any)")
            return
        }
        expect(error?.mayBeSent, equals: false)
    }

    @Test func `what is odd but correct is sent`() async throws {
        let transport = MemoryTransport { HTTPResponse(status: 200, body: Data($0.target.utf8)) }
        for target in ["/%2E%2E", "/...", "/a..b/", "//", "/?..", "/a?b[c]=%5B", "/a?b=c/../d"] {
            let answer = transport.send(HTTPRequest(.get, target), .patient)
            try await expect(answer.value.body, equals: Data(target.utf8))
        }
    }
}
