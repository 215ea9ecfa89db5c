import Foundation
import ModelKitFields
import Testing

struct BuiltInValidatorTests {
    private static let checks: [(AnyValidator<String>, valid: [String?], invalid: [String?])] = [
        (NotNilValidator(errorMessage: "no").validator, ["", "a"], [nil]),
        (NotEmptyValidator(errorMessage: "no").validator, ["a", " "], [nil, ""]),
        (EmptyValidator(errorMessage: "no").validator, [nil, ""], [" ", "a"]),
        (EmailValidator(errorMessage: "no").validator, ["a@b.c", ".a@b"], [nil, "", "a"]),
        (
            EmailValidator(errorMessage: "no", syntax: .rfc5321).validator,
            [#""a b"@c.d"#], [nil, ".a@b"]
        ),
        (LengthValidator(2...3, errorMessage: "no").validator, ["ab", "é漢字"], [nil, "a", "abcd"]),
        (LengthValidator(2..., errorMessage: "no").validator, ["ab", "abcde"], [nil, "a"]),
        (
            LengthValidator(...3, in: .utf8, errorMessage: "no").validator,
            ["", "漢"], [nil, "漢字"]
        ),
    ]

    @Test func `a message with braces is the same before and after`() {
        let message = "no {{ at all"
        let rules: [(String, [ModelKitFields.Issue])] = [
            EmailValidator(errorMessage: message).told(of: "a"),
            EmptyValidator(errorMessage: message).told(of: "a"),
            NotNilValidator<String>(errorMessage: message).told(of: nil),
        ]
        for (told, issues) in rules {
            #expect(told == "no { at all" && issues.map(\.message) == [told])
        }
    }

    @Test(arguments: checks.indices)
    func `each says its message of what it does not take`(index: Int) {
        let (check, valid, invalid) = Self.checks[index]
        for value in valid { #expect(check.isValid(value: value), "\(value ?? "nil")") }
        for value in invalid {
            #expect(!check.isValid(value: value), "\(value ?? "nil")")
            #expect(check.issues(for: value).map(\.message) == ["no"], "\(value ?? "nil")")
        }
    }

    struct Registration {
        @Validated var password: String?
        @Validated var confirmation: String?
        let other = Field<String>()

        init() {
            let group = ValidationGroup<String>()
            let same = MatchingValidator(group, errorMessage: "doesn't match")
            _password = Validated(.minLength(2))
            _confirmation = Validated(same.validator)
            group.add($password)
            group.add($confirmation)
            group.add(other)
        }
    }

    @Test func `a group has to have one value`() {
        let form = Registration()
        #expect(form.$confirmation.errors == [])
        form.password = "ab"
        #expect(form.$confirmation.errors.map(\.message) == ["doesn't match"])
        form.confirmation = "ab"
        #expect(form.$confirmation.errors.map(\.message) == ["doesn't match"])
        form.other.value = "ab"
        #expect(form.$confirmation.errors == [])
        #expect(form.$password.errors == [])
        form.password = "abc"
        #expect(!form.$confirmation.isValid)
    }

    @Test func `a group does not hold what is in it`() {
        let group = ValidationGroup<String>()
        let same = MatchingValidator(group, errorMessage: "doesn't match")
        func add() -> Bool {
            let field = Field(value: "a")
            group.add(field)
            return same.isValid(value: "b")
        }
        #expect(!add())
        #expect(same.isValid(value: "b"))
    }

    @Test func `checks are joined by and, which stops at the first that fails`() {
        let both = NotEmptyValidator(errorMessage: "is empty")
            .and(LengthValidator(2..., errorMessage: "is short"))
        #expect(both.issues(for: "").map(\.message) == ["is empty"])
        #expect(both.issues(for: "a").map(\.message) == ["is short"])
        #expect(both.issues(for: "ab") == [])
        let all = NotEmptyValidator(errorMessage: "is empty").and([
            LengthValidator(2..., errorMessage: "is short"),
            EmailValidator(errorMessage: "is no address"),
        ])
        #expect(all.issues(for: "a").map(\.message) == ["is short"])
        #expect(all.issues(for: "ab").map(\.message) == ["is no address"])
        #expect(all.issues(for: "a@b") == [])
    }

    @Test func `and by or, of which one has to pass`() {
        let optional = EmptyValidator(errorMessage: "must be empty")
            .or(EmailValidator(errorMessage: "must be an address"))
        #expect(optional.issues(for: nil) == [])
        #expect(optional.issues(for: "") == [])
        #expect(optional.issues(for: "a@b") == [])
        #expect(
            optional.issues(for: "a").map(\.message) == ["must be empty", "must be an address"]
        )
        let any = EmptyValidator(errorMessage: "must be empty").or([
            LengthValidator(3...3, errorMessage: "must have 3"),
            EmailValidator(errorMessage: "must be an address"),
        ])
        for value in ["", "abc", "a@b.c"] { #expect(any.isValid(value: value)) }
        #expect(any.issues(for: "ab").count == 3)
    }

    @Test func `rules are joined in the same way`() {
        let rule = Rule<String>.notEmpty.and(EmailValidator(errorMessage: "is no address"))
        #expect(rule.issues(for: "a").map(\.message) == ["is no address"])
        #expect(Rule<String>.digits.or([.alpha, .email]).isValid(value: "abc"))
        #expect(!Rule<String>.digits.or([.alpha, .email]).isValid(value: "a1"))
    }

    @Test(arguments: ["[\\w-.]+", "[a\\w-]+", "[.-\\w]+"])
    func `a hyphen beside a class is itself, as in other libraries`(regex: String) {
        let validator = RegexValidator(regex: regex, errorMessage: "no")
        #expect(validator.isValid(value: "a-b"))
        #expect(!validator.isValid(value: "a+b"))
        if regex != "[a\\w-]+" { #expect(throws: PatternError.self) { try Pattern(regex) } }
    }

    @Test func `a property may be of a type that is not Equatable`() {
        struct Plan: Sendable { var name: String }
        @Validated([.required, Rule.notBlank.at(\Plan.name, "name")]) var plan: Plan? = nil
        let log = Log<Int>()
        let observation = $plan.observe { log.add($0.count) }
        plan = Plan(name: " ")
        #expect($plan.errors.map(\.description) == ["name cannot be blank"])
        plan = Plan(name: "a")
        plan = Plan(name: "a")
        #expect(log.entries == [1, 1, 0, 0])
        observation.cancel()
    }
}

extension Validator {
    fileprivate func told(of value: Value?) -> (String, [ModelKitFields.Issue]) {
        (errorMessage, validator.issues(for: value))
    }
}
