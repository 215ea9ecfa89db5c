import Dispatch
import ModelKitFields
import ModelKitStores
import TestSupport
import Testing

struct PromiseLifetimeTests {
    final class Capture: Sendable {}

    @Test func `dropping the resolver breaks the promise, for its chain and for who awaits`() async
    {
        var (promise, resolver): (Promise<Int>, Resolver<Int>?) = Promise<Int>.withResolvers()
        let end = promise.map { $0 }
        let task = Task { [promise] in await trouble(of: promise) as? PromiseError }
        withExtendedLifetime(resolver) {}
        resolver = nil
        expect(end.failure as? PromiseError, equals: .broken)
        await expect(task.value, equals: .broken)
        promise = end
    }

    @Test func `a body that lets its resolver go breaks the promise`() {
        expect(Promise<Int> { _ in }.failure as? PromiseError, equals: .broken)
    }

    static let steps: [@Sendable (Promise<Int>, Capture?) -> Promise<Int>] = [
        { promise, capture in promise.map { [capture] in capture == nil ? 0 : $0 } },
        { promise, capture in promise.then { [capture] in .value(capture == nil ? 0 : $0) } },
        { promise, capture in promise.recover { [capture] _ in capture == nil ? 0 : 1 } },
        { promise, capture in promise.recoverWith { [capture] _ in .value(capture == nil ? 0 : 1) }
        },
        { promise, capture in promise.tap { [capture] _ in withExtendedLifetime(capture) {} } },
        { promise, capture in promise.finally { [capture] in withExtendedLifetime(capture) {} } },
        { promise, capture in
            promise.catch { [capture] _ in withExtendedLifetime(capture) {} }.map { 0 }
        },
        { promise, capture in
            promise.map(on: .custom { [capture] in withExtendedLifetime(capture, $0) }) { $0 }
        },
    ]

    @Test(arguments: steps.indices)
    func `what a handler captures is freed before the next handler runs`(index: Int) {
        struct Probe: @unchecked Sendable { weak var capture: Capture? }
        for result in [Result<Int, any Error>.success(1), .failure(Trouble())] {
            let (promise, resolver) = Promise<Int>.withResolvers()
            var capture: Capture? = Capture()
            // Only the weak reference travels into the handler.
            let probe = Probe(capture: capture)
            let isFreed = Log<Bool>()
            let step = Self.steps[index](promise, capture)
            step.observe { _ in isFreed.add(probe.capture == nil) }
            capture = nil
            expect(probe.capture != nil)
            resolver.resolve(result)
            expect(isFreed.entries, equals: [true])
        }
    }

    @Test func `a step that is passed over frees its handler`() {
        var capture: Capture? = Capture()
        weak let freed = capture
        let step = Promise<Int>.failed(Trouble()).map { [capture] in capture == nil ? 0 : $0 }
        capture = nil
        expect(freed == nil)
        step.observe { _ in }
    }

    @Test func `settled promises do not keep one another`() {
        weak var source: Promise<Int>?
        weak var middle: Promise<Int>?
        let end: Promise<Int>
        do {
            let (promise, resolver) = Promise<Int>.withResolvers()
            let step = promise.map { $0 + 1 }
            source = promise
            middle = step
            end = step.then { .value($0 + 1) }
            resolver.fulfill(0)
        }
        expect(source == nil)
        expect(middle == nil)
        expect(end.success, equals: 2)
    }

    @Test func `all is freed when it is settled, its parts with it`() {
        weak var part: Promise<Int>?
        weak var whole: Promise<[Int]>?
        do {
            let (promise, resolver) = Promise<Int>.withResolvers()
            let all = Promise.all([promise, promise])
            part = promise
            whole = all
            resolver.fulfill(1)
            expect(all.success, equals: [1, 1])
        }
        expect(part == nil && whole == nil)
    }

    @Test func `what gives up waiting leaves nothing behind at a pending promise`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        promise.observe { _ in }
        let failing = Promise<Int>.failed(Trouble())
        for _ in 0..<1_000 {
            weak var step: Promise<Int>?
            weak var all: Promise<[Int]>?
            weak var follower: Promise<Int>?
            do {
                let first = promise.map { $0 }
                let second = Promise.all([promise, failing])
                let third = Promise { $0.follow(promise) }
                step = first
                all = second
                follower = third
                first.cancel()
                third.cancel()
                expect(second.failure is Trouble)
            }
            expect(step == nil && all == nil && follower == nil)
        }
        resolver.fulfill(1)
    }

    @Test func `everything is freed after a circle was refused`() {
        weak var first: Promise<Int>?
        do {
            let one = Promise<Int>.withResolvers(), other = Promise<Int>.withResolvers()
            one.resolver.follow(other.promise)
            other.resolver.follow(one.promise)
            one.promise.observe { _ in }
            first = one.promise
        }
        expect(first == nil)
    }

    @Test func `the closures for stopping are freed when the promise is settled`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        var capture: Capture? = Capture()
        weak let freed = capture
        resolver.onCancel { [capture] in withExtendedLifetime(capture) {} }
        capture = nil
        expect(freed != nil)
        resolver.fulfill(1)
        expect(freed == nil)
        expect(promise.success, equals: 1)
    }

    @Test(arguments: [true, false])
    func `an executor is freed when the step has used it or is cancelled`(isCancelled: Bool) {
        let (promise, resolver) = Promise<Int>.withResolvers()
        promise.observe { _ in }
        var capture: Capture? = Capture()
        weak let freed = capture
        let executor = PromiseExecutor.custom { [capture] job in
            withExtendedLifetime(capture, job)
        }
        let step = promise.map(on: consume executor) { $0 + 1 }
        capture = nil
        expect(freed != nil)
        if isCancelled { step.cancel() } else { resolver.fulfill(1) }
        expect(freed == nil)
        expect(isCancelled ? step.failure is CancellationError : step.success == 2)
        resolver.fulfill(1)
    }
}
