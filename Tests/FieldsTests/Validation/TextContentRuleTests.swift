import ModelKitFields
import Testing

struct TextContentRuleTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var rule: Rule<String>
        var code: String
        var message: String
        var passing: [String]
        var failing: [String]

        var testDescription: String { code }
    }

    static let samples = [
        Sample(
            rule: .alpha,
            code: "alpha",
            message: "must contain only letters",
            passing: ["", "a", "Zz"],
            failing: ["1", "a b", "é", "a\n", "-", "[", "`"]
        ),
        Sample(
            rule: .alphanumeric,
            code: "alphanumeric",
            message: "must contain only letters and digits",
            passing: ["", "a1", "0Z"],
            failing: ["_", "a b", "é", "٣", "a\n"]
        ),
        Sample(
            rule: .ascii,
            code: "ascii",
            message: "must contain only ASCII characters",
            passing: ["", "a\r\n\0\u{7F}~"],
            failing: ["é", "e\u{301}", "\u{80}", "💩"]
        ),
        Sample(
            rule: .lowercase,
            code: "lowercase",
            message: "must be lowercase",
            passing: ["", "abc", "straße", "1-!", "漢"],
            failing: ["A", "aBc", "É", "Ǆ", "ǅ"]
        ),
        Sample(
            rule: .uppercase,
            code: "uppercase",
            message: "must be uppercase",
            passing: ["", "ABC", "É", "1-!", "漢"],
            failing: ["a", "AbC", "é", "ß", "ǅ"]
        ),
        Sample(
            rule: .slug,
            code: "slug",
            message: "must contain only lowercase letters, digits and single hyphens",
            passing: ["a", "1", "my-2nd-post", "a-b-c"],
            failing: ["", "-", "-a", "a-", "a--b", "A", "a_b", "é", "a b", "a\n"]
        ),
        Sample(
            rule: .noControlCharacters,
            code: "noControlCharacters",
            message: "must not contain control characters",
            passing: ["", "a b", "é\u{A0}", "\u{200B}", "💩", "\u{2028}"],
            failing: ["\0", "a\n", "\t", "\r\n", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}", "\u{9F}"]
        ),
        Sample(
            rule: .trimmed,
            code: "trimmed",
            message: "must not start or end with white space",
            passing: ["", "a", "a b", "\u{200B}"],
            failing: [" ", " a", "a ", "a\n", "\u{A0}a", "a\u{3000}", "\r\n"]
        ),
    ]

    @Test(arguments: samples)
    func `text is made of what the rule lets pass`(sample: Sample) {
        #expect(sample.rule.issues(for: nil) == [])
        for text in sample.passing {
            #expect(sample.rule.issues(for: text) == [], "\(text.debugDescription)")
        }
        for text in sample.failing {
            #expect(
                sample.rule.issues(for: text)
                    == [Issue(code: sample.code, message: sample.message)],
                "\(text.debugDescription)"
            )
        }
    }

    @Test func `a pattern in a constraint says what the rule does`() throws {
        let rules = Self.samples.map(\.rule) + [.digits, .hexColor, .base64, .semver]
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
                        #expect(
                            pattern.isFound(in: text) == rule.issues(for: text).isEmpty,
                            "\(source) in \(text.debugDescription)"
                        )
                    }
                }
            }
        }
    }
}
