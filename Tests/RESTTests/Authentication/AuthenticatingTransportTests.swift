import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct AuthenticatingTransportTests {
    private let get = HTTPRequest(.get, example, "/people")

    // MARK: Credentials

    @Test func `credentials are a field, and their descriptions hide it`() {
        expect(HTTPCredentials.bearer("x").value, equals: "Bearer x")
        let basic = HTTPCredentials.basic(user: "Aladdin", password: "open sesame")
        expect(
            basic,
            equals: HTTPCredentials("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        )
        expect(
            HTTPCredentials.basic(user: "test", password: "123£")?.value,
            equals: "Basic dGVzdDoxMjPCow=="
        )
        expect(HTTPCredentials.basic(user: "", password: ":")?.value, equals: "Basic Ojo=")
        expect(HTTPCredentials.basic(user: "a:b", password: ""), equals: nil)
        expect(HTTPCredentials.basic(user: "a", password: "b\n"), equals: nil)
        let key = HTTPCredentials("X-Key", "s3cret")
        var dumped = ""
        dump(key, to: &dumped)
        expect(!"\(key) \(String(reflecting: key)) \(dumped) \([key])".contains("s3cret"))
    }

    @Test func `they are put on requests to their origin, and on no others`() async throws {
        let base = ClosureTransport(.status(200))
        let session = AuthenticationSession(HTTPCredentials("X-Key", "a"), clock: ManualClock())
        let transport = AuthenticatingTransport(base, origin: example, session: session)
        let origins = [
            example, "HTTPS://example.COM:443", "http://example.com",
            "https://example.com.evil.com",
            "https://example.com:8443", "https://evil.com", "",
        ]
        for origin in origins {
            _ = try await transport.send(HTTPRequest(.get, origin, "/"), .patient).value
        }
        expect(
            base.sent.all.map { $0.headers["X-Key"] },
            equals: ["a", "a", nil, nil, nil, nil, nil]
        )
        session.credentials = nil
        _ = try await transport.send(get, .patient).value
        expect(base.sent.all.last, equals: get)
    }

    @Test(arguments: ["/", "/v1", "/v1/"])
    func `the origin may be that of a store, with a path`(path: String) async throws {
        let server = SignedServer(valid: 2)
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: server.renew,
            clock: ManualClock()
        )
        let transport = AuthenticatingTransport(server, origin: example + path, session: session)
        try await expect(transport.send(get, .patient).value.status, equals: 200)
        expect(server.renewals.count, equals: 1)
    }

    @Test func `a request with credentials of its own is sent as it is`() async throws {
        let server = SignedServer(valid: 1)
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: server.renew,
            clock: ManualClock()
        )
        var own = get
        own.headers["authorization"] = "Bearer mine"
        try await expect(server.transport(session).send(own, .patient).value.status, equals: 401)
        expect(server.sent.all, equals: [own])
        expect(server.renewals.count, equals: 0)
    }

    // MARK: Refreshing

    @Test(arguments: [HTTPMethod.get, .post, .delete])
    func `a request that is refused is sent again with new credentials`(method: HTTPMethod)
        async throws
    {
        let server = SignedServer(valid: 2)
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: server.renew,
            clock: ManualClock()
        )
        let request = HTTPRequest(method, example, "/", body: .init([1]))
        let reply = try await HTTPReply.to(
            request,
            .patient,
            over: server.transport(session)
        ).value
        expect(reply, equals: HTTPReply(HTTPResponse(status: 200), attempts: 2))
        expect(server.renewals.all, equals: [.bearer("1")])
        let tokens = server.sent.all.map { $0.headers["Authorization"] }
        expect(tokens, equals: ["Bearer 1", nil, "Bearer 2"])
        expect(session.credentials, equals: .bearer("2"))
    }

    @Test func `sixty requests that are refused at once make one refresh`() async throws {
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in 1...60 {
                tasks.addTask {
                    let request = HTTPRequest(.post, example, "/\(number)")
                    return try await transport.send(request, .patient).value.status
                }
            }
            while held.calls.count == 0 { await Task.yield() }
            try await Task.sleep(for: .milliseconds(20))
            held.end(.success(.bearer("2")))
            for try await status in tasks { expect(status, equals: 200) }
        }
        expect(held.calls.count, equals: 1)
        let signed = server.sent.all.filter { $0.headers["Authorization"] == "Bearer 2" }
        expect(Set(signed.map(\.target)).count, equals: 60)
        expect(signed.count, equals: 60)
    }

    @Test func `requests on many threads refresh once for each expiry`() async throws {
        for expiry in 1...20 {
            let server = SignedServer(valid: 2)
            let session = AuthenticationSession(
                .bearer("1"),
                refresh: server.renew,
                clock: ManualClock()
            )
            let transport = server.transport(session)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 1...60 {
                    tasks.addTask { try await transport.send(get, .patient).value.status }
                }
                return try await tasks.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            expect(statuses, equals: [200], "round \(expiry)")
            expect(server.renewals.count, equals: 1, "round \(expiry)")
        }
    }

    @Test func `what was sent with older credentials is sent again without a refresh`() async throws
    {
        let (refused, resolver) = Promise<HTTPResponse>.withResolvers()
        let base = ClosureTransport { _, number in
            number == 1 ? refused : Outcome.status(200).promise
        }
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let answer = AuthenticatingTransport(base, origin: example, session: session)
            .send(get, .patient)
        session.credentials = .bearer("2")
        resolver.fulfill(HTTPResponse(status: 401))
        try await expect(answer.value.status, equals: 200)
        expect(base.sent.all.map { $0.headers["Authorization"] }, equals: ["Bearer 1", "Bearer 2"])
        expect(held.calls.count, equals: 0)
    }

    @Test func `a request is sent again once, and what refuses all is not asked for ever`()
        async throws
    {
        let clock = ManualClock()
        let base = ClosureTransport(.status(401))
        let refreshes = Noted<Int>()
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in
                refreshes.note(1)
                return .value(.bearer("2"))
            },
            maxRefreshes: 3,
            clock: clock
        )
        let transport = AuthenticatingTransport(base, origin: example, session: session)
        for _ in 1...10 {
            try await expect(transport.send(get, .patient).value.status, equals: 401)
        }
        expect(refreshes.count, equals: 3)
        expect(base.sent.count, equals: 13)
        clock.advance(by: .seconds(30))
        _ = try await transport.send(get, .patient).value
        expect(refreshes.count, equals: 4)
    }

    // MARK: Refreshing that fails

    @Test func `all that wait fail with the error of the refresh, and the next one tries again`()
        async throws
    {
        struct Trouble: Error {}
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        let answers = (1...5).map { _ in transport.send(get, .patient) }
        held.end(.failure(Trouble()))
        for answer in answers {
            await #expect(throws: Trouble.self) { try await answer.value }
        }
        expect(held.calls.count, equals: 1)
        expect(session.credentials, equals: .bearer("1"))
        await #expect(throws: Trouble.self) { try await transport.send(get, .patient).value }
        expect(held.calls.count, equals: 2)
    }

    @Test func `where there are no credentials to be had the refusal is the answer`() async throws {
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        let answers = (1...5).map { _ in transport.send(get, .patient) }
        held.end(.success(nil))
        for answer in answers { try await expect(answer.value.status, equals: 401) }
        expect(held.calls.count, equals: 1)
        expect(session.credentials, equals: nil)
    }

    @Test func `a refresh that got no answer leaves requests that were refused unsent`() async {
        let lost = HTTPFailure(.connectionLost, mayBeSent: true)
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in .failed(lost) },
            clock: ManualClock()
        )
        let answer = SignedServer(valid: 2).transport(session)
            .send(HTTPRequest(.post, example, "/"), .patient)
        await expect(answer.httpFailure, equals: HTTPFailure(.connectionLost, mayBeSent: false))
    }

    // MARK: Time and cancelling

    @Test func `a refresh goes on when the requests that wait are cancelled`() async throws {
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        let first = transport.send(get, .patient)
        let second = transport.send(get, .patient)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        second.cancel()
        expect(!held.isEnded)
        let third = transport.send(get, .patient)
        held.end(.success(.bearer("2")))
        try await expect(third.value.status, equals: 200)
        expect(held.calls.count, equals: 1)
    }

    @Test func `a request waits as long as it has time, a refresh as long as it may take`()
        async throws
    {
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let clock = ManualClock()
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: held.renew,
            deadline: .seconds(20),
            clock: clock
        )
        let transport = AuthenticatingTransport(
            server,
            origin: example,
            session: session,
            clock: clock
        )
        let short = transport.send(get, HTTPLimits(deadline: .seconds(10)))
        let long = transport.send(get, HTTPLimits(deadline: nil))
        await clock.wait(for: 2)
        clock.advance(by: .seconds(10))
        await expect(short.httpFailure, equals: HTTPFailure(.timedOut, mayBeSent: false))
        expect(long.result == nil)
        clock.advance(by: .seconds(10))
        await expect(long.httpFailure, equals: HTTPFailure(.timedOut, mayBeSent: false))
        expect(held.calls.count, equals: 1)
    }

    @Test func `what is sent again has the time that is left`() async throws {
        let clock = ManualClock()
        let base = ClosureTransport { _, number in
            clock.advance(by: .seconds(2))
            return Outcome.status(number == 1 ? 401 : 200).promise
        }
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in .value(.bearer("2")) },
            clock: clock
        )
        let transport = AuthenticatingTransport(
            base,
            origin: example,
            session: session,
            clock: clock
        )
        _ = try await transport.send(get, HTTPLimits(deadline: .seconds(9))).value
        expect(base.deadlines.all, equals: [.seconds(9), .seconds(7)])
    }
}
