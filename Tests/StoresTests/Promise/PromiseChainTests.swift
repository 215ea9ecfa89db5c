import ModelKitStores
import TestSupport
import Testing

/// Promises/A+ 2.2.7: what a step hands on.
///
/// Numbers are those of the conformance cases.
struct PromiseChainTests {
    // 48.
    @Test(arguments: Start.allCases, Place.allCases)
    func `a step is a new promise, at once`(start: Start, place: Place) async throws {
        let setting = Setting(place)
        let executor = setting.executor
        let steps = Log<Promise<Int>>()
        let promise = setting.promise(start, .success(1)) { promise in
            steps.add(promise.map(on: executor) { $0 + 1 })
            steps.add(promise.then(on: executor) { .value($0 + 2) })
        }
        expect(steps.entries.allSatisfy { $0 !== promise })
        try await expect(steps.entries[0].value, equals: 2)
        try await expect(steps.entries[1].value, equals: 3)
    }

    // 49.
    @Test(arguments: Start.allCases, Place.allCases)
    func `what a value handler throws is the error of the step`(start: Start, place: Place) async {
        let setting = Setting(place)
        let executor = setting.executor
        let error = Trouble()
        let steps = Log<Promise<Int>>()
        _ = setting.promise(start, .success(1)) { promise in
            steps.add(promise.map(on: executor) { _ in throw error })
            steps.add(promise.then(on: executor) { _ in throw error })
        }
        for step in steps.entries { await expect(trouble(of: step) as? Trouble === error) }
    }

    // 50.
    @Test(arguments: Start.allCases, Place.allCases)
    func `what an error handler throws is the error of the step`(start: Start, place: Place) async {
        let setting = Setting(place)
        let executor = setting.executor
        let error = Trouble()
        let steps = Log<Promise<Int>>()
        _ = setting.promise(start, .failure(Trouble())) { promise in
            steps.add(promise.recover(on: executor) { _ in throw error })
            steps.add(promise.recoverWith(on: executor) { _ in throw error })
        }
        for step in steps.entries { await expect(trouble(of: step) as? Trouble === error) }
    }

    // 51.
    @Test(arguments: Start.allCases, Place.allCases)
    func `an error passes steps for values unchanged`(start: Start, place: Place) async {
        let setting = Setting(place)
        let executor = setting.executor
        let error = Trouble()
        let seen = Log<Int>()
        let ends = Log<Promise<String>>()
        _ = setting.promise(start, Result<Int, any Error>.failure(error)) { promise in
            ends.add(
                promise
                    .map(on: executor) { seen.add($0) }
                    .then(on: executor) { _ in .value(seen.add(2)) }
                    .map(on: executor) { _ in "" }
            )
        }
        await expect(trouble(of: ends.entries[0]) as? Trouble === error)
        expect(seen.entries, equals: [])
    }

    // 52.
    @Test(arguments: Start.allCases, Place.allCases)
    func `a value passes steps for errors unchanged`(start: Start, place: Place) async throws {
        let setting = Setting(place)
        let executor = setting.executor
        let seen = Log<String>()
        let ends = Log<Promise<Int>>()
        _ = setting.promise(start, .success(5)) { (promise: Promise<Int>) in
            ends.add(
                promise
                    .recover(on: executor) { _ in 0 }
                    .recoverWith(on: executor) { _ in .value(0) }
                    .tap(on: executor) { _ in seen.add("tap") }
                    .finally(on: executor) { seen.add("finally") }
            )
        }
        try await expect(ends.entries[0].value, equals: 5)
        expect(seen.entries, equals: ["tap", "finally"])
    }

    // 52, of errors.
    @Test(arguments: Start.allCases, Place.allCases)
    func `an error passes tap and finally unchanged, and recover replaces it`(
        start: Start,
        place: Place
    ) async throws {
        let setting = Setting(place)
        let executor = setting.executor
        let error = Trouble()
        let seen = Log<String>()
        let ends = Log<Promise<Int>>()
        _ = setting.promise(start, .failure(error)) { (promise: Promise<Int>) in
            let passed =
                promise
                .tap(on: executor) { seen.add("tap \($0.failure as? Trouble === error)") }
                .finally(on: executor) { seen.add("finally") }
            ends.add(passed)
            ends.add(passed.recover(on: executor) { $0 as? Trouble === error ? 1 : 0 })
            ends.add(passed.recoverWith(on: executor) { .value($0 as? Trouble === error ? 2 : 0) })
        }
        await expect(trouble(of: ends.entries[0]) as? Trouble === error)
        try await expect(ends.entries[1].value, equals: 1)
        try await expect(ends.entries[2].value, equals: 2)
        expect(seen.entries, equals: ["tap true", "finally"])
    }

    @Test(arguments: Start.allCases, Place.allCases)
    func `what catch returns succeeds after the handler`(start: Start, place: Place) async throws {
        for result in [Result<Int, any Error>.success(1), .failure(Trouble())] {
            let setting = Setting(place)
            let seen = Log<Int>()
            let ends = Log<Promise<Void>>()
            _ = setting.promise(start, result) { promise in
                ends.add(promise.catch(on: setting.executor) { _ in seen.add(1) })
            }
            try await ends.entries[0].value
            expect(seen.count, equals: (result.failure == nil ? 0 : 1))
        }
    }

    @Test func `a custom executor is given the handlers in order`() throws {
        let jobs = Log<@Sendable () -> Void>()
        let seen = Log<Int>()
        let promise = Promise.value(1)
        let step = promise.map(on: .custom { jobs.add($0) }) { $0 + 1 }
        promise.observe(on: .custom { jobs.add($0) }) { _ in seen.add(2) }
        step.observe { _ in seen.add(1) }
        expect(seen.entries, equals: [])
        for job in jobs.entries { job() }
        expect(seen.entries, equals: [1, 2])
        // A second run of a job does nothing.
        for job in jobs.entries { job() }
        expect(seen.entries, equals: [1, 2])
    }

    @Test func `a step whose executor drops the job is broken`() async {
        let step = Promise.value(1).map(on: .custom { _ in }) { $0 + 1 }
        expect(step.failure as? PromiseError, equals: .broken)
    }
}
