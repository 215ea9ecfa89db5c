import ModelKitFields
import TestSupport
import Testing

/// Computed fields of what is known of the validity of fields.
@Suite struct ComputedValidationTests {
    @Test func `it follows sets, validations and what others say`() {
        let name = Field<String>(value: "a").require(.notBlank)
        let runs = Counter()
        let state = Computed { () -> ValidationState? in
            runs.increment()
            return name.validationState
        }
        expect(state.value, equals: .unknown)
        name.validate()
        expect(state.value, equals: .valid)
        expect(state.value, equals: .valid)
        expect(runs.value, equals: 2)
        name.value = ""
        expect(state.value, equals: .unknown, "nobody observes it, so nothing is validated")
        name.validate()
        expect(state.value, equals: .invalid(["cannot be blank"]))
        name.value = "b"
        name.validateIfNeeded()
        name.value = "b"
        expect(state.value, equals: .unknown, "a set to the same value is a set")
        batch {
            name.validate()
            expect(state.value, equals: .valid)
            name.value = ""
            expect(state.value, equals: .unknown)
        }
        name.value = "b"
        name.validate()
        batch {
            expect(state.value, equals: .valid)
            name.value = "b"
            expect(state.value, equals: .unknown)
        }
        name.value = "c"
        name.addValidationError("is taken")
        expect(state.value, equals: .invalid(["is taken"]))
        name.resetValidationState()
        expect(state.value, equals: .unknown)
    }

    @Test func `issues and what is asked are followed, too`() {
        let name = Field<String>(value: "").require(.notBlank)
        let codes = Computed { name.issues.map(\.code) }
        let status = Computed { name.validationStatus }
        let isValidating = Computed { name.isValidating }
        expect(codes.value, equals: [])
        name.validate()
        expect(codes.value, equals: ["notBlank"])
        expect(status.value?.issues.count, equals: 1)
        expect(isValidating.value, equals: false)
    }

    @Test
    func
        `while it is observed the fields validate by themselves, and nobody gets a state between`()
    {
        let name = Field<String>(value: "a").require(.notBlank)
        let age = Field<Int>(value: 1).require(.min(0))
        let canSave = Computed { name.validationState == .valid && age.validationState == .valid }
        let log = Log<Bool?>()
        canSave.observe { log.add($0) }
        name.value = "b"
        age.value = 2
        expect(log.entries, equals: [false, true])
        age.value = 3
        name.value = ""
        batch {
            name.value = "c"
            age.value = -1
            age.value = 4
        }
        expect(log.entries, equals: [false, true, false, true])
        name.addValidationError("is taken")
        expect(log.entries, equals: [false, true, false, true, false])
        expect(canSave.value, equals: false)
    }

    @Test func `of what it does not read nobody listens`() {
        let runs = Counter()
        let name = Field<String>(value: "a").require(
            Rule { (_: String?) in
                runs.increment()
                return true
            }
        )
        let state = Computed { name.validationState }
        expect(state.value, equals: .unknown)
        name.value = "b"
        name.value = "c"
        expect(state.value, equals: .unknown)
        expect(runs.value, equals: 0)
        let observation = state.observe { () in }
        name.value = "d"
        expect(state.value, equals: .valid)
        expect(runs.value, equals: 1)
        observation.cancel()
        name.value = "e"
        expect(state.value, equals: .unknown)
        expect(runs.value, equals: 1)
    }

    @Test func `a rule that reads the state of another field has that validated`() {
        let age = Field<Int>(value: 1).require(.min(0))
        let ageState = Computed { age.validationState }
        ageState.observe { () in }
        let seen = Log<ValidationState?>()
        let name = Field<String>(value: "a").require(
            Rule { (_: String?) in
                seen.add(ageState.value)
                return true
            }
        )
        let state = Computed { name.validationState }
        state.observe { () in }
        batch {
            age.value = -1
            name.value = "b"
            expect(state.value, equals: .valid)
            expect(
                seen.entries.last,
                equals: .some(.invalid(["must be greater than or equal to 0"]))
            )
        }
    }

    @Test func `a rule that reads the state of its own field comes to an end`() {
        let box = Log<Field<Int>>()
        let number = Field<Int>(value: 1).require(
            Rule { (value: Int?) in
                _ = box.entries.first?.validationState
                return value ?? 0 > 0
            }
        )
        box.add(number)
        let state = Computed { number.validationState }
        let log = Log<ValidationState?>()
        state.observe { log.add($0) }
        number.value = 2
        expect(log.entries.last, equals: .some(.valid))
        number.value = 3
        expect(state.value, equals: .valid)
    }
}
