import Foundation
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

@Suite struct TransportLimitTests {
    private let transport = URLSessionTransport()

    @Test(arguments: [LoopbackServer.Answer.hang, .drip(count: 100_000, pause: .milliseconds(20))])
    func `the deadline is that of the whole exchange, and ends the connection`(
        answer: LoopbackServer.Answer
    ) async throws {
        let server = try LoopbackServer { _, _ in answer }
        for transport in [transport, URLSessionTransport(keepsConnections: true)] {
            let begin = ContinuousClock.now
            let limits = HTTPLimits(deadline: .milliseconds(300))
            let promise = transport.send(.get, server, "/", limits)
            // Not when this task goes on, which has to wait where many tests run at once.
            let ends = Log<ContinuousClock.Instant>()
            promise.observe { _ in ends.add(.now) }
            await expect(failure(of: promise), equals: HTTPFailure(.timedOut, mayBeSent: true))
            // The body would take half an hour.
            let end = try #require(ends.entries.first)
            expect(end - begin < .seconds(30))
            await expect(eventually { server.hangups > 0 })
        }
    }

    @Test func `without a deadline it takes its time`() async throws {
        let server = try LoopbackServer { _, _ in .drip(count: 20, pause: .milliseconds(20)) }
        let limits = HTTPLimits(deadline: nil)
        try await expect(transport.send(.get, server, "/", limits).value.body.count, equals: 20)
    }

    @Test(arguments: [LoopbackServer.Answer.hang, .drip(count: 100_000, pause: .milliseconds(20))])
    func `to cancel it ends the connection`(answer: LoopbackServer.Answer) async throws {
        let server = try LoopbackServer { _, _ in answer }
        let promise = transport.send(.post, server, "/", body: "a")
        await expect(eventually { server.requests.count == 1 })
        promise.cancel()
        await expect(failure(of: promise), equals: HTTPFailure(.cancelled, mayBeSent: true))
        await expect(eventually { server.hangups == 1 })
    }

    @Test func `who awaits it and is cancelled ends the connection, too`() async throws {
        let server = try LoopbackServer { _, _ in .hang }
        let task = Task { try await transport.send(.get, server, "/").map(\.status).value }
        await expect(eventually { server.requests.count == 1 })
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        await expect(eventually { server.hangups == 1 })
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 500 No\r\nContent-Length: 99999999999\r\n\r\n",
    ])
    func `no more than the limit is received`(head: String) async throws {
        let server = try LoopbackServer { _, _ in .flood(head: head) }
        let limits = HTTPLimits(deadline: nil, responseSize: 1_000_000)
        let error = await failure(of: transport.send(.get, server, "/", limits))
        expect(error, equals: HTTPFailure(.tooLarge(limit: 1_000_000), mayBeSent: true))
        await expect(eventually { server.hangups == 1 })
    }

    @Test func `an announced length is refused before the body comes`() async throws {
        let server = try LoopbackServer { _, _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", thenClose: false)
        }
        let limits = HTTPLimits(deadline: nil, responseSize: 10)
        let error = await failure(of: transport.send(.get, server, "/", limits))
        expect(error?.reason, equals: .tooLarge(limit: 10))
    }

    @Test func `what is decompressed counts, so that a bomb does not go off`() async throws {
        let bomb = Gzip.bomb(count: 300 << 20)
        let server = try LoopbackServer { _, _ in
            .response(
                HTTPResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: Data(bomb))
            )
        }
        let limits = HTTPLimits(deadline: nil, responseSize: 4 << 20)
        let error = await failure(of: transport.send(.get, server, "/", limits))
        expect(error, equals: HTTPFailure(.tooLarge(limit: 4 << 20), mayBeSent: true))
    }

    @Test func `progress grows up to the whole, and no further`() async throws {
        let server = try LoopbackServer { _ in
            .value(HTTPResponse(status: 200, body: Data(count: 3_000_000)))
        }
        let seen = Log<HTTPProgress>()
        let request = HTTPRequest(.post, server.origin, "/", body: Data(count: 2_000_000))
        _ = try await transport.send(request, HTTPLimits(deadline: nil, progress: seen.add)).value
        let fractions = seen.entries.map(\.fraction)
        expect(fractions, equals: fractions.sorted())
        expect(fractions.last, equals: 1)
        expect(fractions.count > 4)
        expect(seen.entries.contains { $0.sent > 0 && $0.received == 0 })
        expect(
            seen.entries.last,
            equals: HTTPProgress(
                sent: 2_000_000,
                toSend: 2_000_000,
                received: 3_000_000,
                toReceive: 3_000_000
            )
        )
    }
}
