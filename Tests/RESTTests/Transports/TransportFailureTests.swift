import Foundation
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct TransportFailureTests {
    private let transport = URLSessionTransport()

    private func failure(to origin: String, _ method: HTTPMethod = .post) async -> HTTPFailure? {
        await RESTTests.failure(
            of: transport.send(
                HTTPRequest(method, origin, "/"),
                .patient
            )
        )
    }

    @Test func `a refused connection has sent nothing`() async throws {
        let (socket, port) = try Socket.refusing()
        let error = await failure(to: "http://127.0.0.1:\(port)")
        expect(error, equals: HTTPFailure(.refused, mayBeSent: false))
        withExtendedLifetime(socket) {}
    }

    @Test func `a server of no known name has got nothing`() async {
        let error = await failure(to: "http://nobody.invalid")
        expect(error, equals: HTTPFailure(.unknownHost, mayBeSent: false))
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
        expect(error, equals: HTTPFailure(.insecure, mayBeSent: false))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":1",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func `an answer that ends too early is none`(answer: String) async throws {
        let server = try LoopbackServer { _, _ in .raw(answer) }
        let error = await failure(to: server.origin)
        expect(error, equals: HTTPFailure(.truncated, mayBeSent: true))
    }

    @Test(arguments: [
        "HELLO\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "\u{1}\u{2}\r\n\r\n", "HTTP/9 200 OK\r\n\r\n",
        "HTTP/1.1 99999 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nContent-Encoding: unheard-of\r\nContent-Length: 4\r\n\r\nabcd",
    ])
    func `what is no HTTP is malformed`(answer: String) async throws {
        let server = try LoopbackServer { _, _ in .raw(answer) }
        await expect(failure(to: server.origin), equals: HTTPFailure(.malformed, mayBeSent: true))
        expect(server.requests.count, equals: 1)
    }

    @Test func `many at once are answered, fail or are cancelled, each for itself`() async throws {
        let server = try LoopbackServer { request, _ in
            switch request.target {
            case "/ok": .response(HTTPResponse(status: 200, body: Data("ok".utf8)))
            case "/close": .close
            case "/drip": .drip(count: 50, pause: .milliseconds(2))
            default: .hang
            }
        }
        let targets = ["/ok", "/close", "/drip", "/hang"]
        for transport in [transport, URLSessionTransport(keepsConnections: true)] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<80 {
                    let target = targets[number % 4]
                    let promise = transport.send(.get, server, target)
                    group.addTask {
                        switch target {
                        case "/ok": try await expect(promise.value.status, equals: 200)
                        case "/close":
                            await expect(
                                RESTTests.failure(of: promise)?.reason,
                                equals: .connectionLost
                            )
                        default:
                            try await Task.sleep(for: .milliseconds(number))
                            promise.cancel()
                            _ = await RESTTests.failure(of: promise)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
