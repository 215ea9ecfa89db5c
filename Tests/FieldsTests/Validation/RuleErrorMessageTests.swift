import ModelKitFields
import Testing

/// Rules as the validators that code of other libraries takes them for.
@Suite struct RuleErrorMessageTests {
    @Test func `a rule has the message of a value that fails, whether one fails or not`() {
        struct Address: Sendable { var street = "", town: String? }
        let even = Rule<Int>("must be even") { $0 % 2 == 0 }
        #expect(even.errorMessage == "must be even")
        #expect(Rule<Int>.required.errorMessage == "is required")
        #expect(Rule<Int?>.required.errorMessage == "is required")
        let odd = Rule<Int>("must be odd", allowNil: false) { $0 % 2 == 1 }
        #expect(odd.errorMessage == "must be odd")
        #expect((Rule<Int>.min(3) && .max(5)).errorMessage == "must be greater than or equal to 3")
        #expect((Rule<Int>.max(5) || .min(9)).errorMessage == "must be less than or equal to 5")
        #expect((!Rule<Int>.min(3)).errorMessage == "is not allowed")
        #expect(even.when { _ in false }.errorMessage == "must be even")
        #expect(Rule<Int>.min(3).message("is too small").errorMessage == "is too small")
        #expect(even.each().errorMessage == "must be even")
        #expect(Rule.notBlank.at(\Address.street, "street").errorMessage == "cannot be blank")
        #expect(Rule.notBlank.at(\Address.town, "town").errorMessage == "cannot be blank")
        #expect(Rule<[String: Int]>.values(even).errorMessage == "must be even")
        #expect(even.severity(.warning).errorMessage == "must be even")
        #expect((Rule.required && even).stopAtFirst.errorMessage == "is required")
        #expect(
            TransformerRule("the length", rule: even) { (text: String) in text.count }
                .rule.errorMessage == "the length must be even"
        )
        #expect(Rule<Int> { _ in [Issue(message: "is strange")] }.errorMessage == "is invalid")
    }

    @Test func `the message is that of the reader's catalogue`() {
        let german = MessageCatalogue { code, _ in code == "required" ? "ist erforderlich" : nil }
        MessageCatalogue.withCurrent(german) {
            #expect(Rule<Int>.required.errorMessage == "ist erforderlich")
        }
    }
}
