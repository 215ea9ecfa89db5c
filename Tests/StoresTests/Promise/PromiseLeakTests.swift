import ModelKitStores
import TestSupport
import Testing

/// What gives up waiting for a promise that goes on for long leaves nothing behind there.
struct PromiseLeakTests {
    typealias Work = PromiseCancelTests.Work

    static let rounds = 100_000

    /// Whether nothing but `step` waits for the work: without it, nobody wants the work.
    private func isForgotten(_ work: Work, but step: Promise<Int>) -> Bool {
        guard work.isUntouched else { return false }
        step.cancel()
        return work.isStopped
    }

    @Test func `lost races`() {
        let work = Work()
        let step = work.promise.map { $0 }
        for round in 0..<Self.rounds {
            weak var left: Promise<Int>?
            do {
                let (other, resolver) = Promise<Int>.withResolvers()
                let first =
                    round % 2 == 0
                    ? Promise.race([work.promise, other]) : Promise.any([other, work.promise])
                left = first
                resolver.fulfill(round)
                if first.success != round { Issue.record("round \(round)") }
            }
            if left != nil { Issue.record("round \(round)") }
        }
        expect(isForgotten(work, but: step))
    }

    @Test func `failed tuples and lists`() {
        let work = Work()
        let step = work.promise.map { $0 }
        for round in 0..<Self.rounds / 10 {
            let (other, resolver) = Promise<Int>.withResolvers()
            let ends = [
                zip(work.promise, other).map { $0.0 },
                Promise.all([work.promise, other]).map { $0[0] },
                Promise.map([0, 1], limit: 2) { $0 == 0 ? work.promise : other }.map { $0[0] },
            ]
            resolver.reject(Trouble())
            if !ends.allSatisfy({ $0.failure is Trouble }) { Issue.record("round \(round)") }
        }
        expect(isForgotten(work, but: step))
    }

    @Test func `limits that are over, or given up`() async {
        let work = Work()
        let step = work.promise.map { $0 }
        for round in 0..<Self.rounds {
            weak var left: Promise<Int>?
            if round % 10 == 0 {
                let limited = work.promise.timeout(.zero)
                if await !(trouble(of: limited) is PromiseError) { Issue.record("round \(round)") }
            } else {
                let limited = work.promise.timeout(.seconds(3_600))
                left = limited
                limited.cancel()
            }
            if left != nil { Issue.record("round \(round)") }
        }
        expect(isForgotten(work, but: step))
    }

    @Test func `tasks that are cancelled`() async {
        let work = Work()
        let step = work.promise.map { $0 }
        for round in 0..<Self.rounds {
            let task = Task { try await work.promise.value }
            if round % 2 == 0 { await Task.yield() }
            task.cancel()
            if await !(task.result.failure is CancellationError) { Issue.record("round \(round)") }
        }
        expect(isForgotten(work, but: step))
    }
}
