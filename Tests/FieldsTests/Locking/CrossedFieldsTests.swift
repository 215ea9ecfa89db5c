import Dispatch
import ModelKitFields
import Synchronization
import TestSupport
import Testing

/// Two threads, each in code of the user that one field runs, use both fields: if any lock was held,
/// they would wait for each other for ever.
@Suite(.timeLimit(.minutes(5))) struct CrossedFieldsTests {
    @Test(arguments: Place.allCases, Use.allCases)
    func `code that one field runs may use another whose code uses the first`(
        place: Place,
        use: Use
    ) {
        let fields = (0..<2).map { _ in Field<Item>(value: Item(number: 0)) }
        let meeting = Meeting()
        let triggers = (0..<2).map { side in
            place.arrange(fields[side]) {
                meeting.enter(side) { use.perform(fields[side], fields[1 - side]) }
            }
        }
        meeting.arm()
        let ends = triggers.map { startWork($0) }
        for end in ends { expect(end()) }
        expect(meeting.count, equals: 2, "both have been there at once")
    }

    /// What is done with a field's own and the other field.
    enum Use: String, CaseIterable, Sendable {
        case read, set, modify, touch, setTogether, observe, remove, bind, bindBothWays, transform,
            compute, validate, copy, merge

        func perform(_ own: Field<Item>, _ other: Field<Item>) {
            let both = [other, own]
            switch self {
            case .read: for field in both { _ = (field.value, field.changedAt, field.issues) }
            case .set: for field in both { field.value = Item(number: 2) }
            case .modify: other.modify { $0 = Item(number: ($0?.number ?? 0) + 1) }
            case .touch: for field in both { field.touch() }
            case .setTogether: batch { for field in both { field.value = Item(number: 2) } }
            case .observe:
                for field in both { field.observe { (_: Item?) in _ = own.value }.cancel() }
            case .remove: for field in both { field.removeAllObservers() }
            case .bind:
                other --> own
                other -/-> own
            case .bindBothWays: own <--> other
            case .transform: other.bind(to: Field<Int>()) { _ in own.value?.number }
            case .compute:
                let sum = Computed { both.reduce(0) { $0 + ($1.value?.number ?? 0) } }
                sum --> { _ in }
                other.value = Item(number: 2)
                _ = sum.value
            case .validate: for field in both { field.validate() }
            case .copy: for field in both { _ = field.copy() }
            case .merge:
                own.merge(from: other)
                other.merge(from: own)
            }
        }
    }
}

/// Has two threads wait for each other in the middle of what they do, once.
private final class Meeting: Sendable {
    /// A bit for each side that has come.
    private let seen = Atomic<UInt8>(.max)
    private let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    private let met = Counter()

    /// How many have met the other.
    var count: Int { met.value }

    /// Lets the next of each side in; until then nobody has to wait.
    func arm() { seen.store(0, ordering: .releasing) }

    /// Runs a closure when both sides are there, unless this one was.
    func enter(_ side: Int, _ body: () -> Void) {
        let bit: UInt8 = 1 << UInt8(side)
        guard seen.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue & bit == 0 else {
            return
        }
        arrivals[1 - side].signal()
        guard arrivals[side].wait(timeout: .now() + 10) == .success else { return }
        met.increment()
        body()
    }
}
