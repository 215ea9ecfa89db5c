import Foundation
import ModelKitFields
import TestSupport
import Testing

/// The types that other libraries have for rules.
struct RuleNameTests {
    @Test func `either bound may be missing`() {
        expect(
            RangeRule(min: 3, max: 5).rule.constraint,
            equals: Rule.range(3...5).constraint
        )
        expect(RangeRule<Int>().rule.issues(for: 5), equals: [])
        expect(
            LengthRule(min: 3).rule.issues(for: "a").map(\.message),
            equals: ["length must be greater than or equal to 3"]
        )
        expect(LengthRule().rule.issues(for: "a"), equals: [])
        expect(CountRule<Int>(max: 1).rule.issues(for: [1, 2]).map(\.code), equals: ["maxItems"])
        expect(CountRule<Int>(count: 2).rule.issues(for: [1]).map(\.code), equals: ["count"])
        let field = Field<Int>().require(RangeRule(min: 6))
        field.value = 5
        expect(field.validate(), equals: .invalid(["must be greater than or equal to 6"]))
    }

    @Test func `characters may be given as a set`() {
        let field = Field<String>().require(
            CharacterSetRule(characterSet: CharacterSet.lowercaseLetters)
        )
        for (text, isValid) in [("abcé", true), ("", true), ("aB", false), ("a1", false)] {
            field.value = text
            expect(field.validate().isValid, equals: isValid, "\(text)")
        }
        let rule: Rule<String> = .characterSet(Set("ab".unicodeScalars))
        expect(rule.issues(for: "abba"), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(rule.issues(for: "abc").map(\.code), equals: ["characters"])
    }

    @Test func `a rule of elements is one of their array`() {
        let tags = Field<[String]>(value: ["a", ""]).require(.each(.notBlank))
        expect(tags.validate(), equals: .invalid(["[1] cannot be blank"]))
    }
}

struct MessageTemplateTests {
    @Test func `names in braces are the parameters of the issue`() {
        let rule: Rule<String> = .minLength(8).message("needs {min} characters")
        expect(rule.issues(for: "a").map(\.message), equals: ["needs 8 characters"])
        let color: Rule<String> = .oneOf(["red", "green"]).message("only {values}")
        expect(color.issues(for: "a").map(\.message), equals: ["only red, green"])
        expect(
            Rule<Double>.min(1).message("from {min}").issues(for: 0).map(\.message),
            equals: ["from 1"]
        )
    }

    @Test func `and the bounds of the rule`() {
        let rule: Rule<String> = .length(3...20).message("needs {min} to {max} characters")
        expect(rule.issues(for: "a").map(\.message), equals: ["needs 3 to 20 characters"])
        expect(rule.errorMessage, equals: "needs 3 to 20 characters")
        let number: Rule<Int> = (.required && .range(1..<9)).message("{min} to below {max}")
        expect(number.issues(for: 9).map(\.message), equals: ["1 to below 9"])
        expect(number.issues(for: nil).map(\.message), equals: ["1 to below 9"])
        let count: Rule<[Int]> = .count(1...2).message("{min} or {max}")
        expect(count.issues(for: []).map(\.message), equals: ["1 or 2"])
    }

    @Test(arguments: [
        ("{{min}", "{min}"), ("{{{min}}", "{8}"), ("{other} {min", "{other} {min"), ("}{", "}{"),
        ("{}", "{}"), ("{ min}", "{ min}"), ("{{{{", "{{"), ("é{min}é", "é8é"), ("{a{min}", "{a8"),
    ])
    func `two braces are one, and what nobody knows stays`(template: String, message: String) {
        let rule: Rule<String> = .minLength(8).message(template)
        expect(rule.issues(for: "a").map(\.message), equals: [message])
    }

    @Test func `bounds that differ are not reported as one`() {
        let rule = (Rule<Int>.min(1) && .min(2)).message("from {min}")
        expect(rule.issues(for: 0).map(\.message), equals: ["from 1"])
        let text = (Rule<String>.email && .minLength(3) && .minLength(4)).message("{min}")
        expect(text.issues(for: "a@b").map(\.message), equals: ["4"])
        expect(text.issues(for: "aaaa").map(\.message), equals: ["{min}"])
    }

    @Test func `parsers and async rules know them, too`() async {
        let number = Parser<String, Int>.integer.message("{{no}")
        expect(number.issues(for: "a").map(\.message), equals: ["{no}"])
        let field = Field(value: "a").require(
            AsyncRule<String>("is taken", code: "taken") { _ in false }.message("is taken {{")
        )
        await expect(field.validated(), equals: .invalid(["is taken {"]))
    }
}
