import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitREST
import ModelKitStores
import TestSupport
import Testing

/// What becomes of requests over networks and servers that fail.
@Suite(.enabled(if: Lab.isOpen)) struct FaultTests {
    private let run = Run()
    private let transport = URLSessionTransport()
    private var company: AttributeValue { ["name": .string(run.name)] }

    @Test func `a lost acknowledgement is unknown, and is not repeated without a key`() async throws
    {
        let retrying = RetryingTransport(transport)
        let request = try run.request(
            .post,
            Lab.faults,
            "/companies/",
            ["X-Fault": "lostAck"],
            json: company
        )
        let error = await failure(of: retrying.send(request, run.limits))
        expect(error, equals: HTTPFailure(.connectionLost, mayBeSent: true))
        try await expect(run.rows("companies"), equals: 1)
        try await expect(run.arrived(.post), equals: 1)
    }

    @Test func `a lost acknowledgement is repeated with a key, and there is one row`() async throws
    {
        let retrying = RetryingTransport(transport, honoursKey: { _ in true })
        let request = try run.request(
            .post,
            Lab.faults,
            "/idempotent/companies/",
            ["X-Fault": "lostAck once=\(run.name)"],
            json: company
        )
        let answer = try await retrying.send(request, run.limits).value
        expect(answer.status, equals: 201)
        expect(answer.headers["Idempotent-Replayed"], equals: "true")
        try await expect(run.rows("companies"), equals: 1)
        try await expect(run.arrived(.post), equals: 2)
    }

    @Test(arguments: [false, true], [HTTPMethod.get, .post])
    func `a connection that is closed when it is used again sees each request once`(
        keepsConnections: Bool,
        method: HTTPMethod
    ) async throws {
        // What only reads may be sent twice over kept connections: it says so.
        if keepsConnections, method == .get { return }
        let transport = URLSessionTransport(keepsConnections: keepsConnections)
        let first = try Run().request(.get, Lab.faults, "/companies/")
        let json: AttributeValue? = method == .get ? .none : .some(company)
        let second = try run.request(
            method,
            Lab.faults,
            "/companies/",
            ["X-Fault": "killReused"],
            json: json
        )
        let limits = run.limits
        let answer = try await transport.send(first, limits)
            .then { _ in transport.send(second, limits) }
            .value
        expect(answer.status, equals: (method == .get ? 200 : 201))
        try await expect(run.forwarded(), equals: 1)
        try await expect(run.arrived(method), equals: 1)
    }

    @Test(arguments: ["truncateBody", "nginx"])
    func `an answer that ends too early is a failure`(by: String) async throws {
        let request =
            by == "nginx"
            ? try run.request(.get, Lab.nginx, "/truncated/companies/")
            : try run.request(.get, Lab.faults, "/companies/", ["X-Fault": "truncateBody"])
        let error = await failure(of: transport.send(request, run.limits))
        expect(error, equals: HTTPFailure(.truncated, mayBeSent: true))
    }

    @Test(arguments: ["nginx", "flood"])
    func `an answer that is too long is a failure`(by: String) async throws {
        let request =
            by == "nginx"
            ? try run.request(.get, Lab.nginx, "/oversized/")
            : try run.request(.get, Lab.faults, "/companies/", ["X-Fault": "flood"])
        let limits = HTTPLimits(deadline: nil, responseSize: 1 << 20)
        let error = await failure(of: transport.send(request, limits))
        expect(error, equals: HTTPFailure(.tooLarge(limit: 1 << 20), mayBeSent: true))
    }

    @Test(arguments: ["nginx", "slowDrip"])
    func `a slow answer is waited for until the deadline`(by: String) async throws {
        let request =
            by == "nginx"
            ? try run.request(.get, Lab.nginx, "/slow/companies/")
            : try run.request(.get, Lab.faults, "/companies/", ["X-Fault": "slowDrip"])
        let limits = HTTPLimits(deadline: .seconds(2))
        let error = await failure(of: transport.send(request, limits))
        expect(error, equals: HTTPFailure(.timedOut, mayBeSent: true))
    }

    @Test func `a server that is not there for a moment is asked again, when it says`() async throws
    {
        let counting = CountingTransport()
        let request = try run.request(
            .get,
            Lab.faults,
            "/companies/",
            ["X-Fault": "unavailable once=\(run.name)"]
        )
        let answer = try await RetryingTransport(counting).send(request, run.limits).value
        expect(answer.status, equals: 200)
        expect(counting.count(of: 503), equals: 1)
    }

    @Test func `who sends too much learns when to come back`() async throws {
        // Both at once: the limit is one a minute.
        let request = try run.request(.get, Lab.nginx, "/minute/companies/")
        let policy = RetryPolicy(budget: .seconds(20))
        let retrying = RetryingTransport(transport, policy: policy)
        let both = [retrying.send(request, run.limits), retrying.send(request, run.limits)]
        var answers: [HTTPResponse] = []
        for promise in both { answers.append(try await promise.value) }
        expect(answers.map(\.status).sorted(), equals: [200, 429])
        expect(answers.first { $0.status == 429 }?.headers["Retry-After"], equals: "60")
    }

    @Test func `who comes back when it is asked to gets all through, each once`() async throws {
        let policy = RetryPolicy(attempts: 100, budget: .seconds(3_600))
        let retrying = RetryingTransport(transport, policy: policy, honoursKey: { _ in true })
        let request = try run.request(
            .post,
            Lab.nginx,
            "/second/idempotent/tags/",
            json: ["id": .string(run.name)]
        )
        let others = try (0..<3).map {
            try run.request(
                .post,
                Lab.nginx,
                "/second/idempotent/tags/",
                json: ["id": .string("\(run.name)-\($0)")]
            )
        }
        let sent = (others + [request]).map { retrying.send($0, run.limits) }
        for promise in sent { try await expect(promise.value.status, equals: 201) }
        try await expect(run.rows("tags"), equals: 1)
        try await expect(run.arrived(.post), equals: 4)
    }

    @Test func `sixty requests with an expired token have it refreshed once`() async throws {
        let session = run.signedIn()
        let counting = CountingTransport()
        let transport = AuthenticatingTransport(counting, origin: Lab.nginx, session: session)
        let request = try run.request(.get, Lab.nginx, "/private/companies/")
        try await expect(transport.send(request, run.limits).value.status, equals: 200)
        try await run.expireToken()
        let sent = (0..<60).map { _ in transport.send(request, run.limits) }
        for promise in sent { try await expect(promise.value.status, equals: 200) }
        expect(counting.count(of: 401) > 0)
        try await expect(run.refreshes(), equals: 1)
    }

    @Test func `pages of HTML in place of JSON are answers like others`() async throws {
        let bad = try run.request(.get, Lab.nginx, "/html/")
        let answer = try await transport.send(bad, run.limits).value
        expect(answer.status, equals: 502)
        expect(answer.headers["Content-Type"], equals: "text/html")
        let closed = try run.request(.post, Lab.nginx, "/closed/", json: company)
        let error = await failure(of: transport.send(closed, run.limits))
        expect(error, equals: HTTPFailure(.connectionLost, mayBeSent: true))
    }
}
