import Foundation
import ModelKitFields
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct MemoryTransportTests {
    private let transport = MemoryTransport { request in
        HTTPResponse(status: 200, body: Data("\(request.method) \(request.target)".utf8))
    }

    private func send(
        _ method: HTTPMethod = .get,
        _ target: String = "/",
        _ limits: HTTPLimits = .patient
    ) -> Promise<HTTPResponse> {
        transport.send(HTTPRequest(method, "https://a.example", target), limits)
    }

    @Test func `a closure is the server, at once or later`() async throws {
        try await expect(send(.get, "/a?b").value.body, equals: Data("GET /a?b".utf8))
        let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
        let later = MemoryTransport { _ in promise }
        let answer = later.send(HTTPRequest(.get, "/"), .patient)
        expect(answer.result == nil)
        resolver.fulfill(HTTPResponse(status: 204))
        try await expect(answer.value.status, equals: 204)
    }

    @Test func `a step is for the first request that it fits`() async throws {
        transport.script = [
            .fail(.refused, on: .post), .pass(at: "/b"), .fail(.offline, at: "/b"),
            .answer(HTTPResponse(status: 503), on: .put),
        ]
        await expect(
            failure(of: send(.post, "/a")),
            equals: HTTPFailure(.refused, mayBeSent: false)
        )
        try await expect(send(.post, "/b?c").value.status, equals: 200)
        await expect(failure(of: send(.post, "/b?c"))?.reason, equals: .offline)
        try await expect(send(.put, "/a").value.status, equals: 503)
        try await expect(send(.put, "/a").value.status, equals: 200)
        expect(transport.script.isEmpty)
        let counts = [nil, .post, .put].map { transport.count(of: $0) }
        expect(counts, equals: [2, 1, 1])
    }

    @Test func `a lost answer leaves what the server did`() async throws {
        transport.script = [.loseAnswer(on: .post), .loseAnswer(.truncated, on: .get)]
        let lost = await failure(of: send(.post))
        expect(lost, equals: HTTPFailure(.connectionLost, mayBeSent: true))
        await expect(failure(of: send(.get)), equals: HTTPFailure(.truncated, mayBeSent: true))
        expect(transport.count(), equals: 2)
    }

    @Test func `a duplicate arrives twice and is answered once`() async throws {
        transport.script = [.duplicate()]
        try await expect(send(.post).value.status, equals: 200)
        expect(transport.count(of: .post), equals: 2)
    }

    @Test func `delays and deadlines go by the clock`() async throws {
        let clock = ManualClock()
        let transport = MemoryTransport(clock: clock) { _ in HTTPResponse(status: 200) }
        transport.script = [.delay(.seconds(5)), .delay(.seconds(90))]
        let first = transport.send(HTTPRequest(.get, "/"), HTTPLimits(deadline: .seconds(60)))
        await clock.wait(for: 2)
        expect(transport.count(), equals: 0)
        clock.advance(by: .seconds(5))
        try await expect(first.value.status, equals: 200)
        await clock.wait(for: 0)
        let second = transport.send(HTTPRequest(.get, "/"), HTTPLimits(deadline: .seconds(60)))
        await clock.wait(for: 2)
        clock.advance(by: .seconds(60))
        await expect(failure(of: second), equals: HTTPFailure(.timedOut, mayBeSent: false))
        await clock.wait(for: 0)
        expect(transport.count(), equals: 1)
    }

    @Test func `a server that is too slow is notified that nobody waits`() async throws {
        let clock = ManualClock()
        let (work, resolver) = Promise<HTTPResponse>.withResolvers()
        let stopped = Log<String>()
        resolver.onCancel { stopped.add("stopped") }
        let transport = MemoryTransport(clock: clock) { _ in work }
        let answer = transport.send(HTTPRequest(.post, "/"), HTTPLimits(deadline: .seconds(1)))
        await clock.wait(for: 1)
        clock.advance(by: .seconds(1))
        await expect(failure(of: answer), equals: HTTPFailure(.timedOut, mayBeSent: true))
        await expect(eventually { stopped.entries == ["stopped"] })
    }

    @Test func `to cancel it notifies the server, and says whether that had the request`()
        async throws
    {
        let (work, resolver) = Promise<HTTPResponse>.withResolvers()
        let stopped = Log<String>()
        resolver.onCancel { stopped.add("stopped") }
        let transport = MemoryTransport { _ in work }
        let (gate, _gate) = Promise<Void>.withResolvers()
        transport.script = [.hold(until: gate)]
        let held = transport.send(HTTPRequest(.post, "/"), .patient)
        held.cancel()
        await expect(failure(of: held), equals: HTTPFailure(.cancelled, mayBeSent: false))
        _gate.fulfill()
        expect(transport.count(), equals: 0)
        let sent = transport.send(HTTPRequest(.post, "/"), .patient)
        sent.cancel()
        await expect(failure(of: sent), equals: HTTPFailure(.cancelled, mayBeSent: true))
        expect(stopped.entries, equals: ["stopped"])
    }

    @Test func `what is held arrives when it is let go, or never`() async throws {
        let (gate, resolver) = Promise<Void>.withResolvers()
        transport.script = [
            .hold(until: gate), .hold(until: .failed(HTTPFailure(.other("x"), mayBeSent: true))),
        ]
        let held = send()
        await expect(failure(of: send()), equals: HTTPFailure(.connectionLost, mayBeSent: false))
        expect(transport.count(), equals: 0)
        resolver.fulfill()
        try await expect(held.value.status, equals: 200)
    }

    @Test func `an answer keeps to the limits and to the rules of its method`() async throws {
        let limits = HTTPLimits(deadline: nil, responseSize: 5)
        await expect(
            failure(of: send(.get, "/a", limits)),
            equals: HTTPFailure(.tooLarge(limit: 5), mayBeSent: true)
        )
        try await expect(send(.get, "/", limits).value.body.count, equals: 5)
        try await expect(send(.head, "/abc", limits).value.body.isEmpty)
        let seen = Log<HTTPProgress>()
        let request = HTTPRequest(.put, "", "/", body: Data(count: 7))
        _ = try await transport.send(request, HTTPLimits(deadline: nil, progress: seen.add)).value
        expect(
            seen.entries,
            equals: [
                HTTPProgress(sent: 7, toSend: 7),
                HTTPProgress(sent: 7, toSend: 7, received: 5, toReceive: 5),
            ]
        )
    }

    @Test func `an error of the server is one of the transport`() async throws {
        struct Trouble: Error {}
        let transport = MemoryTransport { _ -> HTTPResponse in throw Trouble() }
        let error = await failure(of: transport.send(HTTPRequest(.get, "/"), .patient))
        expect(error, equals: HTTPFailure(.other("Trouble()"), mayBeSent: true))
    }

    @Test func `a request that is cancelled because nobody waits is not reported`() async throws {
        let reports = Log<String>()
        await ModelKitDiagnostics.withHandler({ reports.add("\($0)") }) {
            do {
                let (work, resolver) = Promise<HTTPResponse>.withResolvers()
                let transport = MemoryTransport { _ in work }
                transport.send(HTTPRequest(.get, "/"), .patient).map(\.status).cancel()
                withExtendedLifetime(resolver) {}
            }
            let (work, resolver) = Promise<HTTPResponse>.withResolvers()
            let transport = MemoryTransport { _ in work }
            transport.send(HTTPRequest(.get, "/"), .patient).cancel()
            for _ in 0..<10 { await Task.yield() }
            withExtendedLifetime(resolver) {}
        }
        expect(reports.entries, equals: [])
    }
}
