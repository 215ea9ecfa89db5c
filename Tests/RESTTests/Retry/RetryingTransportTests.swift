import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct RetryingTransportTests {
    private let get = HTTPRequest(.get, example, "/people")
    private let post = HTTPRequest(.post, example, "/people")

    private func retrying(
        _ base: ClosureTransport,
        _ policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ManualClock(),
        jitter: Double = 0,
        honoursKey: Bool = false
    ) -> RetryingTransport {
        RetryingTransport(
            base,
            policy: policy,
            clock: clock,
            jitter: { jitter },
            honoursKey: { _ in honoursKey }
        )
    }

    // MARK: Keys

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete, HTTPMethod(rawValue: "MERGE")])
    func `a request with an effect gets a key in quotes, each another`(method: HTTPMethod)
        async throws
    {
        let base = ClosureTransport(.status(200))
        for _ in 1...2 {
            _ = try await retrying(base).send(HTTPRequest(method, example, "/"), .patient).value
        }
        let keys = base.sent.all.compactMap { $0.headers["Idempotency-Key"] }
        expect(Set(keys).count, equals: 2)
        expect(keys.allSatisfy { $0.count == 38 && $0.first == "\"" && $0.last == "\"" })
    }

    @Test func `a request that reads gets no key, and one that has a key keeps it`() async throws {
        let base = ClosureTransport(.status(200))
        _ = try await retrying(base).send(get, .patient).value
        var own = post
        own.headers["idempotency-key"] = "\"mine\""
        _ = try await retrying(base).send(own, .patient).value
        expect(base.sent.all, equals: [get, own])
    }

    @Test func `all attempts have one key`() async throws {
        let base = ClosureTransport(
            .failed(.refused, mayBeSent: false),
            .failed(.connectionLost, mayBeSent: true),
            .status(503),
            .status(201)
        )
        let reply = try await retrying(base, honoursKey: true).reply(to: post, .patient).value
        expect(reply.response.status, equals: 201)
        expect(reply.attempts, equals: 4)
        expect(base.sent.count, equals: 4)
        expect(Set(base.sent.all.map(\.headers)).count, equals: 1)
    }

    // MARK: Outcomes

    @Test func `a later layer knows whether a request may have had its effect before`() async throws
    {
        let delete = HTTPRequest(.delete, example, "/people/7")
        func reply(_ first: Outcome) async throws -> HTTPReply {
            let base = ClosureTransport(first, .status(404))
            return try await HTTPReply.to(delete, .patient, over: retrying(base)).value
        }
        let gone = HTTPResponse(status: 404)
        let lost = try await reply(.failed(.connectionLost, mayBeSent: true))
        expect(lost, equals: HTTPReply(gone, attempts: 2, mayBeRepeated: true))
        let bad = try await reply(.status(502))
        expect(bad, equals: HTTPReply(gone, attempts: 2, mayBeRepeated: true))
        let refused = try await reply(.failed(.refused, mayBeSent: false))
        expect(refused, equals: HTTPReply(gone, attempts: 2))
        try await expect(reply(.status(429)), equals: HTTPReply(gone, attempts: 2))
        try await expect(reply(.status(404)), equals: HTTPReply(gone))
    }

    @Test func `the failure says whether any attempt may have been sent`() async {
        let put = HTTPRequest(.put, example, "/people/7")
        let base = ClosureTransport(
            .failed(.connectionLost, mayBeSent: true),
            .failed(.refused, mayBeSent: false)
        )
        let failure = await retrying(base).send(put, .patient).httpFailure
        expect(failure, equals: HTTPFailure(.refused, mayBeSent: true))
        expect(base.sent.count, equals: 4)
        let never = ClosureTransport(.failed(.refused, mayBeSent: false))
        let unsent = await retrying(never).send(post, .patient).httpFailure
        expect(unsent, equals: HTTPFailure(.refused, mayBeSent: false))
        expect(never.sent.count, equals: 4)
    }

    @Test func `an error of another kind is the last`() async {
        struct Trouble: Error {}
        let base = ClosureTransport { _, _ in .failed(Trouble()) }
        await #expect(throws: Trouble.self) {
            try await retrying(base).send(get, .patient).value
        }
        expect(base.sent.count, equals: 1)
    }

    // MARK: Time

    @Test func `it waits by its clock as long as the server says, and within the deadline`()
        async throws
    {
        let clock = ManualClock()
        let base = ClosureTransport(.status(503, ["Retry-After": "20"]), .status(200))
        let limits = HTTPLimits(deadline: .seconds(30))
        let answer = retrying(base, clock: clock).send(get, limits)
        await clock.wait(for: 1)
        clock.advance(by: .seconds(19))
        expect(base.sent.count, equals: 1)
        clock.advance(by: .seconds(1))
        try await expect(answer.value.status, equals: 200)
        expect(base.deadlines.all, equals: [.seconds(30), .seconds(10)])
    }

    @Test func `an answer is not held back for an attempt that would come too late`() async throws {
        let base = ClosureTransport(.status(503, ["Retry-After": "20"]))
        let limits = HTTPLimits(deadline: .seconds(20))
        try await expect(retrying(base).send(get, limits).value.status, equals: 503)
        expect(base.sent.count, equals: 1)
    }

    @Test func `without a deadline attempts have none`() async throws {
        let base = ClosureTransport(.status(500), .status(200))
        _ = try await retrying(base).send(get, HTTPLimits(deadline: nil)).value
        expect(base.deadlines.all, equals: [nil, nil])
    }

    // MARK: Cancelling

    @Test func `cancelling stops the pause, and there is no further attempt`() async {
        let clock = ManualClock()
        let base = ClosureTransport(.status(503))
        let answer = retrying(base, clock: clock, jitter: 1).send(get, .patient)
        await clock.wait(for: 1)
        answer.cancel()
        await clock.wait(for: 0)
        clock.advance(by: .seconds(100))
        await #expect(throws: CancellationError.self) { try await answer.value }
        expect(base.sent.count, equals: 1)
    }

    @Test(arguments: [1, 2]) func `cancelling stops the attempt`(number: Int) async {
        let stopped = Noted<Int>()
        let base = ClosureTransport { _, attempt in
            guard attempt == number else { return Outcome.status(503).promise }
            let (promise, resolver) = Promise<HTTPResponse>.withResolvers()
            resolver.onCancel { [resolver] in
                stopped.note(attempt)
                _ = resolver
            }
            return promise
        }
        let answer = retrying(base).send(get, .patient)
        expect(base.sent.count, equals: number)
        answer.cancel()
        expect(stopped.all, equals: [number])
        expect(base.sent.count, equals: number)
    }
}
