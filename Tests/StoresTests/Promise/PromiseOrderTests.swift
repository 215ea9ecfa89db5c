import Dispatch
import Foundation
import ModelKitStores
import TestSupport
import Testing

/// Promises/A+ 2.2.4 and 2.2.6: when handlers are called, and in which order.
///
/// Numbers are those of the conformance cases.
struct PromiseOrderTests {
    typealias Kind = PromiseHandlerTests.Kind

    /// Calls `body` for either outcome.
    private func add(
        _ promise: Promise<Int>,
        _ executor: PromiseExecutor?,
        _ body: @escaping @Sendable () -> Void
    ) {
        promise.observe(on: executor) { _ in body() }
    }

    // MARK: A clean stack

    // 32 to 34: before it is settled, just before, and just after.
    @Test(arguments: Start.allCases, [Place.serial, .concurrent])
    func `with a queue, adding a handler returns before it is called`(
        start: Start,
        place: Place
    ) async {
        for kind in Kind.allCases {
            let setting = Setting(place)
            let seen = Log<Int>()
            setting.queue?.suspend()
            let promise = setting.promise(start, kind.result) { promise in
                add(promise, setting.executor) { seen.add(1) }
                expect(seen.entries, equals: [])
            }
            _ = try? await promise.value
            expect(seen.entries, equals: [])
            setting.queue?.resume()
            await setting.finish(promise)
            expect(seen.entries, equals: [1])
        }
    }

    // 32 to 34.
    @Test(arguments: Start.allCases) @MainActor
    func `on the main queue, adding a handler returns before it is called`(start: Start) async {
        for kind in Kind.allCases {
            let setting = Setting(.main)
            let seen = Log<Int>()
            let promise = setting.promise(start, kind.result) { promise in
                add(promise, .main) { seen.add(1) }
                expect(seen.entries, equals: [])
            }
            expect(seen.entries, equals: [])
            await setting.finish(promise)
            expect(seen.entries, equals: [1])
        }
    }

    // 32, 33 without a queue.
    @Test func `without a queue, the settling thread calls the handler`() {
        let seen = Log<Bool>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        add(promise, nil) {
            // Nothing is locked: reading, adding and cancelling work from inside.
            seen.add(promise.success == 1)
            promise.observe { _ in seen.add(true) }
            promise.map { $0 }.cancel()
            promise.cancel()
        }
        expect(seen.entries, equals: [])
        resolver.fulfill(1)
        expect(seen.entries, equals: [true, true])
    }

    // 34 without a queue.
    @Test func `without a queue, the thread that adds a handler to a settled promise calls it`() {
        let seen = Log<Int>()
        add(.value(1), nil) { seen.add(1) }
        expect(seen.entries, equals: [1])
    }

    // 35 and 36.
    @Test(arguments: Kind.allCases, Place.ordered)
    func `a handler added inside a handler is called after that one returned`(
        kind: Kind,
        place: Place
    ) async {
        for start in Start.allCases {
            let setting = Setting(place)
            let seen = Log<Int>()
            let (inner, resolver) = Promise<Void>.withResolvers()
            let executor = setting.executor
            let promise = setting.promise(start, kind.result) { promise in
                promise.observe(on: executor) { _ in
                    promise.observe(on: executor) { _ in
                        seen.add(2)
                        resolver.fulfill()
                    }
                    seen.add(1)
                }
            }
            await setting.finish(promise)
            await setting.finish(inner)
            expect(seen.entries, equals: [1, 2], "\(start)")
        }
    }

    // 37.
    @Test(arguments: Kind.allCases, Trial.ordered)
    func `what a handler settles is followed up after it returned`(
        kind: Kind,
        trial: Trial
    ) async {
        let setting = Setting(trial.place)
        let seen = Log<String>()
        let (inner, innerResolver) = Promise<Int>.withResolvers()
        let end = Promise<Void>.withResolvers()
        inner.observe(on: setting.executor) { _ in
            seen.add("downstream")
            end.resolver.fulfill()
        }
        _ = setting.promise(trial.start, .success(0)) { (outer: Promise<Int>) in
            outer.observe(on: setting.executor) { _ in
                innerResolver.resolve(kind.result)
                seen.add("handler returns")
            }
        }
        await setting.finish(end.promise)
        expect(seen.entries, equals: ["handler returns", "downstream"])
    }

    // MARK: Several handlers

    // 38 and 42.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `all handlers are called, in the order in which they were added`(
        kind: Kind,
        place: Place
    ) async {
        for start in Start.allCases {
            let setting = Setting(place)
            let seen = Log<Int>()
            let promise = setting.promise(start, kind.result) { promise in
                for number in 1...5 { add(promise, setting.executor) { seen.add(number) } }
            }
            await setting.finish(promise)
            if place == .concurrent {
                expect(Set(seen.entries), equals: Set(1...5))
                expect(seen.count, equals: 5)
            } else {
                expect(seen.entries, equals: [1, 2, 3, 4, 5], "\(start)")
            }
        }
    }

    // 39, 40 and 43, 44.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `one that throws does not keep the others from being called`(
        kind: Kind,
        place: Place
    ) async {
        for start in Start.allCases {
            let setting = Setting(place)
            let executor = setting.executor
            let seen = Log<String>()
            let trouble = Trouble()
            let branches = Log<Promise<Int>>()
            _ = setting.promise(start, kind.result) { promise in
                for number in 1...3 {
                    @Sendable func handle() throws -> Int {
                        seen.add("\(number)")
                        if number == 2 { throw trouble }
                        return number
                    }
                    branches.add(
                        kind == .value
                            ? promise.map(on: executor) { _ in try handle() }
                            : promise.recover(on: executor) { _ in try handle() }
                    )
                }
            }
            for branch in branches.entries { await setting.finish(branch) }
            expect(seen.entries.sorted(), equals: ["1", "2", "3"])
            expect(branches.entries.map(\.success), equals: [1, nil, 3])
            expect(branches.entries[1].failure as? Trouble === trouble)
        }
    }

    // 41 and 45.
    @Test(arguments: Kind.allCases, Place.ordered)
    func `a handler that adds one to the same promise puts it behind the others`(
        kind: Kind,
        place: Place
    ) async {
        for start in Start.allCases where start != .already {
            let setting = Setting(place)
            let executor = setting.executor
            let seen = Log<Int>()
            let (last, resolver) = Promise<Void>.withResolvers()
            _ = setting.promise(start, kind.result) { promise in
                promise.observe(on: executor) { _ in
                    seen.add(1)
                    promise.observe(on: executor) { _ in
                        seen.add(3)
                        resolver.fulfill()
                    }
                }
                promise.observe(on: executor) { _ in seen.add(2) }
            }
            await setting.finish(last)
            expect(seen.entries, equals: [1, 2, 3], "\(start)")
        }
    }

    // 46.
    @Test(arguments: [Place.inline, .serial])
    func `a handler added by another thread while one is running comes after the earlier`(
        place: Place
    ) async {
        for kind in Kind.allCases {
            let setting = Setting(place)
            let seen = Log<Int>()
            let added = DispatchSemaphore(value: 0)
            let (promise, resolver) = Promise<Int>.withResolvers()
            promise.observe { _ in
                Thread.detachNewThread {
                    promise.observe(on: setting.executor) { _ in seen.add(2) }
                    added.signal()
                }
                added.wait()
            }
            promise.observe(on: setting.executor) { _ in seen.add(1) }
            resolver.resolve(kind.result)
            await setting.finish(promise)
            expect(seen.entries, equals: [1, 2])
        }
    }

    @Test func `a late handler is called by the thread that adds it, whatever others are at`() {
        let seen = Log<String>()
        let settled = Promise.value(1)
        Promise.value(0).observe { _ in
            settled.observe { _ in seen.add("mine") }
            // Here, and inside a handler there.
            for outer in [nil, Promise.value(0)] {
                let added = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let add: @Sendable () -> Void = {
                        settled.observe { _ in seen.add("theirs 1") }
                        settled.observe { _ in seen.add("theirs 2") }
                    }
                    if let outer { outer.observe { _ in add() } } else { add() }
                    added.signal()
                }
                added.wait()
            }
            settled.observe { _ in seen.add("mine, too") }
        }
        let theirs = ["theirs 1", "theirs 2", "theirs 1", "theirs 2"]
        expect(seen.entries, equals: theirs + ["mine", "mine, too"])
    }

    @Test func `a late handler that adds another does not keep other threads waiting`() throws {
        let settled = Promise.value(1)
        let seen = Log<Int>()
        Promise.value(0).observe { _ in
            settled.observe { _ in
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    seen.add(settled.map { $0 + 1 }.success ?? 0)
                    done.signal()
                }
                done.wait()
                settled.observe { _ in seen.add(3) }
                expect(seen.entries, equals: [2])
            }
        }
        expect(seen.entries, equals: [2, 3])
    }

    @Test func `late handlers of four threads, added inside handlers, stay on their threads`() {
        for round in 0..<50 {
            let settled = Promise.value(round)
            let seen = Log<[Int]>()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let log = Log<Int>()
                Promise.value(0).observe { _ in
                    for number in 0..<500 { settled.observe { _ in log.add(number) } }
                }
                // No other thread is waited for.
                seen.add(log.entries)
            }
            expect(
                seen.entries,
                equals: Array(repeating: Array(0..<500), count: 4),
                "round \(round)"
            )
        }
    }

    // 47.
    @Test(arguments: Place.allCases)
    func `handlers added by four threads are each called once, in the order of a thread`(
        place: Place
    ) async {
        for round in 0..<200 {
            let setting = Setting(place)
            let executor = setting.executor
            let logs = (0..<4).map { _ in Log<Int>() }
            let (promise, resolver) = Promise<Int>.withResolvers()
            DispatchQueue.concurrentPerform(iterations: 5) { thread in
                if thread == 4 { resolver.fulfill(round) }
                guard thread < 4 else { return }
                for number in 0..<10 {
                    promise.observe(on: executor) { _ in logs[thread].add(number) }
                }
            }
            await setting.finish(promise)
            for log in logs {
                let seen = place == .concurrent ? log.entries.sorted() : log.entries
                expect(seen, equals: Array(0..<10), "round \(round)")
            }
        }
    }
}
