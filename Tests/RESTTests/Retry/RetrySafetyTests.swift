import ModelKitFields
import ModelKitREST
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

@Suite struct RetrySafetyTests {
    @Test func `a request with an effect is never sent again once it may have been sent`() async {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            let outcomes = (1...6).map { _ in Self.outcome(&random) }
            let method = random.pick([HTTPMethod.post, .patch])
            let base = ClosureTransport { _, number in outcomes[number - 1].promise }
            let transport = RetryingTransport(
                base,
                policy: RetryPolicy(attempts: 6, firstPause: .zero),
                clock: ManualClock()
            )
            let answer = HTTPReply.to(
                HTTPRequest(method, example, "/"),
                .patient,
                over: transport
            )
            _ = try? await answer.value
            let sent = outcomes.prefix(base.sent.count)
            expect(sent.dropLast().allSatisfy { $0.isUnsent }, "seed \(seed)")
            let failure = await answer.httpFailure
            let mayBeSent = !sent.allSatisfy(\.isUnsent)
            expect((failure?.mayBeSent ?? true), equals: mayBeSent, "seed \(seed)")
        }
    }

    @Test func `what is repeated has an effect once where the key is honoured`() async {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SplitMix(seed: seed)
            let outcomes = (1...6).map { _ in Self.outcome(&random) }
            let effects = Noted<String?>()
            let base = ClosureTransport { request, number in
                if !outcomes[number - 1].isUnsent {
                    effects.note(request.headers["Idempotency-Key"])
                }
                return outcomes[number - 1].promise
            }
            let transport = RetryingTransport(
                base,
                policy: RetryPolicy(attempts: 6, firstPause: .zero),
                clock: ManualClock(),
                honoursKey: { _ in true }
            )
            let answer = transport.reply(to: HTTPRequest(.post, example, "/"), .patient)
            let reply = try? await answer.value
            expect(Set(effects.all).count <= 1, "seed \(seed)")
            expect(!effects.all.contains(nil), "seed \(seed)")
            if let reply { expect(reply.attempts, equals: base.sent.count, "seed \(seed)") }
            if effects.count > 1, let reply { expect(reply.mayBeRepeated, "seed \(seed)") }
        }
    }

    private static func outcome(_ random: inout SplitMix) -> Outcome {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .status(random.pick([200, 404, 500, 502, 503, 504]))
        case 1: .failed(random.pick([.connectionLost, .timedOut, .truncated]), mayBeSent: true)
        default: .failed(random.pick([.refused, .unknownHost, .timedOut]), mayBeSent: false)
        }
    }
}

extension Outcome {
    fileprivate var isUnsent: Bool {
        if case .failed(_, mayBeSent: false) = self { true } else { false }
    }
}
