import ModelKitFields
import TestSupport
import Testing

struct UnicodePropertyTests {
    @Test(
        arguments: [
            (
                #"^\p{Letter}+$"#, ["Ab", "é", "漢字", "ß", "ʰ", "ǅ"],
                ["1", "a1", "", "_", "\u{301}"]
            ),
            (#"^\p{L}$"#, ["a", "Ω", "א"], ["1", " ", "Ⅷ"]),
            (#"^\p{Lu}$"#, ["A", "É"], ["a", "ǅ", "1"]),
            (#"^\p{Uppercase_Letter}$"#, ["A"], ["a"]),
            (#"^\p{gc=Ll}\p{General_Category=Lowercase_Letter}$"#, ["aß"], ["aB", "Ab"]),
            (#"^\p{LC}\p{Cased_Letter}$"#, ["aB", "ǅa"], ["a漢", "1a"]),
            (#"^\p{Nd}+\p{digit}$"#, ["12", "٣4"], ["½1", "1a", "Ⅷ1"]),
            (#"^\p{N}$"#, ["1", "½", "Ⅷ"], ["a"]),
            (#"^\p{P}\p{punct}\p{Punctuation}$"#, ["-_!", "«»…"], ["a-!", "+-!"]),
            (#"^\p{S}$"#, ["+", "€", "😀", "^"], ["-", "a"]),
            (#"^\p{Z}$"#, [" ", "\u{3000}", "\u{2028}"], ["\t", "a"]),
            (#"^\p{M}\p{Combining_Mark}$"#, ["\u{301}\u{903}", "\u{488}\u{301}"], ["a\u{301}"]),
            (#"^\p{C}\p{Other}$"#, ["\t\u{200B}", "\u{E000}\u{378}"], ["a\t"]),
            (#"^\p{cntrl}$"#, ["\t", "\u{85}"], [" ", "\u{200B}"]),
            (#"^\p{Cn}$"#, ["\u{378}"], ["a", "\u{E000}"]),
            (#"^\P{L}$"#, ["1", "\u{301}", "😀"], ["a", "漢"]),
            (#"^[\p{L}\d _-]+$"#, ["é 1_-", "漢"], ["a!", ""]),
            (#"^[^\p{L}\P{ASCII}]+$"#, ["1! "], ["a", "é", "½"]),
            (#"^\p{Alphabetic}\p{Alpha}$"#, ["aⅧ", "Ⓐé"], ["a1"]),
            (#"^\p{White_Space}\p{space}$"#, ["\t\u{85}", " \u{3000}"], [" \u{FEFF}", " a"]),
            (#"^\p{ASCII}$"#, ["\0", "\u{7F}"], ["\u{80}", "é"]),
            (#"^\p{Any}$"#, ["a", "\n", "\u{10FFFF}", "\u{378}"], ["", "ab"]),
            (#"^\p{Assigned}$"#, ["a", "\u{E000}"], ["\u{378}"]),
            (#"^\p{Uppercase}\p{Lowercase}$"#, ["Aa", "Ⓐª"], ["aA"]),
            (#"^\p{Upper}\p{Lower}$"#, ["Ⅷⅷ"], ["1a"]),
            (#"^\p{Emoji}$"#, ["😀", "1", "#"], ["a"]),
        ] as [(String, [String], [String])]
    )
    func `a property of Unicode is a class`(
        source: String,
        found: [String],
        missing: [String]
    ) throws {
        let pattern = try Pattern(source)
        for text in found { expect(pattern.isFound(in: text), "\(text)") }
        for text in missing { expect(!pattern.isFound(in: text), "\(text)") }
    }

    @Test func `a class of many properties is no greater than what is in it`() throws {
        let many = try Pattern("^[" + String(repeating: #"\p{L}"#, count: 2_000) + "]+$")
        let isFound = [many.isFound(in: "aé漢"), many.isFound(in: "a1")]
        expect(isFound, equals: [true, false])
        let long = try Pattern("^" + String(repeating: #"\p{L}?"#, count: 700) + "1$")
        let letters = String(repeating: "a", count: 600)
        // Apart, as a pattern is long to print.
        let found = [long.isFound(in: letters + "1"), long.isFound(in: letters)]
        expect(found, equals: [true, false])
    }

    @Test func `the categories are those of the standard library, and each scalar has one`() throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        let names = [
            "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
            "Pe",
            "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co",
            "Cn",
        ]
        let patterns = try names.map { (name: $0, pattern: try Pattern("^\\p{\($0)}$")) }
        let groups = try "LMNPSZC".map { (name: $0, pattern: try Pattern("^\\p{\($0)}$")) }
        for _ in 0..<3_000 {
            let limit: UInt32 = Bool.random(using: &random) ? 0x3000 : 0x10FFFF
            guard let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) else {
                continue
            }
            let text = String(Character(scalar))
            let found = patterns.filter { $0.pattern.isFound(in: text) }.map(\.name)
            expect(found.count, equals: 1, "seed \(seed): \(scalar.value)")
            let group = groups.filter { $0.pattern.isFound(in: text) }.map { "\($0.name)" }
            expect(group, equals: found.map { "\($0.prefix(1))" }, "seed \(seed): \(scalar.value)")
            let isLetter =
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                    .otherLetter:
                    true
                default: false
                }
            expect(isLetter, equals: (group == ["L"]), "seed \(seed): \(scalar.value)")
        }
    }

    @Test func `a long text is looked through as a short one is`() throws {
        let pattern = try Pattern(#"^[\p{L}\p{M} ]+$"#)
        let text = String(repeating: "héllo wörld e\u{301} 漢字 ", count: 2_000)
        expect(pattern.isFound(in: text))
        expect(!pattern.isFound(in: text + "1"))
    }

    @Test func `a constraint has it as it was written`() throws {
        let rule: Rule<String> = try .pattern(#"^[\p{L}\P{gc=Nd}]\-$"#)
        expect(rule.constraint, equals: .pattern(#"^[\p{L}\P{gc=Nd}]-$"#))
    }
}
