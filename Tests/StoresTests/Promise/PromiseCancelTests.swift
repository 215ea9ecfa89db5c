import Dispatch
import Foundation
import ModelKitStores
import TestSupport
import Testing

struct PromiseCancelTests {
    /// A pending promise, and how often its work was stopped.
    struct Work {
        let promise: Promise<Int>
        let resolver: Resolver<Int>
        let stops = Log<Int>()

        init() {
            (promise, resolver) = Promise<Int>.withResolvers()
            resolver.onCancel { [stops] in stops.add(1) }
        }

        var isStopped: Bool { stops.count == 1 && promise.failure is CancellationError }
        var isUntouched: Bool { stops.count == 0 && promise.result == nil }
    }

    @Test func `cancelling stops the work first and then fails the promise for its handlers`() {
        let seen = Log<String>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        resolver.onCancel { seen.add("first, settled: \(promise.result != nil)") }
        resolver.onCancel { seen.add("second") }
        promise.observe { seen.add("\($0.failure is CancellationError)") }
        promise.cancel()
        promise.cancel()
        expect(seen.entries, equals: ["first, settled: true", "second", "true"])
        expect(!resolver.fulfill(1))
    }

    @Test func `a settled promise cannot be cancelled`() {
        let work = Work()
        work.resolver.fulfill(1)
        work.promise.cancel()
        expect(work.promise.success, equals: 1)
        expect(work.stops.count, equals: 0)
    }

    @Test func `a closure for stopping is called at once after cancelling, and never otherwise`() {
        let seen = Log<String>()
        let cancelled = Promise<Int>.withResolvers()
        cancelled.promise.cancel()
        cancelled.resolver.onCancel { seen.add("cancelled") }
        let failed = Promise<Int>.withResolvers()
        failed.resolver.reject(CancellationError())
        failed.resolver.onCancel { seen.add("failed") }
        let fulfilled = Promise<Int>.withResolvers()
        fulfilled.resolver.fulfill(1)
        fulfilled.resolver.onCancel { seen.add("fulfilled") }
        expect(seen.entries, equals: ["cancelled"])
    }

    static let steps: [@Sendable (Promise<Int>) -> Promise<Int>] = [
        { $0.map { $0 } },
        { $0.then { .value($0) } },
        { $0.recover { _ in 0 } },
        { $0.recoverWith { _ in .value(0) } },
        { $0.tap { _ in } },
        { $0.finally {} },
        { $0.map(on: .main) { $0 } },
        { promise in Promise { $0.follow(promise) } },
        { Promise.all([$0]).map { $0[0] } },
    ]

    @Test(arguments: steps.indices)
    func `cancelling the only step stops the work`(index: Int) {
        let work = Work()
        let step = Self.steps[index](work.promise)
        step.cancel()
        expect(step.failure is CancellationError)
        expect(work.isStopped)
    }

    @Test func `cancelling what catch returns stops the work`() {
        let work = Work()
        work.promise.catch { _ in Issue.record("called") }.cancel()
        expect(work.isStopped)
    }

    @Test(arguments: steps.indices)
    func `the work goes on until its last consumer is cancelled`(index: Int) {
        let work = Work()
        let first = Self.steps[index](work.promise).map { $0 }
        let second = Self.steps[index](work.promise)
        first.cancel()
        first.cancel()
        expect(work.isUntouched)
        second.cancel()
        expect(work.isStopped)
    }

    @Test func `who observes stays a consumer`() {
        let work = Work()
        let seen = Log<Int>()
        work.promise.observe { seen.add((try? $0.get()) ?? 0) }
        work.promise.map { $0 }.cancel()
        expect(work.isUntouched)
        work.resolver.fulfill(4)
        expect(seen.entries, equals: [4])
    }

    @Test func `cancelling a promise fails those that wait for it, who can recover`() {
        let work = Work()
        let step = work.promise.map { $0 }
        let recovered = step.recover { $0 is CancellationError ? 1 : 0 }
        work.promise.cancel()
        expect(step.failure is CancellationError)
        expect(recovered.success, equals: 1)
    }

    @Test func `before its handler a then waits for the source, after it for the inner promise`() {
        let outer = Work(), inner = Work()
        let early = outer.promise.then { _ in inner.promise }
        early.cancel()
        expect(outer.isStopped)
        expect(inner.isUntouched)

        let late = Promise.value(1).then { _ in inner.promise }
        late.cancel()
        expect(inner.isStopped)
    }

    @Test func `what a handler returns for a step that was cancelled meanwhile is not wanted`() {
        let inner = Work(), shared = Work()
        shared.promise.observe { _ in }
        for work in [inner, shared] {
            let (source, resolver) = Promise<Int>.withResolvers()
            let steps = Log<Promise<Int>>()
            steps.add(
                source.then { _ in
                    steps.entries[0].cancel()
                    return work.promise
                }
            )
            resolver.fulfill(0)
            expect(steps.entries[0].failure is CancellationError)
        }
        expect(inner.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `what a cancelled promise is to follow is not wanted`() {
        let work = Work()
        let (promise, resolver) = Promise<Int>.withResolvers()
        promise.cancel()
        expect(!resolver.follow(work.promise))
        expect(work.isStopped)
    }

    @Test func `a promise that follows another has nothing of its own to stop`() {
        let own = Work(), other = Work()
        own.resolver.follow(other.promise)
        own.promise.cancel()
        expect(own.stops.count, equals: 0)
        expect(other.isStopped)
    }

    @Test func `a cancelled step frees its handler without calling it`() {
        final class Capture: Sendable {}
        let work = Work()
        work.promise.observe { _ in }
        var capture: Capture? = Capture()
        weak let freed = capture
        let step = work.promise.map { [capture] _ in
            Issue.record("called")
            return capture == nil ? 0 : 1
        }
        capture = nil
        expect(freed != nil)
        step.cancel()
        expect(freed == nil)
        work.resolver.fulfill(1)
        expect(step.failure is CancellationError)
    }

    @Test(arguments: Place.allCases)
    func `a finally handler is called once, also if its step is cancelled`(
        place: Place
    ) async {
        let setting = Setting(place)
        let seen = Log<String>()
        let work = Work()
        work.promise.observe { _ in }
        let step = work.promise.finally(on: setting.executor) { seen.add("finally") }
        if place == .inline { step.observe { _ in seen.add("downstream") } }
        step.cancel()
        await setting.fence()
        expect(seen.entries, equals: (place == .inline ? ["finally", "downstream"] : ["finally"]))
        work.resolver.fulfill(1)
        await setting.fence()
        expect(seen.entries.filter { $0 == "finally" }.count, equals: 1)
        expect(step.failure is CancellationError)
    }

    @Test func `a step that is cancelled on its way through a queue is not called`() async {
        let setting = Setting(.serial)
        let seen = Log<String>()
        setting.queue?.suspend()
        let step = Promise.value(1).map(on: setting.executor) { _ in seen.add("map") }
        let end = Promise.value(1).finally(on: setting.executor) { seen.add("finally") }
        step.cancel()
        end.cancel()
        setting.queue?.resume()
        await setting.fence()
        expect(seen.entries, equals: ["finally"])
    }

    @Test func `cancelling all stops what nobody else waits for`() {
        let alone = Work(), shared = Work()
        shared.promise.observe { _ in }
        let all = Promise.all([alone.promise, shared.promise, .value(1)])
        all.cancel()
        expect(all.failure is CancellationError)
        expect(alone.isStopped)
        expect(shared.isUntouched)
    }

    @Test func `a failure of one in all stops the others`() {
        let trouble = Trouble()
        for isFirst in [true, false] {
            let alone = [Work(), Work()], shared = Work(), failing = Work()
            shared.promise.observe { _ in }
            if isFirst { failing.resolver.reject(trouble) }
            let all = Promise.all([
                alone[0].promise, failing.promise, shared.promise, alone[1].promise,
            ])
            if !isFirst { failing.resolver.reject(trouble) }
            expect(all.failure as? Trouble === trouble)
            expect(alone.map(\.isStopped), equals: [true, true])
            expect(shared.isUntouched)
        }
    }

    @Test func `cancelling a promise of a task cancels the task`() async {
        let started = Promise<Void>.withResolvers(), ended = Promise<Bool>.withResolvers()
        let promise = Promise<Int> {
            started.resolver.fulfill()
            while !Task.isCancelled { await Task.yield() }
            ended.resolver.fulfill(true)
            return 1
        }
        _ = try? await started.promise.value
        promise.map { $0 }.cancel()
        expect(promise.failure is CancellationError)
        expect((try? await ended.promise.value), equals: true)
    }

    @Test func `a promise of a task ends as the task`() async throws {
        let error = Trouble()
        try await expect(
            Promise {
                await Task.yield(); return 1
            }.value,
            equals: 1
        )
        await expect(trouble(of: Promise<Int> { throw error }) as? Trouble === error)
        let isMain = Promise { @MainActor in
            MainActor.preconditionIsolated()
            return true
        }
        try await expect(isMain.value)
    }

    @Test func `cancel, resolve and add at the same time settle it once`() {
        for round in 0..<2_000 {
            let work = Work()
            let seen = Log<Int>()
            let wins = Log<Int>()
            let step = work.promise.then { value in Promise { $0.fulfill(value) } }
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                switch thread {
                case 0: step.cancel()
                case 1: if work.resolver.fulfill(round) { wins.add(1) }
                default: work.promise.observe { _ in seen.add(1) }
                }
            }
            expect(seen.count, equals: 1, "round \(round)")
            expect(wins.count + work.stops.count, equals: 1, "round \(round)")
            expect(step.result != nil, "round \(round)")
        }
    }

    @Test func `cancelling while the inner promise is adopted stops it`() {
        for round in 0..<3_000 {
            let outer = Work(), inner = Work()
            let signal = Signal()
            let step = outer.promise.then { _ in
                signal.raise()
                return inner.promise
            }
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                signal.wait(andThen: round % 100)
                step.cancel()
                ended.signal()
            }
            outer.resolver.fulfill(round)
            ended.wait()
            expect(step.failure is CancellationError, "round \(round)")
            expect(inner.isStopped, "round \(round)")
        }
    }
}
