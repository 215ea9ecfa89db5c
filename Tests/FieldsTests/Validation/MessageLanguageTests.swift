import ModelKitFields
import TestSupport
import Testing

/// Rules and issues of which one half is in another language.
@Suite struct MessageLanguageTests {
    private static let terse = MessageCatalogue { code, _ in
        ["minLength": "zu kurz", "even": "muss gerade sein"][code]
    }

    @Test func `a rule has no language, whoever makes it`() {
        let rule = MessageCatalogue.withCurrent(Self.terse) { Rule<String>.minLength(3, in: .utf8) }
        let issues = rule.issues(for: "")
        expect(issues.map(\.message), equals: ["length must be greater than or equal to 3 bytes"])
        MessageCatalogue.withCurrent(Self.terse) {
            expect(issues.map(\.message), equals: ["zu kurz"])
        }
    }

    @Test func `the subject of what is made of a value stays in front`() {
        let inner = Rule<Int>("must be even", code: "even") { $0 % 2 == 0 }
        let rule = TransformerRule("the length", rule: inner) { (text: String) in text.count }.rule
        let issues = MessageCatalogue.withCurrent(Self.terse) { rule.issues(for: "abc") }
        expect(issues.map(\.message), equals: ["the length must be even"])
        MessageCatalogue.withCurrent(Self.terse) {
            expect(issues.map(\.message), equals: ["the length muss gerade sein"])
        }
    }

    @Test func `subjects stand before one another, and go with a message or a code in their place`()
    {
        let inner = Rule<Int>("must be even", code: "even") { $0 % 2 == 0 }
        let length = TransformerRule("the length", rule: inner) { (text: String) in text.count }
        let rule = TransformerRule("of the name", rule: length.rule) { (text: Substring) in
            String(text)
        }.rule
        expect(
            rule.issues(for: "abc").map(\.message),
            equals: ["of the name the length must be even"]
        )
        expect(rule.issues(for: "abc") != inner.issues(for: 3))
        expect(rule.message("is odd").issues(for: "abc").map(\.message), equals: ["is odd"])
        expect(rule.issues(for: nil) == [] && rule.issues(for: "ab") == [])
        let coded = length.rule.code("minLength").issues(for: "abc")
        expect(coded.map(\.message), equals: ["the length must be even"])
        MessageCatalogue.withCurrent(Self.terse) {
            expect(coded.map(\.message), equals: ["zu kurz"])
        }
    }
}
