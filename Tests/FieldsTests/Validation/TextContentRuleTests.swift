import ModelKitFields
import TestSupport
import Testing

struct TextContentRuleTests {
    static let samples = [
        TextSample(
            code: "alpha",
            rule: .alpha,
            message: "must contain only letters",
            passing: ["", "a", "Zz"],
            failing: ["1", "a b", "é", "a\n", "-", "[", "`"]
        ),
        TextSample(
            code: "alphanumeric",
            rule: .alphanumeric,
            message: "must contain only letters and digits",
            passing: ["", "a1", "0Z"],
            failing: ["_", "a b", "é", "٣", "a\n"]
        ),
        TextSample(
            code: "ascii",
            rule: .ascii,
            message: "must contain only ASCII characters",
            passing: ["", "a\r\n\0\u{7F}~"],
            failing: ["é", "e\u{301}", "\u{80}", "💩"]
        ),
        TextSample(
            code: "lowercase",
            rule: .lowercase,
            message: "must be lowercase",
            passing: ["", "abc", "straße", "1-!", "漢"],
            failing: ["A", "aBc", "É", "Ǆ", "ǅ"]
        ),
        TextSample(
            code: "uppercase",
            rule: .uppercase,
            message: "must be uppercase",
            passing: ["", "ABC", "É", "1-!", "漢"],
            failing: ["a", "AbC", "é", "ß", "ǅ"]
        ),
        TextSample(
            code: "slug",
            rule: .slug,
            message: "must contain only lowercase letters, digits and single hyphens",
            passing: ["a", "1", "my-2nd-post", "a-b-c"],
            failing: ["", "-", "-a", "a-", "a--b", "A", "a_b", "é", "a b", "a\n"]
        ),
        TextSample(
            code: "noControlCharacters",
            rule: .noControlCharacters,
            message: "must not contain control characters",
            passing: ["", "a b", "é\u{A0}", "\u{200B}", "💩", "\u{2028}"],
            failing: ["\0", "a\n", "\t", "\r\n", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}", "\u{9F}"]
        ),
        TextSample(
            code: "trimmed",
            rule: .trimmed,
            message: "must not start or end with white space",
            passing: ["", "a", "a b", "\u{200B}"],
            failing: [" ", " a", "a ", "a\n", "\u{A0}a", "a\u{3000}", "\r\n"]
        ),
    ]

    @Test(arguments: samples)
    func `text is made of what the rule lets pass`(sample: TextSample) {
        sample.check()
    }

    @Test func `a pattern in a constraint says what the rule does`() throws {
        let rules = Self.samples.map(\.rule) + [.digits, .base64, .e164]
        let pieces = [
            "", "a", "F", "z", "0", "1", "10", "-", "--", ".", "+", "=", "==", "#", "#abc", " ",
            "\n",
            "é", "\u{7F}", "\u{80}", "\u{A0}", "1.2.3", "-rc", "abcd", "/",
        ]
        for rule in rules {
            guard case .pattern(let source) = rule.constraint else { continue }
            let pattern = try Pattern(source)
            for first in pieces {
                for second in pieces {
                    for third in pieces {
                        let text = first + second + third
                        expect(
                            pattern.isFound(in: text),
                            equals: rule.issues(for: text).isEmpty,
                            "\(source) in \(text.debugDescription)"
                        )
                    }
                }
            }
        }
    }
}
