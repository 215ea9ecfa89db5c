import Foundation
import ModelKitFields
import TestSupport
import Testing

struct BuiltInValidatorTests {
    private static let checks: [(AnyValidator<String>, valid: [String?], invalid: [String?])] = [
        (NotEmptyValidator(errorMessage: "no").validator, ["a", " "], [nil, ""]),
        (EmptyValidator(errorMessage: "no").validator, [nil, ""], [" ", "a"]),
    ]

    @Test func `a message with braces is the same before and after`() {
        let message = "no {{ at all"
        let (text, issues) = EmptyValidator(errorMessage: message).failure(of: "a")
        expect(text == "no { at all" && issues.map(\.message) == [text])
    }

    @Test(arguments: checks.indices)
    func `each says its message of what it does not take`(index: Int) {
        let (check, valid, invalid) = Self.checks[index]
        for value in valid { expect(check.isValid(value: value), "\(value ?? "nil")") }
        for value in invalid {
            expect(!check.isValid(value: value), "\(value ?? "nil")")
            expect(check.issues(for: value).map(\.message), equals: ["no"], "\(value ?? "nil")")
        }
    }

    @Test func `checks are joined by and, which stops at the first that fails`() {
        let both = NotEmptyValidator(errorMessage: "is empty")
            .and(Rule<String>.minLength(2).message("is short"))
        expect(both.issues(for: "").map(\.message), equals: ["is empty"])
        expect(both.issues(for: "a").map(\.message), equals: ["is short"])
        expect(both.issues(for: "ab"), equals: [])
        let all = NotEmptyValidator(errorMessage: "is empty").and([
            Rule<String>.minLength(2).message("is short"),
            Rule<String>.email.message("is no address"),
        ])
        expect(all.issues(for: "a").map(\.message), equals: ["is short"])
        expect(all.issues(for: "ab").map(\.message), equals: ["is no address"])
        expect(all.issues(for: "a@b"), equals: [])
    }

    @Test func `and by or, of which one has to pass`() {
        let optional = EmptyValidator(errorMessage: "must be empty")
            .or(Rule<String>.email.message("must be an address"))
        expect(optional.issues(for: nil), equals: [])
        expect(optional.issues(for: ""), equals: [])
        expect(optional.issues(for: "a@b"), equals: [])
        expect(
            optional.issues(for: "a").map(\.message),
            equals: ["must be empty", "must be an address"]
        )
        let any = EmptyValidator(errorMessage: "must be empty").or([
            Rule<String>.length(3).message("must have 3"),
            Rule<String>.email.message("must be an address"),
        ])
        for value in ["", "abc", "a@b.c"] { expect(any.isValid(value: value)) }
        expect(any.issues(for: "ab").count, equals: 3)
    }

    @Test func `rules are joined in the same way`() {
        let rule = Rule<String>.notEmpty.and(Rule<String>.email.message("is no address"))
        expect(rule.issues(for: "a").map(\.message), equals: ["is no address"])
        expect(Rule<String>.digits.or([.alpha, .email]).isValid(value: "abc"))
        expect(!Rule<String>.digits.or([.alpha, .email]).isValid(value: "a1"))
    }

    @Test(arguments: ["[\\w-.]+", "[a\\w-]+", "[.-\\w]+"])
    func `a hyphen beside a class is itself, as in other libraries`(regex: String) {
        let validator = RegexValidator(regex: regex, errorMessage: "no")
        expect(validator.isValid(value: "a-b"))
        expect(!validator.isValid(value: "a+b"))
        if regex != "[a\\w-]+" { #expect(throws: PatternError.self) { try Pattern(regex) } }
    }

    @Test func `a property may be of a type that is not Equatable`() {
        struct Plan: Sendable { var name: String }
        @Validated([.required, Rule.notBlank.at(\Plan.name, "name")]) var plan: Plan? = nil
        let log = Log<Int>()
        let observation = $plan.observe { log.add($0.count) }
        plan = Plan(name: " ")
        expect($plan.errors.map(\.description), equals: ["name cannot be blank"])
        plan = Plan(name: "a")
        plan = Plan(name: "a")
        expect(log.entries, equals: [1, 1, 0, 0])
        observation.cancel()
    }
}

extension Validator {
    fileprivate func failure(of value: Value?) -> (String, [ModelKitFields.Issue]) {
        (errorMessage, validator.issues(for: value))
    }
}
