import Dispatch
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

struct PromiseRetryTests {
    typealias Work = PromiseCancelTests.Work

    @Test func `the first success ends it`() {
        let attempts = Log<Int>()
        let promise = Promise.retry(5) { attempt in
            attempts.add(attempt)
            return attempt == 3 ? .value(attempt * 10) : .failed(Trouble())
        }
        expect(promise.success, equals: 30)
        expect(attempts.entries, equals: [1, 2, 3])
    }

    @Test(arguments: [Int.min, 0, 1, 4])
    func `after the last attempt it fails with the last error`(most: Int) {
        let errors = Log<Trouble>()
        let promise = Promise<Int>.retry(most) { attempt in
            let error = Trouble()
            errors.add(error)
            // Throwing is failing.
            if attempt % 2 == 0 { throw error }
            return .failed(error)
        }
        expect(errors.count, equals: max(1, most))
        expect(promise.failure as? Trouble === errors.entries.last)
    }

    @Test func `attempts that end later are waited for`() {
        let works = [Work(), Work(), Work()]
        let promise = Promise.retry(3) { works[$0 - 1].promise }
        for index in 0..<2 {
            expect(promise.result == nil)
            works[index].resolver.reject(Trouble())
        }
        works[2].resolver.fulfill(7)
        expect(promise.success, equals: 7)
    }

    @Test func `an error that is not worth it is the last`() {
        let attempts = Log<Int>()
        let promise = Promise<Int>.retry(9, if: { $0 is Trouble }) { attempt in
            attempts.add(attempt)
            return .failed(attempt < 3 ? Trouble() : PromiseError.broken)
        }
        expect(promise.failure as? PromiseError, equals: .broken)
        expect(attempts.count, equals: 3)
    }

    @Test func `a cancelled attempt is not repeated, unless that is wanted`() {
        let attempts = Log<Int>()
        let body: @Sendable (Int) -> Promise<Int> = { attempt in
            attempts.add(attempt)
            return .failed(CancellationError())
        }
        expect(Promise.retry(3, body).failure is CancellationError)
        expect(attempts.count, equals: 1)
        expect(Promise.retry(3, if: { _ in true }, body).failure is CancellationError)
        expect(attempts.count, equals: 4)
    }

    @Test func `it pauses between attempts, as long as is said`() async throws {
        let clock = ManualClock()
        let attempts = Log<Int>()
        let backoff = PromiseBackoff.custom { .seconds($0 * 10) }
        let promise = Promise.retry(3, backoff: backoff, clock: clock) { attempt in
            attempts.add(attempt)
            return attempt < 3 ? .failed(Trouble()) : .value(attempt)
        }
        for pause in 1...2 {
            await clock.wait(for: 1)
            clock.advance(by: .seconds(pause * 10 - 1))
            expect(attempts.count, equals: pause)
            clock.advance(by: .seconds(1))
        }
        try await expect(promise.value, equals: 3)
        expect(clock.now.time, equals: .seconds(30))
    }

    @Test func `it pauses by the clock of the system, too`() async throws {
        let start = ContinuousClock.now
        let promise = Promise.retry(3, backoff: .constant(.milliseconds(10))) { attempt in
            attempt < 3 ? .failed(Trouble()) : .value(attempt)
        }
        try await expect(promise.value, equals: 3)
        expect(ContinuousClock.now - start >= .milliseconds(18))
    }

    @Test func `cancelling stops the attempt, or the pause, and no other begins`() async {
        let work = Work()
        let attempts = Log<Int>()
        let running = Promise.retry(3) { attempt in
            attempts.add(attempt)
            return work.promise
        }
        running.cancel()
        expect(work.isStopped)
        expect(running.failure is CancellationError)

        let clock = ManualClock()
        let pausing = Promise<Int>.retry(3, backoff: .constant(.seconds(1)), clock: clock) {
            attempts.add($0)
            return .failed(Trouble())
        }
        await clock.wait(for: 1)
        pausing.cancel()
        await clock.wait(for: 0)
        expect(attempts.entries, equals: [1, 1])
    }

    @Test func `cancelling during the attempt itself stops what it returns`() {
        let work = Work()
        let attempts = Log<Int>()
        let own = Log<Promise<Int>>()
        let (first, resolver) = Promise<Int>.withResolvers()
        let promise = Promise.retry(3) { attempt in
            attempts.add(attempt)
            if attempt == 1 { return first }
            own.entries[0].cancel()
            return work.promise
        }
        own.add(promise)
        resolver.reject(Trouble())
        expect(promise.failure is CancellationError)
        expect(work.isStopped)
        expect(attempts.count, equals: 2)
    }

    @Test func `what it captures is freed before its handlers run, or when it is cancelled`() {
        final class Capture: Sendable {}
        struct Probe: @unchecked Sendable { weak var capture: Capture? }
        for isCancelled in [false, true] {
            var capture: Capture? = Capture()
            let probe = Probe(capture: capture)
            let freed = Log<Bool>()
            let (first, resolver) = Promise<Int>.withResolvers()
            first.observe { _ in }
            let promise = Promise.retry(2) { [capture] _ in
                withExtendedLifetime(capture) { first }
            }
            promise.observe { _ in freed.add(probe.capture == nil) }
            capture = nil
            if isCancelled { promise.cancel() } else { resolver.fulfill(1) }
            expect(freed.entries, equals: [true])
        }
    }

    @Test func `cancelling while attempts fail ends it`() {
        for round in 0..<2_000 {
            let works = (0..<3).map { _ in Work() }
            let promise = Promise.retry(3) { works[$0 - 1].promise }
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 { return promise.cancel() }
                for work in works { work.resolver.reject(Trouble()) }
            }
            expect(promise.result != nil, "round \(round)")
            expect(works.allSatisfy { $0.promise.result != nil }, "round \(round)")
        }
    }

    // MARK: Pauses

    @Test func `pauses grow up to their limit`() {
        let backoff = PromiseBackoff.exponential(
            from: .milliseconds(100),
            by: 3,
            upTo: .seconds(2)
        )
        let pauses = (1...5).map { backoff.pause(after: $0) / .milliseconds(1) }
        for (pause, wanted) in zip(pauses, [100.0, 300, 900, 2_000, 2_000]) {
            expect(abs(pause - wanted) < 0.001)
        }
        expect(PromiseBackoff.constant(.seconds(2)).pause(after: 9), equals: .seconds(2))
        expect(PromiseBackoff.none.pause(after: 9), equals: .zero)
    }

    @Test(arguments: [1, 2, 100, Int.max, 0, Int.min])
    func `no factor or number of attempts is too large`(attempt: Int) {
        let most = Duration.seconds(Int64.max)
        for factor in [2, 1.5, .infinity, .nan, -.infinity, -2, 0] {
            for first in [Duration.seconds(1), .zero, .seconds(-1), most] {
                let backoff = PromiseBackoff.exponential(from: first, by: factor, upTo: most)
                let pause = backoff.pause(after: attempt)
                expect(pause >= .zero && pause <= most)
                expect(backoff.jittered().pause(after: attempt) <= pause)
            }
        }
    }

    @Test func `pauses by chance are spread between nothing and the pause`() {
        let backoff = PromiseBackoff.constant(.seconds(1)).jittered()
        let pauses = (1...1_000).map { backoff.pause(after: $0) }
        expect(pauses.allSatisfy { $0 >= .zero && $0 <= .seconds(1) })
        expect(pauses.contains { $0 < .milliseconds(250) })
        expect(pauses.contains { $0 > .milliseconds(750) })
    }

    @Test func `an attempt that was cancelled by itself is the last, whatever it fails with`() {
        let attempts = Log<Int>()
        let own = Log<Promise<Int>>()
        let resolvers = Log<Resolver<Int>>()
        let promise = Promise<Int>.retry(3) { attempt in
            attempts.add(attempt)
            let (work, resolver) = Promise<Int>.withResolvers()
            resolver.whenCancelled { Trouble() }
            resolvers.add(resolver)
            own.add(work)
            return work
        }
        own.entries[0].cancel()
        expect(promise.failure is Trouble)
        expect(attempts.count, equals: 1)
        let cancelled = StoreError.cancelled(.notApplied)
        let write = Promise<Int>.retry(3) { attempt in
            attempts.add(attempt)
            return .failed(cancelled)
        }
        expect(write.failure as? StoreError, equals: cancelled)
        expect(attempts.count, equals: 2)
        let wanted = Promise<Int>.retry(3, if: { _ in true }) { attempt in
            attempts.add(attempt)
            return .failed(cancelled)
        }
        expect(wanted.failure as? StoreError, equals: cancelled)
        expect(attempts.count, equals: 5)
    }
}
