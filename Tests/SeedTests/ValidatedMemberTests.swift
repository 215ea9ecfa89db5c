import ModelKit
import TestSupport
import Testing

/// What the property wrapper could do that this one was made after, member by member; the code of
/// its text is in `ValidatedSeedTests`.
@Suite struct ValidatedMemberTests {
    struct Short: Validator {
        var errorMessage = "is too long"
        func isValid(value: String?) -> Bool { (value ?? "").count < 4 }
    }

    @Test func `a Validator decides about nil, and validate throws its message`() throws {
        expect(Short().isValid(value: nil))
        #expect(throws: ValidationError(message: "is too long")) {
            try Short().validate(value: "long")
        }
        expect(!RegexValidator(regex: ".*", errorMessage: "").isValid(value: nil))
    }

    @Test func `validators of several types are in one list, as they are`() {
        struct Form {
            @Validated([NotEmptyValidator(errorMessage: "is empty"), Short()])
            var nick: String? = ""
        }
        let form = Form()
        expect(form.$nick.errors.map(\.message), equals: ["is empty"])
        form.nick = "long"
        expect(form.$nick.errors.map(\.message), equals: ["is too long"])
        let field = Field<String>(value: "long").require(Short())
        expect(field.validate(), equals: .invalid(["is too long"]))
    }

    @Test func `errors are computed on demand, all of them, in order`() {
        struct Form {
            @Validated([.minLength(9), .email]) var email: String? = "john"
        }
        expect(Form().$email.errors.map(\.code), equals: ["minLength", "email"])
    }

    @Test func `and stops after a step that fails, or at one that passes`() {
        let asked = Seen<String>()
        let second = Rule<String>("is bad") { value in
            asked.add(value)
            return false
        }
        let empty = Rule<String>.absent || Rule("must be empty", \.isEmpty)
        expect(
            Rule<String>.minLength(3).and(second).issues(for: "a").map(\.code),
            equals: ["minLength"]
        )
        expect(asked.values, equals: [])
        expect(
            Rule<String>.minLength(1).and([.maxLength(1), second]).issues(for: "ab").map(\.code),
            equals: ["maxLength"]
        )
        expect(asked.values, equals: [])
        let optional = empty.or(.email)
        expect(optional.issues(for: "").isEmpty)
        expect(optional.issues(for: "a@b.de").isEmpty)
        expect(!optional.issues(for: "a").isEmpty)
    }

    @Test func `a rule may ask another property, and is asked again when that is set`() {
        let password = Validated<String>(wrappedValue: "one", [.notEmpty])
        let field = Field<String>(value: "one")
        let confirmation = Validated<String>(
            wrappedValue: "one",
            [Rule("does not match") { $0 == field.value }]
        )
        expect(confirmation.errors.isEmpty)
        field.value = "two"
        expect(confirmation.errors.map(\.message), equals: ["does not match"])
        expect(password.isValid)
    }
}
