import Dispatch
import ModelKitStores
import TestSupport
import Testing

/// Promises/A+ 2.2.2 and 2.2.3: a handler is called once, for the outcome it is for.
///
/// Numbers are those of the conformance cases, of handlers for values and for errors.
struct PromiseHandlerTests {
    enum Kind: CaseIterable {
        case value, error

        var result: Result<Int, any Error> {
            switch self {
            case .value: .success(7)
            case .error: .failure(Trouble())
            }
        }

        /// Adds a handler of this kind, which notes what it was given.
        func add(to promise: Promise<Int>, _ setting: Setting, _ seen: Log<String>) {
            switch self {
            case .value:
                promise.map(on: setting.executor) { seen.add("\($0)") }.catch { _ in }
            case .error:
                promise.catch(on: setting.executor) { seen.add("\(type(of: $0))") }
            }
        }

        var given: String { self == .value ? "7" : "Trouble" }
        var other: Kind { self == .value ? .error : .value }
    }

    // 13 and 22; 16 and 25 where it is settled already.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `a handler is given the outcome, once`(kind: Kind, place: Place) async {
        for start in Start.allCases {
            let setting = Setting(place)
            let seen = Log<String>()
            let promise = setting.promise(start, kind.result) { kind.add(to: $0, setting, seen) }
            await setting.finish(promise)
            expect(seen.entries, equals: [kind.given], "\(start)")
        }
    }

    // 14 and 23.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `a handler is not called before the promise is settled`(kind: Kind, place: Place) async {
        let setting = Setting(place)
        let seen = Log<String>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        kind.add(to: promise, setting, seen)
        await setting.fence()
        expect(seen.entries, equals: [])
        resolver.resolve(kind.result)
        await setting.finish(promise)
        expect(seen.entries, equals: [kind.given])
    }

    // 15 and 24, 31.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `a handler is not called for the other outcome`(kind: Kind, place: Place) async {
        for start in Start.allCases {
            let setting = Setting(place)
            let seen = Log<String>()
            let promise = setting.promise(start, kind.other.result) {
                kind.add(to: $0, setting, seen)
            }
            await setting.finish(promise)
            expect(seen.entries, equals: [], "\(start)")
        }
    }

    // 17 to 19 and 26 to 28.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `a handler is called once, however often the promise is resolved`(
        kind: Kind,
        place: Place
    ) async {
        for delays in [[false, false], [true, true], [false, true]] {
            let setting = Setting(place)
            let seen = Log<String>()
            let attempts = DispatchGroup()
            let (promise, resolver) = Promise<Int>.withResolvers()
            kind.add(to: promise, setting, seen)
            for isDelayed in delays {
                if isDelayed {
                    DispatchQueue.global().async(group: attempts) { resolver.resolve(kind.result) }
                } else {
                    resolver.resolve(kind.result)
                }
            }
            await withCheckedContinuation { done in
                attempts.notify(queue: .global()) { done.resume() }
            }
            await setting.finish(promise)
            expect(seen.entries, equals: [kind.given], "\(delays)")
        }
    }

    // 20 and 29.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `handlers added at different times are each called once`(kind: Kind, place: Place) async {
        let setting = Setting(place)
        let logs = (0..<3).map { _ in Log<String>() }
        let (promise, resolver) = Promise<Int>.withResolvers()
        kind.add(to: promise, setting, logs[0])
        await setting.fence()
        kind.add(to: promise, setting, logs[1])
        resolver.resolve(kind.result)
        await setting.fence()
        kind.add(to: promise, setting, logs[2])
        await setting.finish(promise)
        for log in logs { expect(log.entries, equals: [kind.given]) }
    }

    // 21 and 30.
    @Test(arguments: Kind.allCases, Place.allCases)
    func `handlers added around the resolving are each called once`(
        kind: Kind,
        place: Place
    ) async {
        let setting = Setting(place)
        let before = Log<String>(), after = Log<String>()
        let (promise, resolver) = Promise<Int>.withResolvers()
        kind.add(to: promise, setting, before)
        resolver.resolve(kind.result)
        kind.add(to: promise, setting, after)
        await setting.finish(promise)
        expect(before.entries, equals: [kind.given])
        expect(after.entries, equals: [kind.given])
    }
}
