import Dispatch
import Foundation
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

/// Time: by a clock that stands still where that can decide, else long or short enough.
struct PromiseTimeTests {
    typealias Work = PromiseCancelTests.Work

    // MARK: Limits

    @Test func `a promise that is not in time fails, and its work is stopped`() async {
        let work = Work()
        let clock = ManualClock()
        let limited = work.promise.timeout(.seconds(5), clock: clock)
        await clock.wait(for: 1)
        clock.advance(by: .seconds(4))
        expect(limited.result == nil)
        clock.advance(by: .seconds(1))
        await expect(trouble(of: limited) as? PromiseError, equals: .timedOut)
        expect(work.isStopped)
    }

    @Test func `work that somebody else waits for goes on after the time is over`() async {
        let work = Work()
        let other = work.promise.map { $0 }
        let limited = work.promise.timeout(.milliseconds(1))
        await expect(trouble(of: limited) as? PromiseError, equals: .timedOut)
        expect(work.isUntouched)
        work.resolver.fulfill(1)
        expect(other.success, equals: 1)
    }

    @Test func `a promise that is in time ends as it does, and the timer with it`() async {
        let trouble = Trouble()
        for result in [Result<Int, any Error>.success(1), .failure(trouble)] {
            let work = Work()
            let clock = ManualClock()
            let limited = work.promise.timeout(.seconds(5), clock: clock)
            await clock.wait(for: 1)
            work.resolver.resolve(result)
            expect(limited.success, equals: (try? result.get()))
            expect(limited.failure as? Trouble === result.failure as? Trouble)
            await clock.wait(for: 0)
        }
    }

    @Test func `cancelling a promise with a limit stops the work and the timer`() async {
        let work = Work()
        let clock = ManualClock()
        let limited = work.promise.timeout(.seconds(5), clock: clock)
        await clock.wait(for: 1)
        limited.cancel()
        expect(limited.failure is CancellationError)
        expect(work.isStopped)
        await clock.wait(for: 0)
    }

    @Test func `a settled promise is in time, whatever the limit`() {
        expect(Promise.value(1).timeout(.zero).success, equals: 1)
        expect(Promise<Int>.failed(Trouble()).timeout(.seconds(-1)).failure is Trouble)
    }

    static let clocks: [any Clock<Duration>] = [SuspendingClock(), ContinuousClock()]

    @Test(
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(1)],
        PromiseTimeTests.clocks
    )
    func `a limit that is over already is over soon`(
        limit: Duration,
        clock: any Clock<Duration>
    ) async {
        let work = Work()
        let limited = work.promise.timeout(limit, clock: clock)
        await expect(trouble(of: limited) as? PromiseError, equals: .timedOut)
        expect(work.isStopped)
    }

    @Test(
        arguments: [Duration.seconds(1 << 40), .seconds(Int64.max), .seconds(3_153_600_000)],
        PromiseTimeTests.clocks
    )
    func `a limit may be too long to be counted`(
        limit: Duration,
        clock: any Clock<Duration>
    ) throws {
        let work = Work()
        let limited = work.promise.timeout(limit, clock: clock)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { work.resolver.fulfill(1) }
        try expect(limited.wait(timeout: limit), equals: 1)
    }

    // MARK: Delays

    @Test func `a value is delayed`() async throws {
        let clock = ManualClock()
        let later = Promise.value(1).delay(.seconds(2), clock: clock)
        await clock.wait(for: 1)
        clock.advance(by: .seconds(1))
        expect(later.result == nil)
        clock.advance(by: .seconds(1))
        try await expect(later.value, equals: 1)
        let start = ContinuousClock.now
        try await expect(Promise.value(2).delay(.milliseconds(20)).value, equals: 2)
        expect(ContinuousClock.now - start >= .milliseconds(19))
    }

    @Test func `an error is not delayed`() {
        expect(Promise<Int>.failed(Trouble()).delay(.seconds(1_000)).failure is Trouble)
    }

    @Test func `cancelling a delay stops the work before, and the timer after it`() async {
        let work = Work()
        work.promise.delay(.seconds(1)).cancel()
        expect(work.isStopped)

        let clock = ManualClock()
        let later = Promise.value(1).delay(.seconds(2), clock: clock)
        await clock.wait(for: 1)
        later.cancel()
        expect(later.failure is CancellationError)
        await clock.wait(for: 0)
    }

    // MARK: Waiting on a thread

    @Test func `waiting on a thread ends when the time is over, and is one consumer less`() {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        for work in [alone, shared] {
            #expect(throws: PromiseError.timedOut) {
                try work.promise.wait(timeout: .milliseconds(5))
            }
        }
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `waiting on a thread gives what comes in time`() throws {
        let work = Work()
        DispatchQueue.global().async { work.resolver.fulfill(1) }
        try expect(work.promise.wait(timeout: .seconds(60)), equals: 1)
        try expect(Promise.value(2).wait(timeout: .zero), equals: 2)
    }
}
