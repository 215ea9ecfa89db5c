import ModelKitFields
import TestSupport
import Testing

@Suite struct FieldValidationTests {
    @Test func `it is validated if needed only after a set`() {
        let calls = Log<Int>()
        let age = Field<Int>(value: -3).require("must be positive") {
            calls.add($0)
            return $0 > 0
        }
        expect(age.validateIfNeeded(), equals: .invalid(["must be positive"]))
        expect(age.validateIfNeeded(), equals: .invalid(["must be positive"]))
        expect(calls.entries, equals: [-3])
        age.value = 3
        expect(age.validateIfNeeded(), equals: .valid)
        expect(calls.entries, equals: [-3, 3])
    }

    @Test func `a reset makes the state unknown and leaves the value`() {
        let age = Field<Int>(value: -3).require("must be positive") { $0 > 0 }
        age.validate()
        age.resetValidationState()
        expect(age.validationState, equals: .unknown)
        expect(age.issues, equals: [])
        expect(age.value, equals: -3)
        expect(age.validate(), equals: .invalid(["must be positive"]))
    }

    @Test func `an added error makes the field invalid until it is set`() {
        let name = Field<String>(value: "ada")
        expect(name.validate(), equals: .valid)
        name.addValidationError("is taken already", code: "unique")
        expect(name.validationState, equals: .invalid(["is taken already"]))
        expect(name.issues, equals: [Issue(code: "unique", message: "is taken already")])
        expect(
            name.validate(),
            equals: .invalid(["is taken already"]),
            "a validation finds it again"
        )
        name.value = "ada"
        expect(name.validationState, equals: .unknown)
        expect(name.validate(), equals: .valid)
    }

    @Test func `added errors stand behind those of the rules`() {
        let name = Field<String>(value: "").require(.notBlank)
        name.validate()
        name.addValidationError("is taken already")
        name.addValidationError("is odd")
        name.addValidationError("is odd")
        let messages = ["cannot be blank", "is taken already", "is odd"]
        expect(name.validationState, equals: .invalid(messages))
        name.resetValidationState()
        expect(name.validate(), equals: .invalid(messages))
    }

    @Test func `an error is added also to a field that was not validated`() {
        let name = Field<String>(value: "").require(.notBlank)
        name.addValidationError("is taken already")
        expect(name.validationState, equals: .invalid(["is taken already"]))
        expect(name.validate(), equals: .invalid(["cannot be blank", "is taken already"]))
    }

    @Test func `an added warning blocks nothing, and an added path is kept`() {
        let names = ArrayField(Field<String>(), value: ["ada", "bob"])
        let warning = Issue(path: [1], message: "is short", severity: .warning)
        names.addValidationError(warning)
        expect(names.validationState, equals: .valid)
        expect(names.issues, equals: [warning])
        names.addValidationError(Issue(code: "unique", path: [0], message: "is taken already"))
        expect(names.validationState, equals: .invalid(["[0] is taken already"]))
    }
}
