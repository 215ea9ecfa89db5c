import Dispatch
import ModelKitFields
import Observation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LiveValidationTests {
    private let age = Field<Int>().require("must be positive") { $0 > 0 }

    @Test func `a listener gets what is known, then each state that differs`() {
        let log = Log<ValidationState>()
        age.observeValidationState { log.add($0) }
        age.value = 1
        age.value = 2
        age.value = -1
        age.value = -2
        age.value = 3
        expect(log.entries, equals: [.unknown, .valid, .invalid(["must be positive"]), .valid])
    }

    @Test func `an error that was added is reported, and gone with the next set`() {
        let log = Log<ValidationState>()
        age.value = 1
        age.validate()
        age.observeValidationState { log.add($0) }
        age.addValidationError("is taken")
        age.addValidationError("is taken")
        age.value = 1
        expect(log.entries, equals: [.valid, .invalid(["is taken"]), .valid])
    }

    @Test func `validating, resetting and new rules are reported, too`() {
        let log = Log<ValidationState>()
        age.value = 3
        age.observeValidationState { log.add($0) }
        age.validate()
        age.resetValidationState()
        age.validate()
        age.require("must be even") { $0 % 2 == 0 }
        expect(
            log.entries,
            equals: [.unknown, .valid, .unknown, .valid, .invalid(["must be even"])]
        )
    }

    @Test func `while nobody listens no rule is asked`() {
        let asked = Counter()
        let field = Field<Int>().require {
            asked.increment()
            return $0 > 0
        }
        field.value = 1
        expect(asked.value, equals: 0)
        let first = field.observeValidationState { _ in }
        let second = field.observeValidationStatus { _ in }
        expect(asked.value, equals: 0, "nothing was set")
        field.value = 2
        expect(asked.value, equals: 1)
        first.cancel()
        field.value = 3
        expect(asked.value, equals: 2)
        second.cancel()
        expect(field.observerCount, equals: 0)
        field.value = 4
        expect(asked.value, equals: 2)
        expect(field.validationState, equals: .unknown)
    }

    @Test func `a listener whose owner is gone has nothing asked`() {
        final class Owner: Sendable {}
        let asked = Counter()
        let field = Field<Int>().require { _ in
            asked.increment()
            return true
        }
        var owner: Owner? = Owner()
        let log = Log<ValidationState>()
        if let owner { field.observeValidationState(owner) { _, state in log.add(state) } }
        field.value = 1
        expect(asked.value, equals: 1)
        owner = nil
        field.value = 2
        expect(asked.value, equals: 1)
        expect(log.entries, equals: [.unknown, .valid])
        expect(field.observerCount, equals: 0)
    }

    @Test func `the issues of elements are reported with their indexes`() {
        let tags = Field<String>().require(.notBlank)*
        let log = Log<[String]>()
        tags.observeValidationStatus { log.add($0.issues.map(\.path.description)) }
        tags.value = ["red", "", " "]
        tags.append("blue")
        tags.remove(at: 1)
        tags.remove(at: 1)
        expect(log.entries, equals: [[], ["[1]", "[2]"], ["[1]"], []])
    }

    @Test func `warnings are in the status of a valid value`() {
        let password = Field<String>().require(Rule.minLength(12).severity(.warning))
        let log = Log<ValidationStatus>()
        password.observeValidationStatus { log.add($0) }
        password.value = "secret"
        expect(log.entries.map(\.state), equals: [.unknown, .valid])
        expect(log.entries.last?.issues.map(\.code), equals: ["minLength"])
        expect(log.entries.last?.isValidating, equals: false)
    }

    @Test func `a batch is validated once, when it ends`() {
        let log = Log<ValidationState>()
        let asked = Log<Int>()
        let field = Field<Int>().require {
            asked.add($0)
            return $0 > 0
        }
        field.observeValidationState { log.add($0) }
        batch {
            field.value = -1
            field.value = -2
            field.value = 3
        }
        expect(asked.entries, equals: [3])
        expect(log.entries, equals: [.unknown, .valid])
    }

    @Test func `what a binding brings is validated, and what it cannot bring is reported`() {
        let text = Field<String>(value: "1")
        let number = Field<Int>().require("must be positive") { $0 > 0 }
        let states = Log<ValidationState>()
        let reasons = Log<ValidationState>()
        text.bind(to: number) { text in
            guard let text else { return nil }
            guard let number = Int(text) else { throw Issue(message: "must be a number") }
            return number
        }
        number.observeValidationState { states.add($0) }
        text.observeValidationState { reasons.add($0) }
        text.value = "-1"
        text.value = "x"
        text.value = "2"
        expect(states.entries, equals: [.unknown, .invalid(["must be positive"]), .valid])
        expect(reasons.entries, equals: [.unknown, .valid, .invalid(["must be a number"]), .valid])
    }

    @Test func `what a new binding cannot bring is reported, too`() {
        let text = Field<String>(value: "x")
        let number = Field<Int>(value: 1)
        let log = Log<ValidationState>()
        text.observeValidationState { [weak number] state in
            log.add(state)
            expect(number?.value, equals: 1)
        }
        text.bind(to: number) { _ in throw Issue(message: "must be a number") }
        expect(log.entries, equals: [.unknown, .invalid(["must be a number"])])
    }

    @Test func `an owner is handed in, and its removal ends the observation`() {
        final class Owner: Sendable { let log = Log<ValidationState>() }
        let owner = Owner()
        age.observeValidationState(owner) { owner, state in owner.log.add(state) }
        age.observeValidationState(owner) { owner, state in owner.log.add(state) }
        expect(age.observerCount, equals: 2)
        age.value = 1
        age.removeObserver(owner)
        age.value = -1
        expect(owner.log.entries, equals: [.unknown, .unknown, .valid, .valid])
        age.observeValidationState(owner) { owner, state in owner.log.add(state) }
        age.removeAllObservers()
        age.value = 1
        expect(owner.log.count, equals: 5)
        expect(age.observerCount, equals: 0)
    }

    @Test func `a listener that sets the field gets the state of what it set`() {
        let log = Log<ValidationState>()
        age.observeValidationState { [weak age] state in
            log.add(state)
            if state.isInvalid { age?.value = 1 }
        }
        age.value = -1
        expect(age.value, equals: 1)
        expect(log.entries, equals: [.unknown, .invalid(["must be positive"]), .valid])
    }

    @Test func `states come as a sequence, which ends with the field`() async {
        var field: Field<Int>? = Field<Int>().require("must be positive") { $0 > 0 }
        var states = field?.validationStates.makeAsyncIterator()
        await expect(states?.next(isolation: nil), equals: .unknown)
        field?.value = 1
        await expect(states?.next(isolation: nil), equals: .valid)
        field?.value = 2
        field?.value = -1
        await expect(states?.next(isolation: nil), equals: .invalid(["must be positive"]))
        field = nil
        await expect(states?.next(isolation: nil), equals: nil)
    }

    @Test func `a sequence that is left listens no more`() async {
        for await state in age.validationStates {
            expect(state, equals: .unknown)
            expect(age.observerCount, equals: 1)
            break
        }
        expect(age.observerCount, equals: 0)
        let waiting = Task { [age] in
            for await _ in age.validationStates {}
        }
        await until { age.observerCount == 1 }
        waiting.cancel()
        await waiting.value
        expect(age.observerCount, equals: 0)
    }

    @Test @MainActor func `the main thread is notified in place`() {
        let log = Log<ValidationState>()
        final class Owner: Sendable {}
        let owner = Owner()
        age.onMain.observeValidationState { log.add($0) }
        age.onMain.observeValidationState(owner) { _, state in log.add(state) }
        age.onMain.observeValidationStatus { log.add($0.state) }
        expect(log.count, equals: 3)
        age.value = 1
        expect(log.entries.suffix(3), equals: [.valid, .valid, .valid])
    }

    @Test func `a computed field brings the status to a queue, which receives the newest`() async {
        let queue = DispatchQueue(label: "states")
        let log = Log<ValidationState>()
        let status = Computed { [age] in age.validationStatus }
        queue.suspend()
        status.on(queue).observe { (status: ValidationStatus?) in
            if let status { log.add(status.state) }
        }
        age.value = -1
        age.value = 1
        queue.resume()
        await until { log.count == 1 }
        queue.sync {}
        expect(log.entries, equals: [.valid])
    }

    @Test func `the Observation module is notified of a change of the status`() {
        let notifications = Counter()
        func look() -> ValidationStatus {
            withObservationTracking {
                age.observedValidationStatus
            } onChange: {
                notifications.increment()
            }
        }
        expect(look().state, equals: .unknown)
        age.value = -1
        expect(notifications.value, equals: 1)
        expect(look().issues.map(\.message), equals: ["must be positive"])
        age.value = -1
        expect(notifications.value, equals: 1, "it is the same")
        age.value = 1
        expect(notifications.value, equals: 2)
        expect(age.validationState, equals: .valid)
    }

    @Test func `a listener and the field free each other`() {
        final class Probe: Sendable {}
        weak var probe: Probe?
        weak var freed: Field<Int>?
        do {
            let held = Probe()
            let field = Field<Int>().require { $0 > 0 }
            (probe, freed) = (held, field)
            field.observeValidationState { _ in withExtendedLifetime(held) {} }
            _ = field.observedValidationStatus
            field.observeValidationStatus { [weak field] _ in
                withExtendedLifetime((field, held)) {}
            }
            field.value = 1
        }
        expect(freed == nil)
        expect(probe == nil)
    }

    @Test func `after a race of sets the last reported state is that of the last value`() async {
        for _ in 0..<200 {
            let field = Field<Int>(value: 0).require("must be even") { $0 % 2 == 0 }
            let log = Log<ValidationState>()
            field.observeValidationState { log.add($0) }
            await withTaskGroup { group in
                for start in 0..<3 {
                    group.addTask { for value in 0..<20 { field.value = start + value } }
                    group.addTask { for _ in 0..<5 { field.addValidationError("is odd") } }
                }
            }
            await field.settled()
            await until { log.entries.last == field.validationState }
            expect(field.validationState != .unknown)
            for (one, next) in zip(log.entries, log.entries.dropFirst()) { expect(one != next) }
        }
    }

    @Test func `listeners come and go while others set`() async {
        for _ in 0..<100 {
            let field = Field<Int>(value: 0).require { $0 >= 0 }
            await withTaskGroup { group in
                group.addTask { for value in 0..<50 { field.value = value } }
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<20 { field.observeValidationState { _ in }.cancel() }
                    }
                }
            }
            expect(field.observerCount, equals: 0)
            let log = Log<ValidationState>()
            field.observeValidationState { log.add($0) }
            field.value = -1
            expect(log.entries.last, equals: .invalid(["is invalid"]))
        }
    }
}
