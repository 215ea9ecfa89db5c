import ModelKitFields
import ModelKitStores
import TestSupport
import Testing

/// Errors that nobody looked at.
struct PromiseReportTests {
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
        expect(reports.count, equals: 1)
        expect(reports.first?.code, equals: .unhandledError)
        expect(
            reports.first?.message,
            equals: "Promise<String> failed and nobody handled it: Named()"
        )
    }

    @Test func `each end of a branched chain is reported`() {
        let reports = reports {
            let promise = Promise<Int>.failed(Named())
            _ = promise.map { $0 }
            _ = promise.map { $0 }
        }
        expect(reports.count, equals: 2)
    }

    @Test func `a dropped resolver is reported if somebody waits for the promise`() {
        let reports = reports { _ = Promise<Int> { _ in }.map { "\($0)" } }
        expect(
            reports.map(\.message),
            equals: [
                "Promise<String> failed and nobody handled it: \(PromiseError.broken)"
            ]
        )
        expect(self.reports { _ = Promise<Int> { _ in } }.isEmpty)
    }

    @Test func `an error that arrives by following is reported after the resolver was dropped`() {
        let reports = reports {
            let (inner, resolver) = Promise<Int>.withResolvers()
            let outer = Promise { $0.follow(inner) }
            resolver.reject(Named())
            withExtendedLifetime(outer) {}
        }
        expect(
            reports.map(\.message),
            equals: ["Promise<Int> failed and nobody handled it: Named()"]
        )
    }

    @Test func `an error that a settled promise is to follow in vain is reported`() {
        let reports = reports {
            let (promise, resolver) = Promise<Int>.withResolvers()
            resolver.fulfill(1)
            expect(!resolver.follow(.failed(Named())))
            withExtendedLifetime(promise) {}
        }
        expect(reports.count, equals: 1)
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
            let (decided, decider) = Promise<Int>.withResolvers()
            decider.whenCancelled { Named() }
            decided.cancel()
            _ = Promise<Int>.failed(CancellationError())
            _ = Promise.value(1)
            withExtendedLifetime((resolver, decider)) {}
        }
        expect(reports.map(\.message), equals: [])
    }

    @Test func `an error that several promises come to is reported once`() {
        for make in [
            { Promise.race([$0, $0]) }, { Promise.any([$0, $0]) },
            { Promise.all([$0, $0]).map { $0[0] } },
            { zip($0, $0).map { $0.0 } }, { promise in Promise.retry(3) { _ in promise } },
            { promise in Promise.map(0..<3, limit: 2) { _ in promise }.map { $0[0] } },
            { $0.timeout(.seconds(1_000)) }, { $0.delay(.seconds(1_000)) },
        ] as [@Sendable (Promise<Int>) -> Promise<Int>] {
            let reports = reports {
                let (promise, resolver) = Promise<Int>.withResolvers()
                let end = make(promise)
                resolver.reject(Named())
                withExtendedLifetime(end) {}
            }
            expect(reports.count, equals: 1)
            expect(reports.first?.code, equals: .unhandledError)
        }
    }

    @Test func `losers, failed attempts and settled outcomes are not reported`() {
        let reports = reports {
            let parts = (0..<3).map { _ in Promise<Int>.withResolvers() }
            let promises = parts.map(\.promise)
            let ends = [
                Promise.race(promises), Promise.any(promises),
                Promise.allSettled(promises).map { $0.count },
            ]
            parts[0].resolver.fulfill(1)
            parts[1].resolver.reject(Named())
            parts[2].resolver.reject(Named())
            _ = Promise.race([.value(1), .failed(Named())])
            _ = Promise.any([.failed(Named()), .value(1)])
            _ = Promise<Int>.allSettled([.failed(Named())])
            _ = Promise.retry(3) { $0 < 3 ? .failed(Named()) : .value(1) }
            Promise<Int>.failed(Named()).timeout(.seconds(1_000)).catch { _ in }
            withExtendedLifetime(ends) {}
        }
        expect(reports.map(\.message), equals: [])
    }

    @Test func `parts that fail after the first are not reported`() {
        let reports = reports {
            let parts = (0..<2).map { _ in Promise<Int>.withResolvers() }
            Promise.all(parts.map(\.promise)).catch { _ in }
            for part in parts { part.resolver.reject(Named()) }
        }
        expect(reports.map(\.message), equals: [])
    }

    @Test func `awaiting an error counts as handling it`() async {
        let seen = Log<Diagnostic>()
        await ModelKitDiagnostics.withHandler({ seen.add($0) }) {
            _ = try? await Promise<Int>.failed(Named()).value
        }
        expect(seen.count, equals: 0)
    }
}
