import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Around transports that send more than one request.
extension AuthenticatingTransportTests {
    @Test func `what is refused late does not wait for a renewal that was replaced`() async throws {
        let (late, resolver) = Promise<HTTPResponse>.withResolvers()
        let (end, _) = Promise<HTTPCredentials?>.withResolvers()
        let base = ClosureTransport { request, number in
            request.headers["Authorization"] == "Bearer 7"
                ? Outcome.status(200).promise : number == 1 ? late : Outcome.status(401).promise
        }
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in end },
            clock: ManualClock()
        )
        let transport = AuthenticatingTransport(base, origin: example, session: session)
        let get = HTTPRequest(.get, example, "/orders")
        let (first, second) = (transport.send(get, .patient), transport.send(get, .patient))
        session.credentials = .bearer("7")
        resolver.fulfill(HTTPResponse(status: 401))
        try await expect(first.value.status, equals: 200)
        expect(base.sent.all.map { $0.headers["Authorization"] }.last == "Bearer 7")
        second.cancel()
    }

    @Test func `what was done before a 401 is not sent again`() async throws {
        let base = ClosureTransport { request, _ in
            request.method == .post
                ? Outcome.status(303, ["Location": "/orders/1"]).promise
                : Outcome.status(401).promise
        }
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in .value(.bearer("2")) },
            clock: ManualClock()
        )
        let transport = AuthenticatingTransport(
            RedirectingTransport(base),
            origin: example,
            session: session
        )
        let post = HTTPRequest(.post, example, "/orders")
        let reply = try await transport.reply(to: post, .patient).value
        expect(reply.response.status == 401 && reply.mayBeRepeated)
        expect(base.sent.all.map(\.method), equals: [.post, .get])
    }

    @Test(arguments: [(HTTPMethod.post, 2, 401), (.put, 3, 200)])
    func `what may be done by an attempt before a 401 is sent again if that does no harm`(
        _ method: HTTPMethod,
        _ count: Int,
        _ status: Int
    ) async throws {
        let base = ClosureTransport(
            .failed(.connectionLost, mayBeSent: true),
            .status(401),
            .status(200)
        )
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in .value(.bearer("2")) },
            clock: ManualClock()
        )
        // It would make another key for what is sent again.
        let retrying = RetryingTransport(base, jitter: { 0 }, honoursKey: { _ in true })
        let transport = AuthenticatingTransport(retrying, origin: example, session: session)
        let request = HTTPRequest(method, example, "/orders")
        let reply = try await transport.reply(to: request, .patient).value
        expect(reply.response.status == status && reply.mayBeRepeated)
        expect(base.sent.count, equals: count)
    }

    @Test func `what another origin refuses is no reason to refresh`() async throws {
        let base = ClosureTransport { request, _ in
            request.origin == example
                ? Outcome.status(302, ["Location": "https://b.com/"]).promise
                : Outcome.status(401).promise
        }
        let refreshes = Noted<Int>()
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in
                refreshes.note(1)
                return .value(nil)
            },
            clock: ManualClock()
        )
        let transport = AuthenticatingTransport(
            RetryingTransport(RedirectingTransport(base)),
            origin: example,
            session: session
        )
        try await expect(
            transport.send(HTTPRequest(.get, example, "/"), .patient).value.status,
            equals: 401
        )
        expect(refreshes.count, equals: 0)
        expect(session.credentials, equals: .bearer("1"))
        expect(base.sent.count, equals: 2)
    }
}
