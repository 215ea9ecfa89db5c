import ModelKitFields
import Testing

/// Rules and issues of which one half is in another language.
@Suite struct MessageLanguageTests {
    private static let terse = MessageCatalogue { code, _ in
        ["minLength": "zu kurz", "even": "muss gerade sein"][code]
    }

    @Test func `a rule has no language, whoever makes it`() {
        let rule = MessageCatalogue.withCurrent(Self.terse) { Rule<String>.minLength(3, in: .utf8) }
        let issues = rule.issues(for: "")
        #expect(issues.map(\.message) == ["length must be greater than or equal to 3 bytes"])
        MessageCatalogue.withCurrent(Self.terse) {
            #expect(issues.map(\.message) == ["zu kurz"])
        }
    }

    @Test func `the subject of what is made of a value stays in front`() {
        let inner = Rule<Int>("must be even", code: "even") { $0 % 2 == 0 }
        let rule = TransformerRule("the length", rule: inner) { (text: String) in text.count }.rule
        let issues = MessageCatalogue.withCurrent(Self.terse) { rule.issues(for: "abc") }
        #expect(issues.map(\.message) == ["the length muss gerade sein"])
        MessageCatalogue.withCurrent(Self.terse) {
            #expect(issues.map(\.message) == ["the length muss gerade sein"])
        }
    }
}
