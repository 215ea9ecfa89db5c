import Dispatch
import ModelKitStores
import TestSupport
import Testing

/// Promises/A+ 2.3: a promise that ends as another one.
///
/// Numbers are those of the conformance cases.
struct PromiseResolutionTests {
    // 53, 54.
    @Test(arguments: Start.allCases, Place.allCases)
    func `a step that returns itself fails`(start: Start, place: Place) async {
        let setting = Setting(place)
        let executor = setting.executor
        for result in [Result<Int, any Error>.success(1), .failure(Trouble())] {
            let own = Log<Promise<Int>>()
            let isKnown = DispatchSemaphore(value: 0)
            // The step is needed before it exists: its handler waits for it.
            @Sendable func step() -> Promise<Int> {
                isKnown.wait()
                return own.entries[0]
            }
            // Inside a handler, so that none is called before this one returned.
            Promise.value(0).observe { _ in
                _ = setting.promise(start, result) { (source: Promise<Int>) in
                    own.add(
                        result.failure == nil
                            ? source.then(on: executor) { _ in step() }
                            : source.recoverWith(on: executor) { _ in step() }
                    )
                }
                isKnown.signal()
            }
            await expect(trouble(of: own.entries[0]) as? PromiseError, equals: .selfResolution)
        }
    }

    // 55, of one.
    @Test func `a promise that follows itself fails`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        expect(resolver.follow(promise))
        expect(promise.failure as? PromiseError, equals: .selfResolution)
    }

    // 55.
    @Test func `two that follow each other fail`() {
        let (first, firstResolver) = Promise<Int>.withResolvers()
        let (second, secondResolver) = Promise<Int>.withResolvers()
        firstResolver.follow(second)
        secondResolver.follow(first)
        expect(first.failure as? PromiseError, equals: .selfResolution)
        expect(second.failure as? PromiseError, equals: .selfResolution)
    }

    @Test func `a longer circle, also through steps, fails`() {
        let pairs = (0..<5).map { _ in Promise<Int>.withResolvers() }
        for index in 0..<5 {
            pairs[index].resolver.follow(pairs[(index + 1) % 5].promise.map { $0 })
        }
        for pair in pairs { expect(pair.promise.failure as? PromiseError, equals: .selfResolution) }
    }

    @Test func `two that follow each other at the same time fail`() {
        for round in 0..<2_000 {
            let pairs = (0..<2).map { _ in Promise<Int>.withResolvers() }
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                pairs[index].resolver.follow(pairs[1 - index].promise)
            }
            for pair in pairs {
                expect(
                    pair.promise.failure as? PromiseError,
                    equals: .selfResolution,
                    "round \(round)"
                )
            }
        }
    }

    // 56.
    @Test(arguments: Place.allCases)
    func `a pending inner promise keeps the outer one pending`(place: Place) async throws {
        let setting = Setting(place)
        let (inner, resolver) = Promise<Int>.withResolvers()
        let called = Promise<Void>.withResolvers()
        let outer = Promise.value(0).then(on: setting.executor) { _ in
            called.resolver.fulfill()
            return inner
        }
        await setting.finish(called.promise)
        expect(outer.result == nil)
        resolver.fulfill(1)
        try await expect(outer.value, equals: 1)
    }

    // 57 to 60.
    @Test(arguments: Start.allCases, Place.allCases)
    func `the outer promise ends as the inner one`(start: Start, place: Place) async throws {
        let setting = Setting(place)
        let error = Trouble()
        for result in [Result<Int, any Error>.success(9), .failure(error)] {
            let outers = Log<Promise<Int>>()
            _ = setting.promise(start, result) { inner in
                outers.add(Promise.value(0).then(on: setting.executor) { _ in inner })
                outers.add(
                    Promise<Int>.failed(Trouble()).recoverWith(on: setting.executor) { _ in inner }
                )
                outers.add(Promise { resolver in resolver.follow(inner) })
            }
            for outer in outers.entries {
                switch result {
                case .success: try await expect(outer.value, equals: 9)
                case .failure: await expect(trouble(of: outer) as? Trouble === error)
                }
            }
        }
    }

    // 61.
    @Test(arguments: Trial.all)
    func `a promise that was settled long ago can be returned again and again`(
        trial: Trial
    ) async {
        let setting = Setting(trial.place)
        let trouble = Trouble()
        for old in [Promise.value(3), .failed(trouble)] {
            old.observe { _ in }
            let ends = Log<Promise<Int>>()
            _ = setting.promise(trial.start, .success(0)) { (source: Promise<Int>) in
                for _ in 0..<3 { ends.add(source.then(on: setting.executor) { _ in old }) }
            }
            for end in ends.entries {
                await expect(endsLike(old, end))
            }
        }
    }

    /// Whether both end alike.
    private func endsLike(_ old: Promise<Int>, _ end: Promise<Int>) async -> Bool {
        let error = await trouble(of: end)
        return error as? Trouble === old.failure as? Trouble && end.success == old.success
    }

    // 62.
    @Test func `once it follows another, its resolver has no say`() {
        let (inner, innerResolver) = Promise<Int>.withResolvers()
        let (outer, outerResolver) = Promise<Int>.withResolvers()
        expect(outerResolver.follow(inner))
        expect(!outerResolver.fulfill(1))
        expect(!outerResolver.reject(Trouble()))
        expect(!outerResolver.follow(.value(2)))
        expect(outer.result == nil)
        innerResolver.fulfill(3)
        expect(outer.success, equals: 3)
        expect(!outerResolver.fulfill(4))
    }

    @Test func `dropping the resolver of one that follows another changes nothing`() {
        let (inner, innerResolver) = Promise<Int>.withResolvers()
        let outer = Promise<Int> { $0.follow(inner) }
        expect(outer.result == nil)
        innerResolver.fulfill(3)
        expect(outer.success, equals: 3)
    }
}
