import Dispatch
import ModelKitFields
import ModelKitStores
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
        #expect(end.failure as? PromiseError == .broken)
        #expect(await task.value == .broken)
        promise = end
    }

    @Test func `a body that lets its resolver go breaks the promise`() {
        #expect(Promise<Int> { _ in }.failure as? PromiseError == .broken)
    }

    @Test func `what a handler captures is freed before the next handler runs`() {
        let seen = Log<Bool>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        var capture: Capture? = Capture()
        weak let freed = capture
        let step = promise.map { [capture] in
            seen.add(capture != nil)
            return $0
        }
        // Only the weak reference travels into the handler.
        let isFreed = Promise<Bool>.withResolvers()
        struct Probe: @unchecked Sendable { weak var capture: Capture? }
        let probe = Probe(capture: freed)
        step.observe { _ in isFreed.resolver.fulfill(probe.capture == nil) }
        capture = nil
        resolver.fulfill(1)
        #expect(seen.entries == [true])
        #expect(isFreed.promise.success == true)
    }

    @Test func `a step that is passed over frees its handler`() {
        var capture: Capture? = Capture()
        weak let freed = capture
        let step = Promise<Int>.failed(Trouble()).map { [capture] in capture == nil ? 0 : $0 }
        capture = nil
        #expect(freed == nil)
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
        #expect(source == nil)
        #expect(middle == nil)
        #expect(end.success == 2)
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
            #expect(all.success == [1, 1])
        }
        #expect(part == nil && whole == nil)
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
                #expect(second.failure is Trouble)
            }
            #expect(step == nil && all == nil && follower == nil)
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
        #expect(first == nil)
    }

    @Test func `the closures for stopping are freed when the promise is settled`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        var capture: Capture? = Capture()
        weak let freed = capture
        resolver.onCancel { [capture] in withExtendedLifetime(capture) {} }
        capture = nil
        #expect(freed != nil)
        resolver.fulfill(1)
        #expect(freed == nil)
        #expect(promise.success == 1)
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
        #expect(freed != nil)
        if isCancelled { step.cancel() } else { resolver.fulfill(1) }
        #expect(freed == nil)
        #expect(isCancelled ? step.failure is CancellationError : step.success == 2)
        resolver.fulfill(1)
    }

    // MARK: Errors that nobody looked at

    private func reports(_ body: () throws -> Void) rethrows -> [Diagnostic] {
        let seen = Log<Diagnostic>()
        try ModelKitDiagnostics.withHandler({ seen.add($0) }, body)
        return seen.entries
    }

    struct Named: Error {}

    @Test func `an error that nobody looked at is reported once, at the end of the chain`() {
        let reports = reports {
            _ = Promise<Int>.failed(Named()).map { $0 }.tap { _ in }.finally {}.map { "\($0)" }
        }
        #expect(reports.count == 1)
        #expect(reports.first?.code == .unhandledError)
        #expect(
            reports.first?.message == "Promise<String> failed and nobody handled it: Named()"
        )
    }

    @Test func `each end of a branched chain is reported`() {
        let reports = reports {
            let promise = Promise<Int>.failed(Named())
            _ = promise.map { $0 }
            _ = promise.map { $0 }
        }
        #expect(reports.count == 2)
    }

    @Test func `a dropped resolver is reported if somebody waits for the promise`() {
        let reports = reports { _ = Promise<Int> { _ in }.map { "\($0)" } }
        #expect(
            reports.map(\.message) == [
                "Promise<String> failed and nobody handled it: \(PromiseError.broken)"
            ]
        )
        #expect(self.reports { _ = Promise<Int> { _ in } }.isEmpty)
    }

    @Test func `an error that arrives by following is reported after the resolver was dropped`() {
        let reports = reports {
            let (inner, resolver) = Promise<Int>.withResolvers()
            let outer = Promise { $0.follow(inner) }
            resolver.reject(Named())
            withExtendedLifetime(outer) {}
        }
        #expect(
            reports.map(\.message) == ["Promise<Int> failed and nobody handled it: Named()"]
        )
    }

    @Test func `an error that a settled promise is told to follow in vain is reported`() {
        let reports = reports {
            let (promise, resolver) = Promise<Int>.withResolvers()
            resolver.fulfill(1)
            #expect(!resolver.follow(.failed(Named())))
            withExtendedLifetime(promise) {}
        }
        #expect(reports.count == 1)
    }

    @Test func `nothing is reported of what was handled, read, forwarded or cancelled`() {
        let reports = reports {
            Promise<Int>.failed(Named()).catch { _ in }
            Promise<Int>.failed(Named()).observe { _ in }
            _ = Promise<Int>.failed(Named()).recover { _ in 1 }
            _ = Promise<Int>.failed(Named()).result
            _ = try? Promise<Int>.failed(Named()).wait()
            Promise { $0.follow(Promise<Int>.failed(Named())) }.catch { _ in }
            Promise.all([.failed(Named()), Promise.value(1)]).catch { _ in }
            let (cancelled, resolver) = Promise<Int>.withResolvers()
            cancelled.map { $0 }.cancel()
            _ = Promise<Int>.failed(CancellationError())
            _ = Promise.value(1)
            withExtendedLifetime(resolver) {}
        }
        #expect(reports.map(\.message) == [])
    }

    @Test func `parts that fail after the first are not reported`() {
        let reports = reports {
            let parts = (0..<2).map { _ in Promise<Int>.withResolvers() }
            Promise.all(parts.map(\.promise)).catch { _ in }
            for part in parts { part.resolver.reject(Named()) }
        }
        #expect(reports.map(\.message) == [])
    }

    @Test func `awaiting an error counts as handling it`() async {
        let seen = Log<Diagnostic>()
        await ModelKitDiagnostics.withHandler({ seen.add($0) }) {
            _ = try? await Promise<Int>.failed(Named()).value
        }
        #expect(seen.count == 0)
    }
}
