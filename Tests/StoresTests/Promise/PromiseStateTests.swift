import Dispatch
import ModelKitStores
import TestSupport
import Testing

/// Promises/A+ 2.1: a promise is settled once.
///
/// Numbers are those of the conformance cases.
struct PromiseStateTests {
    enum Attempt: String, CaseIterable {
        case value, error

        func perform(_ resolver: Resolver<Int>, _ trouble: Trouble, _ number: Int = 1) -> Bool {
            switch self {
            case .value: resolver.fulfill(number)
            case .error: resolver.reject(trouble)
            }
        }
    }

    /// What the handlers saw that were added when `start` says, of what `attempts` did.
    private func outcomes(
        _ start: Start,
        _ place: Place,
        _ attempts: @escaping @Sendable (Resolver<Int>) -> Void
    ) async -> (seen: [String], promise: Promise<Int>) {
        let setting = Setting(place)
        let seen = Log<String>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        if start == .already { attempts(resolver) }
        promise.map(on: setting.executor) { seen.add("value \($0)") }.catch { _ in }
        promise.catch(on: setting.executor) { _ in seen.add("error") }
        switch start {
        case .already: break
        case .immediately: attempts(resolver)
        case .eventually: DispatchQueue.global().async { attempts(resolver) }
        }
        await setting.finish(promise)
        return (seen.entries, promise)
    }

    // 1, 5, 9, 10; at once 2, 6; both delayed, which is `eventually`, 3, 7; and 11.
    @Test(arguments: Attempt.allCases, Trial.all)
    func `of two attempts the first one counts`(first: Attempt, trial: Trial) async {
        for second in Attempt.allCases {
            let trouble = Trouble()
            let (seen, promise) = await outcomes(trial.start, trial.place) { resolver in
                expect(first.perform(resolver, trouble, 1))
                expect(!second.perform(resolver, Trouble(), 2))
            }
            expect(seen, equals: (first == .value ? ["value 1"] : ["error"]))
            expect(promise.failure as? Trouble === (first == .value ? nil : trouble))
        }
    }

    // 4, 8, and 9 to 11 once more.
    @Test(arguments: Attempt.allCases, Trial.all)
    func `a later attempt changes nothing`(first: Attempt, trial: Trial) async {
        for second in Attempt.allCases {
            let later = DispatchGroup()
            let (seen, promise) = await outcomes(trial.start, trial.place) { resolver in
                expect(first.perform(resolver, Trouble(), 1))
                DispatchQueue.global().async(group: later) {
                    expect(!second.perform(resolver, Trouble(), 2))
                }
            }
            await withCheckedContinuation { done in
                later.notify(queue: .global()) { done.resume() }
            }
            expect(seen, equals: (first == .value ? ["value 1"] : ["error"]))
            expect((promise.success == 1), equals: (first == .value))
        }
    }

    // 9, 11.
    @Test func `the first value is kept`() {
        let (promise, resolver) = Promise<Int>.withResolvers()
        expect(resolver.fulfill(1))
        expect(!resolver.fulfill(2))
        expect(promise.success, equals: 1)
    }

    // 10, 11.
    @Test func `the first error is kept`() {
        let first = Trouble()
        let (promise, resolver) = Promise<Int>.withResolvers()
        expect(resolver.reject(first))
        expect(!resolver.reject(Trouble()))
        expect(promise.failure as? Trouble === first)
    }

    // 12.
    @Test(arguments: Place.allCases)
    func `while it is pending there is no result and no handler is called`(place: Place) async {
        let setting = Setting(place)
        let seen = Log<Int>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        promise.observe(on: setting.executor) { _ in seen.add(1) }
        promise.map(on: setting.executor) { _ in seen.add(2) }.catch { _ in seen.add(3) }
        await setting.fence()
        expect(promise.result == nil)
        expect(seen.entries, equals: [])
        resolver.fulfill(0)
    }

    @Test func `a resolver takes what a callback gives`() {
        let trouble = Trouble()
        func outcome(_ value: Int?, _ error: (any Error)?) -> Promise<Int> {
            Promise { $0.resolve(value, error) }
        }
        expect(outcome(1, nil).success, equals: 1)
        expect(outcome(nil, trouble).failure as? Trouble === trouble)
        expect(outcome(1, trouble).failure as? Trouble === trouble)
        expect(outcome(nil, nil).failure as? PromiseError, equals: .noResult)
        expect(Promise<Int> { $0.resolve(.success(2)) }.success, equals: 2)
        expect(Promise<Int> { $0.resolve(.failure(trouble)) }.failure as? Trouble === trouble)
        expect(Promise<Void> { $0.fulfill() }.success != nil)
    }

    @Test func `a promise can be made settled, or of a body that throws`() {
        let trouble = Trouble()
        expect(Promise.value(1).success, equals: 1)
        expect(Promise<Int>.failed(trouble).failure as? Trouble === trouble)
        expect(Promise.attempt { 2 }.success, equals: 2)
        expect(Promise<Int>.attempt { throw trouble }.failure as? Trouble === trouble)
        expect(Promise<Int> { _ in throw trouble }.failure as? Trouble === trouble)
        let early = Promise<Int> { resolver in
            resolver.fulfill(3)
            throw trouble
        }
        expect(early.success, equals: 3)
    }
}
