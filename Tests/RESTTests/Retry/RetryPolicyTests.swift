import ModelKitREST
import TestSupport
import Testing

@Suite struct RetryPolicyTests {
    /// The decision about a first attempt, with the longest pause.
    private func decision(
        _ method: HTTPMethod,
        _ outcome: Outcome,
        key: Bool = false,
        _ change: (inout RetryAttempt) -> Void = { _ in }
    ) -> RetryDecision {
        var attempt = RetryAttempt(number: 1, method, outcome.result, isKeyHonoured: key)
        change(&attempt)
        return RetryPolicy(firstPause: .seconds(1)).decision(after: attempt, jitter: 1)
    }

    @Test(arguments: [HTTPMethod.get, .head, .options, .put, .delete, .post, .patch])
    func `a method that is not idempotent is repeated if nothing was sent, or its key counts`(
        method: HTTPMethod
    ) {
        let isIdempotent = method != .post && method != .patch
        let again = RetryDecision.retry(after: .seconds(1))
        for reason in [HTTPFailure.Reason.connectionLost, .truncated, .timedOut] {
            let lost = Outcome.failed(reason, mayBeSent: true)
            expect(decision(method, lost), equals: (isIdempotent ? again : .giveUp))
            expect(decision(method, lost, key: true), equals: again)
        }
        for reason in [HTTPFailure.Reason.refused, .unknownHost, .timedOut] {
            expect(decision(method, .failed(reason, mayBeSent: false)), equals: again)
        }
        for status in [408, 429, 500, 502, 503, 504] {
            expect(decision(method, .status(status)), equals: (isIdempotent ? again : .giveUp))
            expect(decision(method, .status(status), key: true), equals: again)
        }
    }

    @Test func `what was sent earlier counts, though the last attempt was not`() {
        let refused = Outcome.failed(.refused, mayBeSent: false)
        expect(decision(.post, refused) { $0.mayBeRepeated = true }, equals: .giveUp)
        expect(decision(.put, refused) { $0.mayBeRepeated = true } != .giveUp)
    }

    @Test(arguments: [200, 201, 204, 301, 304, 400, 401, 403, 404, 409, 412, 422, 501, 505])
    func `an answer that will be the same is taken`(status: Int) {
        expect(decision(.get, .status(status)), equals: .giveUp)
        expect(decision(.post, .status(status), key: true), equals: .giveUp)
    }

    @Test func `a conflict with the same request under way is waited for`() {
        func decided(key: Bool, again: Bool) -> RetryDecision {
            decision(.post, .status(409), key: key) { $0.mayBeRepeated = again }
        }
        expect(decided(key: true, again: true), equals: .retry(after: .seconds(1)))
        expect(decided(key: true, again: false), equals: .giveUp)
        expect(decided(key: false, again: true), equals: .giveUp)
    }

    @Test func `a conflict that asks to come again is waited for where that does no harm`() {
        func decided(_ method: HTTPMethod, again: Bool) -> RetryDecision {
            decision(method, .status(409, ["Retry-After": "3"])) { $0.mayBeRepeated = again }
        }
        expect(decided(.delete, again: true), equals: .retry(after: .seconds(4)))
        expect(decided(.delete, again: false), equals: .giveUp)
        expect(decided(.post, again: true), equals: .giveUp)
    }

    @Test(arguments: [
        HTTPFailure.Reason.insecure, .tooLarge(limit: 1), .cancelled, .malformed,
        .invalidRequest(""), .other(""),
    ])
    func `a failure that will be the same is the last`(reason: HTTPFailure.Reason) {
        expect(decision(.get, .failed(reason, mayBeSent: false)), equals: .giveUp)
    }

    @Test func `pauses double up to the longest, and a part of them is made`() {
        let policy = RetryPolicy(attempts: 20, budget: .seconds(1_000), firstPause: .seconds(1))
        func pause(_ number: Int, _ jitter: Double) -> RetryDecision {
            let attempt = RetryAttempt(number: number, .get, Outcome.status(503).result)
            return policy.decision(after: attempt, jitter: jitter)
        }
        let pauses = [1, 2, 4, 8, 16, 32, 60, 60, 60].map {
            RetryDecision.retry(after: .seconds($0))
        }
        expect((1...9).map { pause($0, 1) }, equals: pauses)
        expect(pause(3, 0.5), equals: .retry(after: .seconds(2)))
        expect(pause(3, 0), equals: .retry(after: .zero))
        expect(pause(3, 7), equals: pause(3, 1))
        expect(pause(3, -1), equals: pause(3, 0))
        expect(pause(3, .nan), equals: pause(3, 0))
    }

    @Test func `there are as many attempts as allowed`() {
        func decided(_ number: Int, of attempts: Int) -> RetryDecision {
            let attempt = RetryAttempt(number: number, .get, Outcome.status(503).result)
            return RetryPolicy(attempts: attempts).decision(after: attempt, jitter: 0)
        }
        expect(decided(2, of: 3), equals: .retry(after: .zero))
        expect(decided(3, of: 3), equals: .giveUp)
        expect(decided(1, of: 1), equals: .giveUp)
        expect(decided(1, of: -1), equals: .giveUp)
    }

    @Test func `no attempt begins after the budget or the deadline`() {
        let busy = Outcome.status(503)
        expect(
            decision(.get, busy) { $0.elapsed = .seconds(58) },
            equals: .retry(after: .seconds(1))
        )
        expect(decision(.get, busy) { $0.elapsed = .seconds(59) }, equals: .giveUp)
        func decided(_ deadline: Duration) -> RetryDecision {
            decision(.get, busy) { attempt in
                attempt.elapsed = .seconds(4)
                attempt.deadline = deadline
            }
        }
        expect(decided(.seconds(6)), equals: .retry(after: .seconds(1)))
        expect(decided(.seconds(5)), equals: .giveUp)
    }

    @Test func `the server is asked no earlier than it says, and not at all if that is too late`() {
        func decided(_ text: String, _ policy: RetryPolicy, _ jitter: Double) -> RetryDecision {
            let outcome = Outcome.status(503, ["Retry-After": text])
            let attempt = RetryAttempt(number: 1, .get, outcome.result)
            return policy.decision(after: attempt, jitter: jitter)
        }
        let policy = RetryPolicy(budget: .seconds(100), firstPause: .seconds(4))
        expect(decided("30", policy, 0), equals: .retry(after: .seconds(30)))
        expect(decided("30", policy, 0.5), equals: .retry(after: .seconds(32)))
        expect(decided("60", policy, 1), equals: .retry(after: .seconds(60)))
        expect(decided("61", policy, 0), equals: .giveUp)
        expect(decided("99999999999999999999999", policy, 0), equals: .giveUp)
        expect(decided("soon", policy, 1), equals: .retry(after: .seconds(4)))
        expect(decided("30", RetryPolicy(budget: .seconds(30)), 0), equals: .giveUp)
    }
}
