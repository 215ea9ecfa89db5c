import Dispatch
import ModelKitStores
import TestSupport
import Testing

/// Many items, a few at a time.
struct PromiseMapTests {
    typealias Work = PromiseCancelTests.Work

    @Test func `values come in the order of the items`() {
        let works = (0..<5).map { _ in Work() }
        let all = Promise.map(0..<5, limit: 5) { works[$0].promise }
        for index in [3, 0, 4, 2, 1] {
            expect(all.result == nil)
            works[index].resolver.fulfill(index * 10)
        }
        expect(all.success, equals: [0, 10, 20, 30, 40])
    }

    @Test(arguments: [Int.min, 0, 1, 2, 3, 100, Int.max])
    func `no more than the limit are pending at a time`(limit: Int) {
        let works = (0..<9).map { _ in Work() }
        let started = Log<Int>()
        let all = Promise.map(0..<9, limit: limit) { item in
            started.add(item)
            return works[item].promise
        }
        let most = min(9, max(1, limit))
        for ended in 0..<9 {
            expect(started.entries, equals: Array(0..<min(9, most + ended)))
            works[ended].resolver.fulfill(ended)
        }
        expect(all.success, equals: Array(0..<9))
    }

    @Test func `nothing, and what is settled, is there at once`() {
        expect(Promise<Int>.map([Int](), limit: 2) { .value($0) }.success, equals: [])
        expect(
            Promise.map(0..<1_000, limit: 2) { .value($0 + 1) }.success,
            equals: Array(1...1_000)
        )
        let inside = Promise.value(0).then { _ in Promise.map(0..<9, limit: 2) { .value($0) } }
        expect(inside.success, equals: Array(0..<9))
    }

    @Test func `items are taken as they are needed`() {
        let taken = Log<Int>()
        let items = AnySequence(
            sequence(state: 0) { (next: inout Int) -> Int? in
                next += 1
                taken.add(next)
                return next
            }
        )
        let works = (0..<3).map { _ in Work() }
        let all = Promise.map(items, limit: 2) { works[$0 - 1].promise }
        expect(taken.entries, equals: [1, 2])
        works[0].resolver.fulfill(1)
        expect(taken.entries, equals: [1, 2, 3])
        all.cancel()
        expect(taken.entries, equals: [1, 2, 3])
    }

    @Test func `after a failure nothing is started, and the rest is stopped`() {
        let trouble = Trouble()
        for isThrown in [false, true] {
            let works = (0..<3).map { _ in Work() }
            let started = Log<Int>()
            let all = Promise.map(0..<9, limit: 3) { item -> Promise<Int> in
                started.add(item)
                if item == 3 { throw trouble }
                return works[item].promise
            }
            if isThrown { works[0].resolver.fulfill(1) } else { works[0].resolver.reject(trouble) }
            expect(all.failure as? Trouble === trouble)
            expect(works[1...].map(\.isStopped), equals: [true, true])
            expect(started.count, equals: (isThrown ? 4 : 3))
        }
    }

    @Test func `a failure at once starts nothing more`() {
        let work = Work()
        let started = Log<Int>()
        let all = Promise.map(0..<9, limit: 3) { item -> Promise<Int> in
            started.add(item)
            return item == 0 ? work.promise : .failed(Trouble())
        }
        expect(all.failure is Trouble)
        expect(work.isStopped)
        expect(started.count, equals: 2)
    }

    @Test func `a failure at once starts nothing more inside a handler, too`() {
        let work = Work()
        let started = Log<Int>()
        let all = Promise.value(0).then { _ in
            Promise.map(0..<9, limit: 3) { item -> Promise<Int> in
                started.add(item)
                return item == 0 ? work.promise : .failed(Trouble())
            }
        }
        expect(all.failure is Trouble)
        expect(work.isStopped)
        expect(started.count, equals: 2)
    }

    @Test func `cancelling stops what nobody else waits for, and nothing is started`() {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        let started = Log<Int>()
        let all = Promise.map(0..<9, limit: 2) { item in
            started.add(item)
            return item == 0 ? alone.promise : shared.promise
        }
        all.cancel()
        expect(all.failure is CancellationError)
        expect(alone.isStopped)
        expect(shared.isUntouched)
        shared.resolver.fulfill(1)
        expect(started.count, equals: 2)
    }

    @Test(arguments: [false, true])
    func `a failure while a promise is made stops that, too, if nobody else waits for it`(
        isShared: Bool
    ) {
        let first = Work(), second = Work()
        if isShared { second.promise.observe { _ in } }
        let all = Promise.map(0..<9, limit: 2) { item in
            if item == 0 { return first.promise }
            first.resolver.reject(Trouble())
            return second.promise
        }
        expect(all.failure is Trouble)
        expect(second.isStopped, equals: !isShared)
    }

    @Test func `what it captures is freed, however it ends`() {
        final class Capture: Sendable {}
        for end in 0..<3 {
            weak var freed: Capture?
            weak var whole: Promise<[Int]>?
            let (shared, resolver) = Promise<Int>.withResolvers()
            shared.observe { _ in }
            do {
                let capture = Capture()
                freed = capture
                let all = Promise.map([1, 2, 3], limit: 2) { _ in
                    withExtendedLifetime(capture) { shared }
                }
                whole = all
                switch end {
                case 0: resolver.fulfill(1)
                case 1: resolver.reject(Trouble())
                default: all.cancel()
                }
                expect(all.result != nil)
            }
            expect(freed == nil && whole == nil)
            resolver.fulfill(1)
        }
    }

    @Test(arguments: [1, 3, 64])
    func `items that end on several threads`(limit: Int) async throws {
        let queue = DispatchQueue(label: "queue", attributes: .concurrent)
        for round in 0..<20 {
            let running = Log<Int>()
            let all = Promise.map(0..<200, limit: limit) { item in
                running.add(1)
                expect(running.entries.reduce(0, +) <= limit)
                return Promise { resolver in
                    queue.async {
                        running.add(-1)
                        resolver.fulfill(item)
                    }
                }
            }
            try await expect(all.value, equals: Array(0..<200), "round \(round)")
        }
    }

    @Test func `failing, cancelling and ending at the same time`() {
        for round in 0..<1_000 {
            let works = (0..<6).map { _ in Work() }
            let started = Log<Int>()
            let all = Promise.map(0..<6, limit: 2) { item in
                started.add(item)
                return works[item].promise
            }
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                switch thread {
                case 0: works[0].resolver.fulfill(0)
                case 1: works[1].resolver.reject(Trouble())
                default: all.cancel()
                }
            }
            expect(all.result != nil, "round \(round)")
            for item in started.entries {
                expect(works[item].promise.result != nil, "round \(round), item \(item)")
            }
        }
    }
}
