import ModelKitFields
import TestSupport
import Testing

/// Rules as the validators that code of other libraries takes them for.
@Suite struct RuleErrorMessageTests {
    @Test func `a rule has the message of a value that fails, whether one fails or not`() {
        struct Address: Sendable { var street = "", town: String? }
        let even = Rule<Int>("must be even") { $0 % 2 == 0 }
        expect(even.errorMessage, equals: "must be even")
        expect(Rule<Int>.required.errorMessage, equals: "is required")
        expect(Rule<Int?>.required.errorMessage, equals: "is required")
        let odd = Rule<Int>("must be odd", allowNil: false) { $0 % 2 == 1 }
        expect(odd.errorMessage, equals: "must be odd")
        expect(
            (Rule<Int>.min(3) && .max(5)).errorMessage,
            equals: "must be greater than or equal to 3"
        )
        expect(
            (Rule<Int>.max(5) || .min(9)).errorMessage,
            equals: "must be less than or equal to 5"
        )
        expect((!Rule<Int>.min(3)).errorMessage, equals: "is not allowed")
        expect(even.when { _ in false }.errorMessage, equals: "must be even")
        expect(Rule<Int>.min(3).message("is too small").errorMessage, equals: "is too small")
        expect(even.each().errorMessage, equals: "must be even")
        expect(Rule.notBlank.at(\Address.street, "street").errorMessage, equals: "cannot be blank")
        expect(Rule.notBlank.at(\Address.town, "town").errorMessage, equals: "cannot be blank")
        expect(Rule<[String: Int]>.values(even).errorMessage, equals: "must be even")
        expect(even.severity(.warning).errorMessage, equals: "must be even")
        expect((Rule.required && even).stopAtFirst.errorMessage, equals: "is required")
        expect(
            TransformerRule("the length", rule: even) { (text: String) in text.count }
                .rule.errorMessage,
            equals: "the length must be even"
        )
        expect(Rule<Int> { _ in [Issue(message: "is strange")] }.errorMessage, equals: "is invalid")
    }

    @Test func `the message is that of the reader's catalogue`() {
        let german = MessageCatalogue { code, _ in code == "required" ? "ist erforderlich" : nil }
        MessageCatalogue.withCurrent(german) {
            expect(Rule<Int>.required.errorMessage, equals: "ist erforderlich")
        }
    }
}
