import ModelKitFields
import Observation
import TestSupport
import Testing

/// Rules that read more than their own value.
@Suite(.timeLimit(.minutes(10))) struct FollowedReadsTests {
    private let start = Field<Int>(value: 3)
    private let end: Field<Int>

    init() {
        end = Field<Int>().require("must not be before the start") { [start] in
            $0 >= start.value ?? 0
        }
    }

    private static let late = ValidationState.invalid(["must not be before the start"])

    @Test func `a rule that reads another field is asked again when that changes`() {
        let log = Log<ValidationState>()
        end.observeValidationState { log.add($0) }
        end.value = 7
        start.value = 9
        expect(end.validationState, equals: Self.late)
        start.value = 9
        start.value = 5
        expect(log.entries, equals: [.unknown, .valid, Self.late, .valid])
    }

    /// The ways to listen.
    enum Listener: CaseIterable {
        case state, status, owner, onMain, computed, observation, sequence
    }

    @Test(arguments: Listener.allCases)
    @MainActor func `whoever listens is notified`(_ listener: Listener) async throws {
        final class Owner: Sendable {}
        let owner = Owner()
        var kept: [Any] = [owner]
        end.value = 7
        end.validate()
        switch listener {
        case .state: kept.append(end.observeValidationState { _ in })
        case .status: kept.append(end.observeValidationStatus { _ in })
        case .owner: kept.append(end.observeValidationState(owner) { _, _ in })
        case .onMain: kept.append(end.onMain.observeValidationState { _ in })
        case .computed:
            let computed = Computed { [end] in end.validationState.isInvalid }
            computed --> { (_: Bool?) in }
            kept.append(computed)
        case .observation:
            withObservationTracking({ _ = end.observedValidationStatus }, onChange: {})
        case .sequence:
            var states = end.validationStates.makeAsyncIterator()
            await expect(states.next(isolation: nil), equals: .valid)
            kept.append(states)
        }
        start.value = 9
        expect(end.validationState, equals: Self.late)
        if case .computed = listener {
            expect((kept.last as? Computed<Bool>)?.value, equals: true)
        }
        withExtendedLifetime(kept) {}
    }

    @Test func `what was found before somebody listens is found again at once`() {
        end.value = 7
        end.validate()
        start.value = 9
        let log = Log<ValidationState>()
        end.observeValidationState { log.add($0) }
        expect(log.entries, equals: [Self.late])
    }

    @Test func `in a batch it is asked once, at the end`() {
        let asked = Counter()
        let sum = Field<Int>(value: 0).require { [start, end] in
            asked.increment()
            return $0 >= (start.value ?? 0) + (end.value ?? 0)
        }
        let log = Log<ValidationState>()
        sum.observeValidationState { log.add($0) }
        sum.value = 100
        expect(asked.value, equals: 1)
        batch {
            start.value = 1
            end.value = 200
            start.value = 2
        }
        expect(asked.value, equals: 2)
        batch {
            start.value = 3
            sum.value = 300
            end.value = 250
        }
        expect(asked.value, equals: 3)
        expect(log.entries.map(\.isInvalid), equals: [false, false, true, false])
    }

    @Test func `while nobody listens, or on demand, it is not asked again`() {
        let asked = Counter()
        let field = Field<Int>(value: 1).require { [start] _ in
            asked.increment()
            return start.value != nil
        }
        field.validate()
        start.value = 4
        expect(asked.value, equals: 1)
        let observation = field.observeValidationState { _ in }
        expect(asked.value, equals: 2, "it was not followed before")
        start.value = 5
        expect(asked.value, equals: 3)
        field.validates(.onDemand)
        start.value = 6
        expect(asked.value, equals: 3)
        field.validates(.onChange)
        observation.cancel()
        start.value = 7
        expect(asked.value, equals: 3)
        expect(start.observerCount, equals: 0)
    }

    @Test func `a value that was never validated stays unknown`() {
        end.observeValidationState { _ in }
        start.value = 9
        expect(end.validationState, equals: .unknown)
        end.value = 7
        end.resetValidationState()
        start.value = 10
        expect(end.validationState, equals: .unknown)
    }

    @Test func `the validity of another field is followed, and what a computed field says`() {
        let email = Field<String>().require(.email)
        let isReady = Computed { [start] in start.value.map { $0 > 5 } }
        let send = Field<Bool>().require("needs a valid address") { [email] wanted in
            !wanted || email.validationState == .valid
        }.require("is not ready") { !$0 || isReady.value == true }
        let log = Log<ValidationState>()
        send.observeValidationState { log.add($0) }
        send.value = true
        email.value = "a@example.com"
        start.value = 6
        start.value = 7
        email.value = "nobody"
        expect(
            log.entries,
            equals: [
                .unknown, .invalid(["needs a valid address", "is not ready"]),
                .invalid(["is not ready"]), .valid, .invalid(["needs a valid address"]),
            ]
        )
    }

    @Test func `which field is read may depend on another`() {
        let asked = Counter()
        let chooses = Field<Bool>(value: true)
        let field = Field<Int>().require { [start, end] in
            asked.increment()
            return $0 > (chooses.value == true ? start.value : end.value) ?? 0
        }
        field.observeValidationState { _ in }
        field.value = 4
        end.value = 9
        expect(asked.value, equals: 1, "it is not read")
        chooses.value = false
        expect(field.validationState.isInvalid)
        start.value = 1
        expect(asked.value, equals: 2)
        end.value = 1
        expect(field.validationState, equals: .valid)
    }

    @Test func `arrays, enums, bindings and elements' rules are followed`() {
        enum Size: String, CaseIterable { case small, large }
        let size = EnumField<Size>(value: .small)
        let names = ArrayField(
            Field<String>().require("is too long") { [size] in
                $0.count <= (size.value == .small ? 3 : 10)
            }
        )
        let limit = Field<Int>(value: 2), bound = Field<Int>()
        bound <--> limit
        names.require("are too many") { [bound] in $0.count <= bound.value ?? 0 }
        names.observeValidationState { _ in }
        names.value = ["Ada", "Grace"]
        expect(names.validationState.isInvalid)
        size.value = .large
        expect(names.validationState, equals: .valid)
        limit.value = 1
        expect(names.validationState, equals: .invalid(["are too many"]))
        limit.value = 2
        expect(names.validationState, equals: .valid)
    }

    @Test func `issues that others have added stay`() {
        let field = Field<Int>().require(
            Rule("is before the start") { [start] (value: Int) in value >= start.value ?? 0 }
        )
        field.observeValidationState { _ in }
        field.value = 7
        field.validate()
        start.value = 9
        expect(field.validationState, equals: .invalid(["is before the start"]))
        field.addValidationError("is taken")
        start.value = 5
        expect(field.validationState, equals: .invalid(["is taken"]))
    }

    @Test func `two rules that read each other end, and so does one that sets what it reads`() {
        let first = Field<Int>(value: 1), second = Field<Int>(value: 1)
        first.require { [unowned second] _ in second.validationState != .valid }
        second.require { [unowned first] _ in first.validationState == .valid }
        let codes = Log<Diagnostic.Code>()
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            first.observeValidationState { _ in }
            second.observeValidationState { _ in }
            first.value = 2
            second.value = 2
        }
        let counted = Field<Int>(value: 0)
        let field = Field<Int>().require { [counted] _ in
            counted.modify { $0 = ($0 ?? 0) + 1 }
            return counted.value != nil
        }
        ModelKitDiagnostics.withHandler({ codes.add($0.code) }) {
            field.observeValidationState { _ in }
            field.value = 1
        }
        expect(Set(codes.entries).isSubset(of: [.endlessDelivery]))
        expect((1...1_000).contains(counted.value ?? 0))
    }

    @Test func `nothing is kept once nobody listens`() {
        weak var read: Field<Int>?
        weak var asked: Field<Int>?
        do {
            let other = Field<Int>(value: 1)
            let field = Field<Int>().require { [weak other] in $0 > other?.value ?? 0 }
            (read, asked) = (other, field)
            let observation = field.observeValidationState { _ in }
            field.value = 2
            other.value = 3
            expect(field.validationState.isInvalid)
            observation.cancel()
            withExtendedLifetime((other, field)) {}
        }
        expect(read == nil)
        expect(asked == nil)
    }
}
