import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// The three around each other, in any order.
@Suite struct CompositionTests {
    enum Layer: Sendable, CaseIterable { case retry, authentication, redirects }

    static let orders: [[Layer]] = [
        [.retry, .authentication, .redirects], [.retry, .redirects, .authentication],
        [.authentication, .retry, .redirects], [.authentication, .redirects, .retry],
        [.redirects, .retry, .authentication], [.redirects, .authentication, .retry],
    ]

    private func transport(_ order: [Layer], _ base: any HTTPTransport) -> any HTTPTransport {
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in .value(.bearer("2")) },
            clock: ManualClock()
        )
        return order.reversed().reduce(base) { base, layer in
            switch layer {
            case .retry:
                RetryingTransport(
                    base,
                    policy: RetryPolicy(firstPause: .zero),
                    clock: ManualClock()
                )
            case .authentication:
                AuthenticatingTransport(base, origin: example, session: session)
            case .redirects: RedirectingTransport(base)
            }
        }
    }

    @Test(arguments: orders) func `what each sends again is counted`(order: [Layer]) async throws {
        let delete = HTTPRequest(.delete, example, "/7")
        let base = ClosureTransport { request, number in
            if number == 2 { return Outcome.failed(.connectionLost, mayBeSent: true).promise }
            if request.headers["Authorization"] != "Bearer 2" { return Outcome.status(401).promise }
            if request.target == "/7" { return Outcome.status(308, ["Location": "/8"]).promise }
            return Outcome.status(404).promise
        }
        let reply = try await HTTPReply.to(delete, .patient, over: transport(order, base))
            .value
        expect(reply.response.status, equals: 404)
        expect(reply.mayBeRepeated)
        expect(base.sent.count == 4 || base.sent.count == 6)
        expect(reply.attempts >= base.sent.count - 2)
    }

    @Test(arguments: orders) func `credentials stay at their origin`(order: [Layer]) async throws {
        let base = ClosureTransport { request, _ in
            guard request.origin == example else { return Outcome.status(200).promise }
            return Outcome.status(302, ["Location": "https://evil.com/"]).promise
        }
        let get = HTTPRequest(.get, example, "/")
        _ = try await transport(order, base).send(get, .patient).value
        expect(base.sent.all.map { $0.headers["Authorization"] }, equals: ["Bearer 1", nil])
    }

    @Test func `a refresh that got no answer is a reason to try again`() async throws {
        let server = SignedServer(valid: 2)
        let calls = Noted<Int>()
        let session = AuthenticationSession(
            .bearer("1"),
            refresh: { _, _ in
                calls.note(1) == 1
                    ? .failed(HTTPFailure(.connectionLost, mayBeSent: true)) : .value(.bearer("2"))
            },
            clock: ManualClock()
        )
        let transport = RetryingTransport(
            server.transport(session),
            policy: RetryPolicy(firstPause: .zero),
            clock: ManualClock()
        )
        let post = HTTPRequest(.post, example, "/")
        try await expect(transport.send(post, .patient).value.status, equals: 200)
        expect(server.sent.count, equals: 3)
    }
}
