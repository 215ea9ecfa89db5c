import Dispatch
import Foundation
import ModelKitStores
import TestSupport
import Testing

/// Chains of a million on a small stack.
@Suite(.serialized)
struct PromiseDepthTests {
    static let depth = 1_000_000

    private func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                body()
                continuation.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test func `a chain of steps`() async {
        await onSmallStack {
            let (start, resolver) = Promise<Int>.withResolvers()
            var end = start
            for _ in 0..<Self.depth { end = end.map { $0 + 1 } }
            resolver.fulfill(0)
            expect(end.success, equals: Self.depth)
        }
    }

    @Test func `promises that settle one another by hand`() async {
        await onSmallStack {
            let (start, starter) = Promise<Int>.withResolvers()
            var end = start
            for _ in 0..<Self.depth {
                let (next, resolver) = Promise<Int>.withResolvers()
                end.observe { resolver.resolve($0.map { $0 + 1 }) }
                end = next
            }
            starter.fulfill(0)
            expect(end.success, equals: Self.depth)
        }
    }

    @Test func `a recursion through then`() async {
        await onSmallStack {
            @Sendable func count(_ number: Int) -> Promise<Int> {
                if number == Self.depth { return .value(number) }
                return Promise.value(number + 1).then { count($0) }
            }
            expect(count(0).success, equals: Self.depth)
        }
    }

    @Test func `a chain whose resolver is dropped`() async {
        await onSmallStack {
            var (end, resolver): (Promise<Int>, Resolver<Int>?) = Promise<Int>.withResolvers()
            for _ in 0..<Self.depth { end = end.map { $0 + 1 } }
            expect(end.result == nil)
            withExtendedLifetime(resolver) {}
            resolver = nil
            expect(end.failure as? PromiseError, equals: .broken)
        }
    }

    @Test func `a chain that is cancelled at its end`() async {
        await onSmallStack {
            let work = PromiseCancelTests.Work()
            var end = work.promise
            for _ in 0..<Self.depth { end = end.map { $0 + 1 } }
            end.cancel()
            expect(work.isStopped)
        }
    }

    @Test func `closures for stopping, called or only freed`() async {
        await onSmallStack {
            for isCancelled in [true, false] {
                let (promise, resolver) = Promise<Int>.withResolvers()
                let last = Log<Int>()
                for number in 0..<Self.depth {
                    resolver.onCancel { if number == Self.depth - 1 { last.add(number) } }
                }
                if isCancelled { promise.cancel() } else { resolver.fulfill(1) }
                expect(last.count, equals: (isCancelled ? 1 : 0))
            }
        }
    }

    @Test func `promises that follow one another, linked in either order`() async {
        await onSmallStack {
            for isForwards in [true, false] {
                let parts = (0...Self.depth / 10).map { _ in Promise<Int>.withResolvers() }
                let indices = Array(parts.indices.dropLast())
                for index in isForwards ? indices : indices.reversed() {
                    parts[index + 1].resolver.follow(parts[index].promise)
                }
                parts[0].resolver.fulfill(7)
                expect(parts.last?.promise.success, equals: 7)
            }
        }
    }

    @Test func `attempts and items`() async {
        await onSmallStack {
            let attempt = Promise.retry(Self.depth) { number in
                number < Self.depth ? .failed(PromiseError.broken) : .value(number)
            }
            expect(attempt.success, equals: Self.depth)
            let inside = Promise.value(0).then { _ in
                Promise.retry(Self.depth) { number in
                    number < Self.depth ? .failed(PromiseError.broken) : .value(number)
                }
            }
            expect(inside.success, equals: Self.depth)
            for limit in [1, 3] {
                let items = Promise.value(0).then { _ in
                    Promise.map(0..<Self.depth, limit: limit) { Promise.value($0).map { $0 + 1 } }
                }
                expect(items.success?.last, equals: Self.depth)
            }
        }
    }

    @Test func `races of races`() async {
        await onSmallStack {
            for isCancelled in [true, false] {
                let work = PromiseCancelTests.Work()
                var end = work.promise
                for number in 0..<Self.depth / 10 {
                    end =
                        switch number % 3 {
                        case 0: Promise.race([end])
                        case 1: Promise.any([end])
                        default: Promise.allSettled([end]).map { try $0[0].get() }
                        }
                }
                if isCancelled { end.cancel() } else { work.resolver.fulfill(1) }
                expect(isCancelled ? work.isStopped : end.success == 1)
            }
        }
    }

    @Test func `all of all of all`() async {
        await onSmallStack {
            for isCancelled in [true, false] {
                let work = PromiseCancelTests.Work()
                var end = work.promise
                for _ in 0..<Self.depth / 10 { end = Promise.all([end]).map { $0[0] } }
                if isCancelled { end.cancel() } else { work.resolver.fulfill(1) }
                expect(isCancelled ? work.isStopped : end.success == 1)
            }
        }
    }
}
