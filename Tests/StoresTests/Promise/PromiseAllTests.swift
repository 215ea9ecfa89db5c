import Dispatch
import ModelKitStores
import TestSupport
import Testing

struct PromiseAllTests {
    @Test func `all of nothing is there at once`() {
        expect(Promise<Int>.all([]).success, equals: [])
    }

    @Test func `all of settled promises is there at once`() {
        expect(Promise.all([.value(1), .value(2)]).success, equals: [1, 2])
    }

    @Test func `values come in the order of the promises, not of their settling`() {
        let parts = (0..<5).map { _ in Promise<Int>.withResolvers() }
        let all = Promise.all(parts.map(\.promise) + [.value(5)])
        for index in [3, 0, 4, 2, 1] {
            expect(all.result == nil)
            parts[index].resolver.fulfill(index)
        }
        expect(all.success, equals: [0, 1, 2, 3, 4, 5])
    }

    @Test func `the same promise may appear twice`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        let all = Promise.all([promise, promise])
        resolver.fulfill(1)
        expect(all.success, equals: [1, 1])
    }

    @Test func `the first failure is the failure of all`() {
        let first = Trouble()
        let parts = (0..<3).map { _ in Promise<Int>.withResolvers() }
        for part in parts { part.promise.observe { _ in } }
        let all = Promise.all(parts.map(\.promise))
        parts[1].resolver.reject(first)
        expect(all.failure as? Trouble === first)
        parts[0].resolver.reject(Trouble())
        parts[2].resolver.fulfill(1)
        expect(all.failure as? Trouble === first)
    }

    @Test func `all of a failed promise fails at once`() {
        let trouble = Trouble()
        expect(Promise.all([.value(1), .failed(trouble)]).failure as? Trouble === trouble)
    }

    @Test func `parts settled by several threads`() {
        for round in 0..<300 {
            let parts = (0..<16).map { _ in Promise<Int>.withResolvers() }
            let results = Log<Promise<[Int]>>()
            DispatchQueue.concurrentPerform(iterations: 5) { thread in
                guard thread < 4 else { return results.add(Promise.all(parts.map(\.promise))) }
                for index in 0..<16 where index % 4 == thread {
                    parts[index].resolver.fulfill(index)
                }
            }
            expect(results.entries[0].success, equals: Array(0..<16), "round \(round)")
        }
    }

    @Test func `parts failing while all is made`() {
        for round in 0..<300 {
            let parts = (0..<16).map { _ in PromiseCancelTests.Work() }
            let results = Log<Promise<[Int]>>()
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                switch thread {
                case 0: results.add(Promise.all(parts.map(\.promise)))
                case 1: parts[9].resolver.reject(Trouble())
                default: parts[3].resolver.reject(Trouble())
                }
            }
            expect(results.entries[0].failure is Trouble, "round \(round)")
            for (index, part) in parts.enumerated() where index != 3 && index != 9 {
                expect(part.isStopped, "round \(round), part \(index)")
            }
        }
    }
}

/// All outcomes, and values of different types.
struct PromiseSettledTests {
    typealias Work = PromiseCancelTests.Work

    @Test func `all outcomes come in the order of the promises`() throws {
        let parts = (0..<4).map { _ in Promise<Int>.withResolvers() }
        let trouble = Trouble()
        let all = Promise.allSettled(parts.map(\.promise) + [.value(4), .failed(trouble)])
        for index in [2, 0, 3, 1] {
            expect(all.result == nil)
            if index == 3 {
                parts[index].resolver.reject(trouble)
            } else {
                parts[index].resolver.fulfill(index)
            }
        }
        let outcomes = try #require(all.success)
        expect(outcomes.map { try? $0.get() }, equals: [0, 1, 2, nil, 4, nil])
        expect(outcomes[3].failure as? Trouble === trouble)
        expect(outcomes[5].failure as? Trouble === trouble)
    }

    @Test func `all outcomes of none and of settled promises are there at once`() {
        expect(Promise<Int>.allSettled([]).success?.count, equals: 0)
        expect(Promise.allSettled([.value(1), .failed(Trouble())]).success?.count, equals: 2)
    }

    @Test func `cancelling the wait for all outcomes stops what nobody else waits for`() {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        let all = Promise.allSettled([alone.promise, shared.promise])
        all.cancel()
        expect(all.failure is CancellationError)
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `values of different types come together`() {
        let (number, numberResolver) = Promise<Int>.withResolvers()
        let (text, textResolver) = Promise<String>.withResolvers()
        let three = zip(number, text, Promise.value(true))
        textResolver.fulfill("a")
        expect(three.result == nil)
        numberResolver.fulfill(1)
        expect(three.success?.0 == 1 && three.success?.1 == "a" && three.success?.2 == true)
        let one: Promise<Int> = zip(Promise.value(1))
        expect(one.success, equals: 1)
        expect(zip().success != nil)
    }

    @Test func `a failure of one part of a tuple stops the others`() {
        let trouble = Trouble()
        let alone = Work(), shared = Work()
        let (text, resolver) = Promise<String>.withResolvers()
        shared.promise.observe { _ in }
        let three = zip(alone.promise, text, shared.promise)
        resolver.reject(trouble)
        expect(three.failure as? Trouble === trouble)
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `cancelling a tuple stops what nobody else waits for`() {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        zip(alone.promise, shared.promise).cancel()
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }
}
