import Dispatch
import ModelKitStores
import TestSupport
import Testing

struct PromiseRaceTests {
    typealias Work = PromiseCancelTests.Work

    // MARK: The first that is settled

    @Test func `the first that is settled wins the race, and the others are stopped`() {
        let trouble = Trouble()
        for isFailure in [false, true] {
            let works = (0..<3).map { _ in Work() }
            let first = Promise.race(works.map(\.promise))
            expect(first.result == nil)
            if isFailure {
                works[1].resolver.reject(trouble)
                expect(first.failure as? Trouble === trouble)
            } else {
                works[1].resolver.fulfill(1)
                expect(first.success, equals: 1)
            }
            expect(works.map(\.isStopped), equals: [true, false, true])
        }
    }

    @Test func `losers that somebody else waits for go on`() {
        let winner = Work(), loser = Work()
        loser.promise.observe { _ in }
        let first = Promise.race([loser.promise, winner.promise])
        winner.resolver.fulfill(1)
        expect(first.success, equals: 1)
        expect(loser.isUntouched)
    }

    @Test func `of those that are settled the first in the array wins`() {
        let pending = Work()
        expect(Promise.race([pending.promise, .value(1), .failed(Trouble())]).success, equals: 1)
        expect(pending.isStopped)
        expect(Promise<Int>.race([.failed(Trouble()), .value(1)]).failure is Trouble)
    }

    @Test func `inside a handler, too, what is settled decides at once and in order`() {
        let seen = Log<Int?>()
        let trouble = Trouble()
        Promise.value(0).observe { _ in
            // Its handler waits for its turn, and every handler behind it.
            let busy = Promise<Int>.withResolvers(), failed = Promise<Int>.withResolvers()
            busy.promise.observe { _ in }
            failed.promise.catch { _ in }
            busy.resolver.fulfill(1)
            failed.resolver.reject(Trouble())
            let pending = Work()
            let late = Promise.value(2), lateFailed = Promise<Int>.failed(trouble)

            seen.add(Promise.race([pending.promise, late, busy.promise]).success)
            expect(pending.isStopped)
            seen.add(Promise.any([failed.promise, lateFailed, late, busy.promise]).success)
            let all = Promise.all([busy.promise, lateFailed, failed.promise])
            expect(all.failure as? Trouble === trouble)
            expect(zip(late, lateFailed, failed.promise).result?.failure as? Trouble === trouble)
        }
        expect(seen.entries, equals: [2, 2])
    }

    @Test func `there is no first of none`() {
        expect(Promise<Int>.race([]).failure as? PromiseError, equals: .noPromises)
    }

    @Test func `cancelling a race stops what nobody else waits for`() {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        for first in [
            Promise.race([alone.promise, shared.promise]),
            Promise.any([alone.promise, shared.promise]),
        ] {
            first.cancel()
            expect(first.failure is CancellationError)
        }
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `the same promise may run twice`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        let race = Promise.race([promise, promise]), any = Promise.any([promise, promise])
        resolver.fulfill(1)
        expect(race.success, equals: 1)
        expect(any.success, equals: 1)
    }

    @Test func `many may finish at the same time`() {
        for round in 0..<300 {
            let works = (0..<8).map { _ in Work() }
            let races = Log<Promise<Int>>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                switch thread {
                case 0: races.add(Promise.race(works.map(\.promise)))
                case 1: works[2].resolver.fulfill(2)
                case 2: works[5].resolver.reject(Trouble())
                default: races.add(Promise.any(works.map(\.promise)))
                }
            }
            expect(races.entries.allSatisfy { $0.result != nil }, "round \(round)")
            for (index, work) in works.enumerated() where index != 2 && index != 5 {
                expect(work.isStopped, "round \(round), work \(index)")
            }
        }
    }

    // MARK: The first that succeeds

    @Test func `the first value counts, not the errors before`() {
        let works = (0..<3).map { _ in Work() }
        let any = Promise.any(works.map(\.promise))
        works[0].resolver.reject(Trouble())
        expect(any.result == nil)
        expect(works[1].isUntouched)
        works[2].resolver.fulfill(2)
        expect(any.success, equals: 2)
        expect(works[1].isStopped)
    }

    @Test func `if all fail, the errors are there in the order of the promises`() throws {
        let errors = (0..<4).map { _ in Trouble() }
        let parts = (0..<4).map { _ in Promise<Int>.withResolvers() }
        let any = Promise.any(parts.map(\.promise))
        for index in [2, 0, 3, 1] {
            expect(any.result == nil)
            parts[index].resolver.reject(errors[index])
        }
        let error = try #require(any.failure as? PromiseError.Aggregate)
        expect(error.errors.map { $0 as? Trouble }, equals: errors)
    }

    @Test func `any of settled promises is there at once`() throws {
        expect(Promise.any([.failed(Trouble()), .value(1), .value(2)]).success, equals: 1)
        let failed = Promise<Int>.any([.failed(Trouble()), .failed(Trouble())])
        expect((failed.failure as? PromiseError.Aggregate)?.errors.count, equals: 2)
        let none = try #require(Promise<Int>.any([]).failure as? PromiseError.Aggregate)
        expect(none.errors.isEmpty)
        expect("\(none)", equals: "there were no promises")
    }
}

extension Trouble: Equatable {
    static func == (left: Trouble, right: Trouble) -> Bool { left === right }
}
