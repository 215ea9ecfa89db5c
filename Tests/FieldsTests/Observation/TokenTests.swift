import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// Observations are ended by their tokens.
@Suite(.timeLimit(.minutes(10))) struct TokenTests {
    @Test(arguments: Spot.allCases, Way.allCases)
    func `a token ends its observation and no other`(spot: Spot, way: Way) async {
        let field = Field<Int>(value: 0)
        let same = Computed { field.value }
        let (ended, kept) = (Log<Int?>(), Log<Int?>())
        let (observation, remove) = spot.observe(field, same) { ended.add($0) }
        _ = spot.observe(field, same) { kept.add($0) }
        field.value = 1
        await spot.drain()
        expect([ended.entries.last, kept.entries.last], equals: [1, 1])
        way.end(observation, by: remove)
        expect(observation.isCancelled)
        field.value = 2
        await spot.drain()
        expect([ended.entries.last, kept.entries.last], equals: [1, 2])
        expect(field.observerCount + same.observerCount, equals: 1)
    }

    @Test func `the token of another field ends nothing`() {
        let (field, other) = (Field<Int>(value: 0), Field<Int>(value: 0))
        let log = Log<Int?>()
        field --> { log.add($0) }
        let token = other --> { log.add($0) }
        log.clear()
        field -/-> token
        expect(!token.isCancelled)
        field.value = 1
        expect(log.entries, equals: [1])
    }

    @Test func `the token of an owner's closure ends that one alone`() {
        let field = Field<Int>(value: 0)
        let owner = Owner()
        let log = Log<String>()
        let token = field --> owner { log.add("first \($0 ?? -1)") }
        field --> owner { log.add("second \($0 ?? -1)") }
        log.clear()
        field -/-> token
        field.value = 1
        expect(log.entries, equals: ["second 1"])
        field -/-> owner
        field.value = 2
        expect(log.entries, equals: ["second 1"])
    }

    @Test func `the token of a validation state ends that`() {
        let field = Field<Int>(value: 0).require { $0 > 0 }
        let log = Log<ValidationState>()
        let token = field.observeValidationState { log.add($0) }
        field -/-> token
        log.clear()
        field.validate()
        expect(log.entries, equals: [])
        expect(token.isCancelled)
    }

    @Test func `a scoped observation is cancelled by hand, too`() {
        let field = Field<Int>(value: 0)
        let log = Log<Int?>()
        let scoped = field.observe(when: .changes) { log.add($0) }.scoped()
        expect(!scoped.isCancelled)
        scoped.cancel()
        expect(scoped.isCancelled)
        expect(scoped.observation.isCancelled)
        field.value = 1
        expect(log.entries, equals: [])
    }
}

extension TokenTests {
    /// Where an observer is called, and of what.
    enum Spot: CaseIterable, Sendable {
        case field, computed, main, computedMain, queue, computedQueue

        private static let place = DispatchQueue(label: "tokens")

        /// Adds an observer, and gives what removes one.
        func observe(
            _ field: Field<Int>,
            _ computed: Computed<Int>,
            _ body: @escaping @Sendable (Int?) -> Void
        ) -> (Observation, remove: (AnyObject) -> Void) {
            func add(_ source: some ObservationSource<Int>) -> (Observation, (AnyObject) -> Void) {
                (source --> body, { source -/-> $0 })
            }
            func add(_ source: OnMain<Int>) -> (Observation, (AnyObject) -> Void) {
                (source --> body, { source -/-> $0 })
            }
            return switch self {
            case .field: add(field)
            case .computed: add(computed)
            case .main: add(field.onMain)
            case .computedMain: add(computed.onMain)
            case .queue: add(field.on(Self.place))
            case .computedQueue: add(computed.on(Self.place))
            }
        }

        /// Lets the place do what waits.
        func drain() async {
            for queue in [.main, Self.place] {
                for _ in 0..<3 {
                    await withCheckedContinuation { done in queue.async { done.resume() } }
                }
            }
        }
    }

    /// How an observation is ended.
    enum Way: CaseIterable, Sendable {
        case token, scopedToken, cancel

        func end(_ observation: Observation, by remove: (AnyObject) -> Void) {
            switch self {
            case .token: remove(observation)
            case .scopedToken:
                let scoped = observation.scoped()
                remove(scoped)
                // The release of it comes later.
                expect(scoped.isCancelled)
            case .cancel: observation.cancel()
            }
        }
    }
}
