import Dispatch
import ModelKitFields
import TestSupport
import Testing

/// Everything that is made for an observation, a binding or a computed field is freed with it.
@Suite(.timeLimit(.minutes(10))) struct LifetimeTests {
    @Test(arguments: Form.allCases)
    func `fields, owners and closures are freed with their field`(form: Form) async {
        let live = Live()
        do {
            let field = Field<Int>(value: 1)
            let other = Field<Int>(value: 2)
            form.connect(field, other, live)
            field.value = 3
            await field.settled()
            await form.drain()
            expect(live.count > 0 || form.captures == 0)
            watch(field, live)
            watch(other, live)
        }
        await form.drain()
        expect(live.count, equals: 0)
    }

    @Test(arguments: Form.allCases)
    func `a thousand rounds leave nothing behind`(form: Form) async {
        let live = Live()
        let field = Field<Int>(value: 1)
        for round in 0..<1000 {
            let other = Field<Int>(value: round)
            let end = form.connect(field, other, live)
            end()
            if round % 100 == 0 { await form.drain() }
        }
        await form.drain()
        expect(field.observerCount, equals: 0)
        expect(live.count, equals: 0)
    }

    @Test func `a thousand observations of computed fields leave nothing behind`() {
        let live = Live()
        let number = Field<Int>(value: 1)
        let kept = Computed { number.value }
        for _ in 0..<1000 {
            let probe = live.make()
            let made = Computed { () -> Int? in
                withExtendedLifetime(probe) {}
                return kept.value.map { $0 + 1 }
            }
            let observation = made.observe { withExtendedLifetime(probe) {} }
            number.value = (number.value ?? 0) + 1
            observation.cancel()
            made.observe { withExtendedLifetime(probe) {} }
            let target = Field<Int>()
            target <-- made
        }
        expect(live.count, equals: 0)
        expect(kept.observerCount, equals: 0)
        expect(number.observerCount, equals: 0)
    }

    @Test func `a computed field is freed with the field that is bound to it`() {
        let live = Live()
        weak var weakly: Computed<Int>?
        let number = Field<Int>(value: 1)
        do {
            let target = Field<Int>()
            let probe = live.make()
            let made = Computed { () -> Int? in
                withExtendedLifetime(probe) {}
                return number.value
            }
            weakly = made
            target <-- made
            number.value = 2
        }
        expect(weakly == nil)
        expect(live.count, equals: 0)
    }

    @Test func `a replaced value is freed at the set, also with observers and bound fields`() {
        let live = Live()
        let source = Field<Kept>()
        let target = Field<Kept>()
        source --> target
        source.observe(when: .changes) { _, _ in }
        target --> { _ in }
        let twice = Computed { target.value }
        twice --> { _ in }
        for _ in 0..<10 { source.value = Kept(probe: live.make()) }
        expect(live.count, equals: 1)
        batch { for _ in 0..<10 { source.value = Kept(probe: live.make()) } }
        expect(live.count, equals: 1)
        source.value = nil
        expect(live.count, equals: 0)
    }

    /// Counts the field while it lives, by what only it holds.
    private func watch(_ field: Field<Int>, _ live: Live) {
        let probe = live.make()
        field.observe(when: .changes) { withExtendedLifetime(probe) {} }
    }
}

/// A way in which fields, owners and closures are connected.
enum Form: CaseIterable, Sendable {
    case arrowRight, arrowLeft, bothWays, closure, changes, object, owner, handedOwner
    case main, mainOwner, queue, queueOwner, scoped, computed, computedBound

    private static let place = DispatchQueue(label: "lifetimes")

    /// How many probes live while the field does and nobody else holds the owners.
    var captures: Int {
        switch self {
        case .arrowRight, .arrowLeft, .bothWays, .object, .scoped: 0
        case .owner, .handedOwner, .mainOwner, .queueOwner, .computed, .computedBound: 0
        case .closure, .changes, .main, .queue: 1
        }
    }

    /// Connects two fields, and gives what ends it.
    @discardableResult
    func connect(_ field: Field<Int>, _ other: Field<Int>, _ live: Live) -> () -> Void {
        let probe = live.make()
        let owner = ProbedOwner(live.make())
        switch self {
        case .arrowRight:
            field --> other
            return { field -/-> other }
        case .arrowLeft:
            other <-- field
            return { field -/-> other }
        case .bothWays:
            field <--> other
            return {
                field -/-> other
                other -/-> field
            }
        case .closure: return ending(field --> { withExtendedLifetime(probe) {} })
        case .changes:
            return ending(field.observe(when: .changes) { withExtendedLifetime(probe) {} })
        case .object:
            field --> owner
            return { field -/-> owner }
        case .owner: return ending(field --> owner { _ in withExtendedLifetime(probe) {} })
        case .handedOwner:
            return ending(field.observe(owner) { _, _ in withExtendedLifetime(probe) {} })
        case .main: return ending(field.onMain --> { withExtendedLifetime(probe) {} })
        case .mainOwner:
            return ending(field.onMain --> owner { _ in withExtendedLifetime(probe) {} })
        case .queue: return ending(field.on(Self.place) --> { withExtendedLifetime(probe) {} })
        case .queueOwner:
            return ending(field.on(Self.place) --> owner { _ in withExtendedLifetime(probe) {} })
        case .scoped:
            let scoped = field.observe { withExtendedLifetime(probe) {} }.scoped()
            return { withExtendedLifetime(scoped) {} }
        case .computed:
            let made = Computed { () -> Int? in
                withExtendedLifetime(probe) {}
                return field.value
            }
            return ending(made --> { withExtendedLifetime(probe) {} })
        case .computedBound:
            let made = Computed { [unowned field] () -> Int? in
                withExtendedLifetime(probe) {}
                return field.value
            }
            other <-- made
            return { made -/-> other }
        }
    }

    private func ending(_ observation: Observation) -> () -> Void { { observation.cancel() } }

    /// Lets the place of the observers do what waits.
    func drain() async {
        switch self {
        case .main, .mainOwner:
            for _ in 0..<3 {
                await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
            }
        case .queue, .queueOwner:
            for _ in 0..<3 {
                await withCheckedContinuation { done in Self.place.async { done.resume() } }
            }
        default: break
        }
    }
}

/// Counts the probes that live.
final class Live: Sendable {
    private let counter = Counter()
    var count: Int { counter.value }
    func make() -> Probe { Probe(counter) }

    final class Probe: Sendable {
        private let counter: Counter
        init(_ counter: Counter) {
            self.counter = counter
            counter.increment()
        }
        deinit { counter.decrement() }
    }
}

private final class ProbedOwner: ObservationOwner, ValueObserver {
    let probe: Live.Probe
    init(_ probe: Live.Probe) { self.probe = probe }
    func valueChanged(_ observable: any ValueObservable<Int>, value: Int?) {}
}

private struct Kept: Equatable, Sendable {
    let probe: Live.Probe
    static func == (left: Kept, right: Kept) -> Bool { left.probe === right.probe }
}
