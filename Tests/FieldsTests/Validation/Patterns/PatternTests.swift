import ModelKitFields
import TestSupport
import Testing

struct PatternTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var pattern: String
        var found: [String]
        var missing: [String]

        init(_ pattern: String, in found: [String], not missing: [String]) {
            self.pattern = pattern
            self.found = found
            self.missing = missing
        }

        var testDescription: String { pattern }
    }

    @Test(arguments: [
        Sample("", in: ["", "a"], not: []),
        Sample("b", in: ["b", "abc", "ab", "bc"], not: ["", "a", "B"]),
        Sample("bc", in: ["abcd", "bbc"], not: ["", "b", "b c", "cb"]),
        Sample("^b", in: ["b", "bc"], not: ["", "ab", "a\nb"]),
        Sample("b$", in: ["b", "ab"], not: ["", "ba", "b\n", "b\nc"]),
        Sample("^$", in: [""], not: ["a", "\n"]),
        Sample("^[a-z]+$", in: ["a", "abc"], not: ["", "abc\n", "aBc"]),
        Sample("$a|b^", in: [], not: ["", "a", "b", "ba", "ab"]),
        Sample("é", in: ["é", "aéb"], not: ["e", "e\u{301}"]),
        Sample("^.$", in: ["a", "é", "漢", "💩", " "], not: ["", "ab", "👨‍👩‍👧", "e\u{301}"]),
        Sample(".", in: ["a"], not: ["", "\n", "\r", "\u{2028}", "\u{2029}", "\r\n"]),
        Sample("^[^]$", in: ["a", "\n", "💩"], not: ["", "ab"]),
        Sample("[]", in: [], not: ["", "a", "]"]),
        Sample("^(?:a|bc|)$", in: ["a", "bc", ""], not: ["ab", "abc", "c"]),
        Sample("^a|b|c$", in: ["ax", "xbx", "xc"], not: ["xa", "cx"]),
        Sample("^(a(b(c)?)?)$", in: ["a", "ab", "abc"], not: ["", "ac", "abcc"]),
        Sample("^(?<year>[0-9]{4})$", in: ["2024"], not: ["24", "20245"]),
    ])
    func `a pattern is found somewhere in the text`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample("^a*$", in: ["", "a", "aaa"], not: ["b", "aab"]),
        Sample("^a+$", in: ["a", "aaa"], not: ["", "b"]),
        Sample("^a?$", in: ["", "a"], not: ["aa"]),
        Sample("^a*?b+?c??$", in: ["b", "aabb", "bc"], not: ["", "a", "bcc"]),
        Sample("^a{3}$", in: ["aaa"], not: ["", "aa", "aaaa"]),
        Sample("^a{2,}$", in: ["aa", "aaaaa"], not: ["", "a"]),
        Sample("^a{2,4}?$", in: ["aa", "aaa", "aaaa"], not: ["a", "aaaaa"]),
        Sample("^a{0}b$", in: ["b"], not: ["ab"]),
        Sample("^a{0,2}$", in: ["", "a", "aa"], not: ["aaa"]),
        Sample("^a{0,}$", in: ["", "aaaa"], not: ["b"]),
        Sample("^(ab){2,3}$", in: ["abab", "ababab"], not: ["ab", "aba", "abababab"]),
        Sample("^(a|b){2}$", in: ["aa", "ab", "ba"], not: ["a", "aab"]),
        Sample("^(?:a{2}){2}$", in: ["aaaa"], not: ["aa", "aaa", "aaaaa"]),
        Sample("^(a*)*$", in: ["", "aaa"], not: ["b", "aab"]),
        Sample("^(a*|b)+$", in: ["", "abab"], not: ["c"]),
        Sample("^(){5}(?:|){3}a$", in: ["a"], not: [""]),
        Sample("^(^a)+$", in: ["a"], not: ["aa", ""]),
        Sample(#"^[ab]{1,2}\d+x$"#, in: ["a1x", "bb22x"], not: ["x", "1x", "abb1x"]),
    ])
    func `repetitions are counted`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample("^[abc]$", in: ["a", "c"], not: ["d", "", "ab"]),
        Sample("^[a-cx-z]$", in: ["a", "b", "c", "y"], not: ["d", "w", "-"]),
        Sample("^[^a-c]$", in: ["d", "-", "é", "\n"], not: ["a", "b", "c", ""]),
        Sample("^[-a]$", in: ["-", "a"], not: ["b"]),
        Sample("^[a-]$", in: ["-", "a"], not: ["b"]),
        Sample("^[a^]$", in: ["^", "a"], not: ["b"]),
        Sample("^[.$*(){|}?+[/]$", in: [".", "$", "[", "/", "}"], not: ["a", "]"]),
        Sample(#"^[\]\\\-]$"#, in: ["]", #"\"#, "-"], not: ["["]),
        Sample(#"^[\b]$"#, in: ["\u{8}"], not: ["b"]),
        Sample(#"^[\d_a-f]$"#, in: ["7", "_", "f"], not: ["g", "٣"]),
        Sample(#"^[^\s\w]$"#, in: ["!", "é"], not: [" ", "a", "\u{3000}"]),
        Sample("^[à-ü]$", in: ["é"], not: ["e", "ÿ"]),
        Sample("^[b-db-cz-za]$", in: ["a", "b", "c", "d", "z"], not: ["e", "y"]),
        Sample(#"^[\u{1F600}-\u{1F64F}]$"#, in: ["😀", "🙏"], not: ["💩"]),
        Sample(#"^\d$"#, in: ["0", "9"], not: ["a", "٣", "３"]),
        Sample(#"^\D$"#, in: ["a", "٣"], not: ["0"]),
        Sample(#"^\w$"#, in: ["a", "Z", "0", "_"], not: ["-", "é"]),
        Sample(#"^\W$"#, in: ["-", "é"], not: ["a", "_"]),
        Sample(#"^\s$"#, in: [" ", "\t", "\u{A0}", "\u{FEFF}", "\u{2028}"], not: ["a", "\u{85}"]),
        Sample(#"^\S$"#, in: ["a", "\u{200B}"], not: [" ", "\u{3000}"]),
    ])
    func `classes hold what they list`(sample: Sample) throws {
        try check(sample)
    }

    @Test(arguments: [
        Sample(#"^\t\n\v\f\r\0$"#, in: ["\t\n\u{B}\u{C}\r\0"], not: ["tnvfr0"]),
        Sample(#"^\x41\u0042\u{43}\u{00044}$"#, in: ["ABCD"], not: ["abcd"]),
        Sample(#"^\uD83D\uDCA9$"#, in: ["💩"], not: [""]),
        Sample(#"^\cJ\cj$"#, in: ["\n\n"], not: ["JJ"]),
        Sample(#"^\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/$"#, in: [#"^$\.*+?()[]{}|/"#], not: [""]),
        Sample(##"^\-\@\!\"\#$"##, in: [##"-@!"#"##], not: [""]),
        Sample(#"\bab\b"#, in: ["ab", "x ab.", "éabé"], not: ["xab", "ab1", "a b"]),
        Sample(#"a\B."#, in: ["ab"], not: ["a b", "a"]),
        Sample(#"^\b"#, in: ["a"], not: ["", " a"]),
        Sample(#"^\B$"#, in: [""], not: ["a", " a"]),
    ])
    func `escapes stand for what they name`(sample: Sample) throws {
        try check(sample)
    }

    private func check(_ sample: Sample) throws {
        let pattern = try Pattern(sample.pattern)
        expect(pattern.source, equals: sample.pattern)
        for text in sample.found { expect(pattern.isFound(in: text), "\(text.debugDescription)") }
        for text in sample.missing {
            expect(!pattern.isFound(in: text), "\(text.debugDescription)")
        }
    }

    @Test func `a rule asks for a pattern`() throws {
        let rule: Rule<String> = try .pattern("^[a-z]+$")
        expect(rule.issues(for: "abc"), equals: [])
        expect(rule.issues(for: nil), equals: [])
        expect(
            rule.issues(for: "abc\n"),
            equals: [
                Issue(
                    code: "pattern",
                    message: "has an invalid format",
                    parameters: ["pattern": "^[a-z]+$"]
                )
            ]
        )
        expect(rule.constraint, equals: .pattern("^[a-z]+$"))
    }

    @Test func `a rule of a pattern has its own words`() throws {
        let plate = try Pattern("^[A-Z]+$")
        let rule: Rule<String> = .pattern(plate, code: "plate", message: "must be a plate")
        let issue = try #require(rule.issues(for: "a").first)
        expect(issue.code, equals: "plate")
        expect(issue.message, equals: "must be a plate")
    }

    @Test func `rules say what they demand in patterns that are patterns`() throws {
        for text in ["+4/9", ".com", "a{b}", #"[\]"#, "é"] {
            for rule in [Rule<String>.hasPrefix(text), .hasSuffix(text), .contains(text), .digits] {
                guard case .pattern(let source) = rule.constraint else { continue }
                let pattern = try Pattern(source)
                for other in ["", "1", text, "1" + text, text + "1"] {
                    expect(pattern.isFound(in: other), equals: rule.issues(for: other).isEmpty)
                }
            }
        }
    }

    @Test func `a rule demands a pattern without escapes that ECMA-262 refuses`() throws {
        let source = #"^\-\@[\-\!a\]\-]\-\.\/\u{41}\\\-[[]\d$"#
        let rule = try Rule<String>.pattern(source)
        let portable = #"^-@[\-!a\]\-]-\.\/\u{41}\\-[[]\d$"#
        expect(rule.constraint, equals: .pattern(portable))
        expect(rule.issues(for: "").first?.parameters, equals: ["pattern": .string(source)])
        let pattern = try Pattern(portable)
        for text in [#"-@!-./A\-[7"#, #"-@]-./A\-[7"#, #"-@--./A\-[7"#] {
            expect(rule.isValid(value: text) && pattern.isFound(in: text))
        }
    }

    @Test func `a rule trusts a regular expression of Swift`() {
        let rule: Rule<String> = .pattern(trusted: /^(?i)[a-z]+$/)
        expect(rule.issues(for: "aBc"), equals: [])
        expect(
            rule.issues(for: "a1"),
            equals: [Issue(code: "pattern", message: "has an invalid format")]
        )
        expect(rule.constraint, equals: .opaque)
        let captures: Rule<String> = .pattern(trusted: /(\d)(?=x)/, code: "x", message: "is bad")
        expect(captures.issues(for: "a1x"), equals: [])
        expect(captures.issues(for: "a1"), equals: [Issue(code: "x", message: "is bad")])
    }
}
