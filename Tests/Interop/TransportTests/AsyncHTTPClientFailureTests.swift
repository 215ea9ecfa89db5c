import AsyncHTTPClientTransport
import Foundation
import ModelKitREST
import ModelKitStores
import Testing

@Suite struct AsyncHTTPClientFailureTests {
    private let transport = AsyncHTTPClientTransport()

    private func failure(to origin: String, _ method: HTTPMethod = .post) async -> HTTPFailure? {
        let request = HTTPRequest(method, origin, "/")
        return await TransportTests.failure(
            of: transport.send(request, HTTPLimits(deadline: .seconds(300)))
        )
    }

    @Test func `a refused connection has sent nothing`() async throws {
        let (socket, port) = try Socket.refusing()
        let error = await failure(to: "http://127.0.0.1:\(port)")
        #expect(error == HTTPFailure(.refused, mayBeSent: false))
        withExtendedLifetime(socket) {}
    }

    @Test func `a server of no known name has got nothing`() async {
        let error = await failure(to: "http://nobody.invalid")
        #expect(error == HTTPFailure(.refused, mayBeSent: false))
    }

    @Test func `a greeting that fails has sent nothing`() async throws {
        // It speaks no TLS, and reads the greeting as the beginning of a head.
        let (socket, port) = try Socket.listening()
        Thread.detachNewThread {
            guard let connection = socket.next() else { return }
            _ = connection.read()
            connection.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        }
        let error = await failure(to: "https://127.0.0.1:\(port)")
        #expect(error == HTTPFailure(.insecure, mayBeSent: false))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":1",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func `an answer that ends too early is none`(answer: String) async throws {
        let server = try LoopbackServer { _, _ in .raw(answer) }
        #expect(await failure(to: server.origin) == HTTPFailure(.truncated, mayBeSent: true))
    }

    @Test(arguments: [
        "HELLO\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "\u{1}\u{2}\r\n\r\n", "HTTP/9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
    ])
    func `what is no HTTP is a failure, and nothing is sent again`(answer: String) async throws {
        let server = try LoopbackServer { _, _ in .raw(answer) }
        #expect(await failure(to: server.origin) == HTTPFailure(.malformed, mayBeSent: true))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [HTTPMethod.get, .post, .delete], [LoopbackServer.Answer.close, .reset])
    func `a connection that ends without an answer is a failure, and nothing is sent again`(
        method: HTTPMethod,
        answer: LoopbackServer.Answer
    ) async throws {
        let server = try LoopbackServer { _, _ in answer }
        let error = await failure(to: server.origin, method)
        #expect(error == HTTPFailure(.connectionLost, mayBeSent: true))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete], [nil, "body"])
    func `a request on a connection that is closed when it is used again arrives once`(
        method: HTTPMethod,
        body: String?
    ) async throws {
        let server = try LoopbackServer { request, number in
            if request.target == "/die", number > 1 { return .close }
            return .response(HTTPResponse(status: 200, body: Data("ok".utf8)))
        }
        let transport = transport
        // One after the other at once: a connection is not kept as long as a task may have to wait.
        let promise = transport.send(.get, server, "/ok")
            .then { _ in transport.send(method, server, "/die", body: body) }
        let error = await TransportTests.failure(of: promise)
        #expect(error == HTTPFailure(.connectionLost, mayBeSent: true))
        #expect(server.count(of: "/die") == 1)
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [LoopbackServer.Answer.hang, .drip(count: 100_000, pause: .milliseconds(20))])
    func `the deadline is that of the whole exchange, and ends the connection`(
        answer: LoopbackServer.Answer
    ) async throws {
        let server = try LoopbackServer { _, _ in answer }
        let limits = HTTPLimits(deadline: .milliseconds(300))
        let error = await TransportTests.failure(of: transport.send(.get, server, "/", limits))
        #expect(error == HTTPFailure(.timedOut, mayBeSent: true))
        #expect(await eventually { server.hangups > 0 })
    }

    @Test(arguments: [LoopbackServer.Answer.hang, .drip(count: 100_000, pause: .milliseconds(20))])
    func `to cancel it ends the connection`(answer: LoopbackServer.Answer) async throws {
        let server = try LoopbackServer { _, _ in answer }
        let promise = transport.send(.post, server, "/", body: "a")
        #expect(await eventually { server.requests.count == 1 })
        promise.cancel()
        let error = await TransportTests.failure(of: promise)
        #expect(error == HTTPFailure(.cancelled, mayBeSent: true))
        #expect(await eventually { server.hangups == 1 })
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 500 No\r\nContent-Length: 99999999999\r\n\r\n",
    ])
    func `no more than the limit is received`(head: String) async throws {
        let server = try LoopbackServer { _, _ in .flood(head: head) }
        let limits = HTTPLimits(deadline: .seconds(300), responseSize: 1_000_000)
        let error = await TransportTests.failure(of: transport.send(.get, server, "/", limits))
        #expect(error == HTTPFailure(.tooLarge(limit: 1_000_000), mayBeSent: true))
        #expect(await eventually { server.hangups == 1 })
    }

    @Test func `as much as the limit is received`() async throws {
        let server = try LoopbackServer { _ in
            .value(HTTPResponse(status: 200, body: Data(count: 100_000)))
        }
        let limits = HTTPLimits(deadline: nil, responseSize: 100_000)
        #expect(try await transport.send(.get, server, "/", limits).value.body.count == 100_000)
    }

    @Test func `what is decompressed counts, so that a bomb does not go off`() async throws {
        let bomb = Gzip.bomb(count: 300 << 20)
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: Data(bomb))
            )
        }
        let limits = HTTPLimits(deadline: nil, responseSize: 4 << 20)
        let error = await TransportTests.failure(of: transport.send(.get, server, "/", limits))
        #expect(error == HTTPFailure(.tooLarge(limit: 4 << 20), mayBeSent: true))
    }

    @Test func `many at once are answered, fail or are cancelled, each for itself`() async throws {
        let server = try LoopbackServer { request, _ in
            switch request.target {
            case "/ok": .response(HTTPResponse(status: 200, body: Data("ok".utf8)))
            case "/close": .close
            default: .hang
            }
        }
        let targets = ["/ok", "/close", "/hang"]
        for number in 0..<60 {
            let promise = transport.send(.get, server, targets[number % 3])
            switch number % 3 {
            case 0: #expect(try await promise.value.status == 200)
            case 1:
                let error = await TransportTests.failure(of: promise)
                #expect(error?.reason == .connectionLost)
            default:
                promise.cancel()
                let error = await TransportTests.failure(of: promise)
                #expect(error?.reason == .cancelled)
            }
        }
    }
}
