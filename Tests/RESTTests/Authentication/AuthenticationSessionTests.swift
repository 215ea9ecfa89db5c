import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct AuthenticationSessionTests {
    private let get = HTTPRequest(.get, example, "/people")

    // MARK: Restoring

    @Test func `the first request waits until the session is restored, once`() async throws {
        let server = SignedServer(valid: 1)
        let held = HeldRenewal()
        let session = AuthenticationSession(restore: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        let answers = (1...5).map { _ in transport.send(get, .patient) }
        expect(server.sent.count, equals: 0)
        held.end(.success(.bearer("1")))
        for answer in answers { try await expect(answer.value.status, equals: 200) }
        try await expect(transport.send(get, .patient).value.status, equals: 200)
        expect(held.calls.count, equals: 1)
        expect(server.sent.count, equals: 6)
    }

    @Test func `restoring nothing leaves the credentials as they are`() async throws {
        let server = SignedServer(valid: 1)
        let session = AuthenticationSession(
            .bearer("1"),
            restore: { _, _ in .value(nil) },
            clock: ManualClock()
        )
        try await expect(server.transport(session).send(get, .patient).value.status, equals: 200)
    }

    @Test func `restoring that failed is tried again by the next request`() async throws {
        struct Trouble: Error {}
        let calls = Noted<Int>()
        let session = AuthenticationSession(
            restore: { _, _ in
                calls.note(1) == 1 ? .failed(Trouble()) : .value(.bearer("1"))
            },
            clock: ManualClock()
        )
        let server = SignedServer(valid: 1)
        let transport = server.transport(session)
        await #expect(throws: Trouble.self) { try await transport.send(get, .patient).value }
        expect(server.sent.count, equals: 0)
        try await expect(transport.send(get, .patient).value.status, equals: 200)
        expect(calls.count, equals: 2)
    }

    @Test func `what is restored may be refused, and is refreshed`() async throws {
        let server = SignedServer(valid: 2)
        let session = AuthenticationSession(
            restore: { _, _ in .value(.bearer("1")) },
            refresh: server.renew,
            clock: ManualClock()
        )
        try await expect(server.transport(session).send(get, .patient).value.status, equals: 200)
        expect(server.renewals.all, equals: [.bearer("1")])
    }

    // MARK: Signing in and out

    @Test func `credentials that are set meanwhile are not overwritten`() async throws {
        let server = SignedServer(valid: 7)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let answer = server.transport(session).send(get, .patient)
        session.credentials = .bearer("7")
        held.end(.success(.bearer("2")))
        try await expect(answer.value.status, equals: 200)
        expect(session.credentials, equals: .bearer("7"))
    }

    @Test func `signing out while a refresh is under way is not undone`() async throws {
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let answer = server.transport(session).send(get, .patient)
        session.credentials = nil
        held.end(.success(.bearer("2")))
        try await expect(answer.value.status, equals: 401)
        expect(session.credentials, equals: nil)
    }

    private func tokens(_ requests: Noted<HTTPRequest>) -> [String?] {
        requests.all.map { $0.headers["Authorization"] }
    }

    @Test func `what was refused to one who has signed out is not sent again as another`()
        async throws
    {
        let (refused, resolver) = Promise<HTTPResponse>.withResolvers()
        let base = ClosureTransport { _, number in
            number == 1 ? refused : Outcome.status(200).promise
        }
        let session = AuthenticationSession(.bearer("alice"), clock: ManualClock())
        let transport = AuthenticatingTransport(base, origin: example, session: session)
        let answer = transport.send(HTTPRequest(.post, example, "/orders"), .patient)
        session.credentials = nil
        session.credentials = .bearer("bob")
        resolver.fulfill(HTTPResponse(status: 401))
        try await expect(answer.value.status, equals: 401)
        _ = try await transport.send(get, .patient).value
        expect(tokens(base.sent), equals: ["Bearer alice", "Bearer bob"])
    }

    @Test func `nor is what waits for a refresh`() async throws {
        let server = SignedServer(valid: 2)
        let held = HeldRenewal()
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        let refused = transport.send(HTTPRequest(.post, example, "/orders"), .patient)
        let unsent = transport.send(HTTPRequest(.post, example, "/orders"), .patient)
        session.credentials = nil
        session.credentials = .bearer("2")
        held.end(.success(.bearer("3")))
        try await expect(refused.value.status, equals: 401)
        try await expect(unsent.value.status, equals: 401)
        expect(tokens(server.sent), equals: ["Bearer 1", nil])
        try await expect(transport.send(get, .patient).value.status, equals: 200)
        expect(session.credentials, equals: .bearer("2"))
    }

    @Test func `a refresh that ends with none is a signing out, too`() async throws {
        let (refused, resolver) = Promise<HTTPResponse>.withResolvers()
        let base = ClosureTransport { request, _ in
            request.method == .post ? refused : Outcome.status(401).promise
        }
        let session = AuthenticationSession(
            .bearer("alice"),
            refresh: { _, _ in .value(nil) },
            clock: ManualClock()
        )
        let transport = AuthenticatingTransport(base, origin: example, session: session)
        let order = transport.send(HTTPRequest(.post, example, "/orders"), .patient)
        try await expect(transport.send(get, .patient).value.status, equals: 401)
        session.credentials = .bearer("bob")
        resolver.fulfill(HTTPResponse(status: 401))
        try await expect(order.value.status, equals: 401)
        expect(tokens(base.sent), equals: ["Bearer alice", "Bearer alice"])
    }

    @Test func `a renewal that is replaced fails nobody who has signed in meanwhile`() async throws
    {
        struct Trouble: Error {}
        let (server, held) = (SignedServer(valid: 7), HeldRenewal())
        let session = AuthenticationSession(restore: held.renew, clock: ManualClock())
        let transport = server.transport(session)
        let before = transport.send(get, .patient)
        session.credentials = .bearer("7")
        let after = transport.send(get, .patient)
        // It does not wait for what no longer counts.
        expect(server.sent.count, equals: 1)
        held.end(.failure(Trouble()))
        try await expect(after.value.status, equals: 200)
        try await expect(before.value.status, equals: 200)
        expect(held.calls.count, equals: 1)
    }

    @Test func `nor one who was refused before`() async throws {
        struct Trouble: Error {}
        let (server, held) = (SignedServer(valid: 7), HeldRenewal())
        let session = AuthenticationSession(.bearer("1"), refresh: held.renew, clock: ManualClock())
        let answer = server.transport(session).send(get, .patient)
        session.credentials = .bearer("7")
        held.end(.failure(Trouble()))
        try await expect(answer.value.status, equals: 200)
        expect(tokens(server.sent), equals: ["Bearer 1", "Bearer 7"])
    }

    // MARK: Requests of the refresh itself

    @Test func `a refresh by the transport that it refreshes is not intercepted`() async throws {
        let server = SignedServer(valid: 2)
        let transport = Noted<AuthenticatingTransport>()
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in
                Promise {
                    let login = HTTPRequest(.post, example, "/login")
                    await Task.yield()
                    _ = try await transport.all[0].send(login, .patient).value
                    return .bearer("2")
                }
            },
            clock: ManualClock()
        )
        transport.note(server.transport(session))
        // What comes after the refresh, perhaps in its task, is no part of it.
        let answer = transport.all[0].send(get, .patient).then { _ in
            transport.all[0].send(HTTPRequest(.get, example, "/next"), .patient)
        }
        try await expect(answer.value.status, equals: 200)
        let tokens = server.sent.all.map { $0.headers["Authorization"] }
        expect(tokens, equals: ["Bearer 1", nil, "Bearer 2", "Bearer 2"])
    }

    @Test func `a refresh that is refused does not refresh`() async throws {
        let base = ClosureTransport(.status(401))
        let transport = Noted<AuthenticatingTransport>()
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in
                transport.all[0].send(get, .patient).map { answer in
                    answer.status == 401 ? nil : .bearer("2")
                }
            },
            clock: ManualClock()
        )
        transport.note(AuthenticatingTransport(base, origin: example, session: session))
        try await expect(transport.all[0].send(get, .patient).value.status, equals: 401)
        expect(base.sent.count, equals: 2)
    }

    @Test func `what it calls may use it`() async throws {
        let sessions = Noted<AuthenticationSession>()
        let server = SignedServer(valid: 2)
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { old, _ in
                sessions.all[0].credentials = .bearer("2")
                return .value(old)
            },
            clock: ManualClock()
        )
        sessions.note(session)
        try await expect(server.transport(session).send(get, .patient).value.status, equals: 200)
    }
}
