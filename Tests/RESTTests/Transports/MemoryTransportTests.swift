import Foundation
import ModelKitFields
import ModelKitREST
import ModelKitStores
import ModelKitTesting
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
        #expect(try await send(.get, "/a?b").value.body == Data("GET /a?b".utf8))
        let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
        let later = MemoryTransport { _ in promise }
        let answer = later.send(HTTPRequest(.get, "/"), .patient)
        #expect(answer.result == nil)
        resolver.fulfill(HTTPResponse(status: 204))
        #expect(try await answer.value.status == 204)
    }

    @Test func `a step is for the first request that it fits`() async throws {
        transport.script = [
            .fail(.refused, on: .post), .pass(at: "/b"), .fail(.offline, at: "/b"),
            .answer(HTTPResponse(status: 503), on: .put),
        ]
        #expect(await failure(of: send(.post, "/a")) == HTTPFailure(.refused, mayBeSent: false))
        #expect(try await send(.post, "/b?c").value.status == 200)
        #expect(await failure(of: send(.post, "/b?c"))?.reason == .offline)
        #expect(try await send(.put, "/a").value.status == 503)
        #expect(try await send(.put, "/a").value.status == 200)
        #expect(transport.script.isEmpty)
        let counts = [nil, .post, .put].map { transport.count(of: $0) }
        #expect(counts == [2, 1, 1])
    }

    @Test func `a lost answer leaves what the server did`() async throws {
        transport.script = [.loseAnswer(on: .post), .loseAnswer(.truncated, on: .get)]
        let lost = await failure(of: send(.post))
        #expect(lost == HTTPFailure(.connectionLost, mayBeSent: true))
        #expect(await failure(of: send(.get)) == HTTPFailure(.truncated, mayBeSent: true))
        #expect(transport.count() == 2)
    }

    @Test func `a duplicate arrives twice and is answered once`() async throws {
        transport.script = [.duplicate()]
        #expect(try await send(.post).value.status == 200)
        #expect(transport.count(of: .post) == 2)
    }

    @Test func `delays and deadlines go by the clock`() async throws {
        let clock = ManualClock()
        let transport = MemoryTransport(clock: clock) { _ in HTTPResponse(status: 200) }
        transport.script = [.delay(.seconds(5)), .delay(.seconds(90))]
        let first = transport.send(HTTPRequest(.get, "/"), HTTPLimits(deadline: .seconds(60)))
        await clock.wait(for: 2)
        #expect(transport.count() == 0)
        clock.advance(by: .seconds(5))
        #expect(try await first.value.status == 200)
        await clock.wait(for: 0)
        let second = transport.send(HTTPRequest(.get, "/"), HTTPLimits(deadline: .seconds(60)))
        await clock.wait(for: 2)
        clock.advance(by: .seconds(60))
        #expect(await failure(of: second) == HTTPFailure(.timedOut, mayBeSent: false))
        await clock.wait(for: 0)
        #expect(transport.count() == 1)
    }

    @Test func `a server that is too slow is told that nobody waits`() async throws {
        let clock = ManualClock()
        let (work, resolver) = Promise<HTTPResponse>.withResolvers()
        let stopped = Log<String>()
        resolver.onCancel { stopped.add("stopped") }
        let transport = MemoryTransport(clock: clock) { _ in work }
        let answer = transport.send(HTTPRequest(.post, "/"), HTTPLimits(deadline: .seconds(1)))
        await clock.wait(for: 1)
        clock.advance(by: .seconds(1))
        #expect(await failure(of: answer) == HTTPFailure(.timedOut, mayBeSent: true))
        #expect(await eventually { stopped.entries == ["stopped"] })
    }

    @Test func `to cancel it tells the server, and says whether that had the request`() async throws
    {
        let (work, resolver) = Promise<HTTPResponse>.withResolvers()
        let stopped = Log<String>()
        resolver.onCancel { stopped.add("stopped") }
        let transport = MemoryTransport { _ in work }
        let (gate, _gate) = Promise<Void>.withResolvers()
        transport.script = [.hold(until: gate)]
        let held = transport.send(HTTPRequest(.post, "/"), .patient)
        held.cancel()
        #expect(await failure(of: held) == HTTPFailure(.cancelled, mayBeSent: false))
        _gate.fulfill()
        #expect(transport.count() == 0)
        let sent = transport.send(HTTPRequest(.post, "/"), .patient)
        sent.cancel()
        #expect(await failure(of: sent) == HTTPFailure(.cancelled, mayBeSent: true))
        #expect(stopped.entries == ["stopped"])
    }

    @Test func `what is held arrives when it is let go, or never`() async throws {
        let (gate, resolver) = Promise<Void>.withResolvers()
        transport.script = [
            .hold(until: gate), .hold(until: .failed(HTTPFailure(.other("x"), mayBeSent: true))),
        ]
        let held = send()
        #expect(await failure(of: send()) == HTTPFailure(.connectionLost, mayBeSent: false))
        #expect(transport.count() == 0)
        resolver.fulfill()
        #expect(try await held.value.status == 200)
    }

    @Test func `an answer keeps to the limits and to the rules of its method`() async throws {
        let limits = HTTPLimits(deadline: nil, responseSize: 5)
        #expect(
            await failure(of: send(.get, "/a", limits))
                == HTTPFailure(.tooLarge(limit: 5), mayBeSent: true)
        )
        #expect(try await send(.get, "/", limits).value.body.count == 5)
        #expect(try await send(.head, "/abc", limits).value.body.isEmpty)
        let seen = Log<HTTPProgress>()
        let request = HTTPRequest(.put, "", "/", body: Data(count: 7))
        _ = try await transport.send(request, HTTPLimits(deadline: nil, progress: seen.add)).value
        #expect(
            seen.entries == [
                HTTPProgress(sent: 7, toSend: 7),
                HTTPProgress(sent: 7, toSend: 7, received: 5, toReceive: 5),
            ]
        )
    }

    @Test func `an error of the server is one of the transport`() async throws {
        struct Trouble: Error {}
        let transport = MemoryTransport { _ -> HTTPResponse in throw Trouble() }
        let error = await failure(of: transport.send(HTTPRequest(.get, "/"), .patient))
        #expect(error == HTTPFailure(.other("Trouble()"), mayBeSent: true))
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
        #expect(reports.entries == [])
    }
}
