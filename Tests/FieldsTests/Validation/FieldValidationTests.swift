import ModelKitFields
import Testing

@Suite struct FieldValidationTests {
    @Test func `it is validated if needed only after a set`() {
        let calls = Log<Int>()
        let age = Field<Int>(value: -3).require("must be positive") {
            calls.add($0)
            return $0 > 0
        }
        #expect(age.validateIfNeeded() == .invalid(["must be positive"]))
        #expect(age.validateIfNeeded() == .invalid(["must be positive"]))
        #expect(calls.entries == [-3])
        age.value = 3
        #expect(age.validateIfNeeded() == .valid)
        #expect(calls.entries == [-3, 3])
    }

    @Test func `a reset makes the state unknown and leaves the value`() {
        let age = Field<Int>(value: -3).require("must be positive") { $0 > 0 }
        age.validate()
        age.resetValidationState()
        #expect(age.validationState == .unknown)
        #expect(age.issues == [])
        #expect(age.value == -3)
        #expect(age.validate() == .invalid(["must be positive"]))
    }

    @Test func `an added error makes the field invalid until it is set`() {
        let name = Field<String>(value: "ada")
        #expect(name.validate() == .valid)
        name.addValidationError("is taken already", code: "unique")
        #expect(name.validationState == .invalid(["is taken already"]))
        #expect(name.issues == [Issue(code: "unique", message: "is taken already")])
        #expect(name.validate() == .invalid(["is taken already"]), "a validation finds it again")
        name.value = "ada"
        #expect(name.validationState == .unknown)
        #expect(name.validate() == .valid)
    }

    @Test func `added errors stand behind those of the rules`() {
        let name = Field<String>(value: "").require(.notBlank)
        name.validate()
        name.addValidationError("is taken already")
        name.addValidationError("is odd")
        name.addValidationError("is odd")
        let messages = ["cannot be blank", "is taken already", "is odd"]
        #expect(name.validationState == .invalid(messages))
        name.resetValidationState()
        #expect(name.validate() == .invalid(messages))
    }

    @Test func `an error is added also to a field that was not validated`() {
        let name = Field<String>(value: "").require(.notBlank)
        name.addValidationError("is taken already")
        #expect(name.validationState == .invalid(["is taken already"]))
        #expect(name.validate() == .invalid(["cannot be blank", "is taken already"]))
    }

    @Test func `an added warning blocks nothing, and an added path is kept`() {
        let names = ArrayField(Field<String>(), value: ["ada", "bob"])
        let warning = Issue(path: [1], message: "is short", severity: .warning)
        names.addValidationError(warning)
        #expect(names.validationState == .valid)
        #expect(names.issues == [warning])
        names.addValidationError(Issue(code: "unique", path: [0], message: "is taken already"))
        #expect(names.validationState == .invalid(["[0] is taken already"]))
    }
}
