import ModelKitFields
import TestSupport
import Testing

struct PatternErrorTests {
    @Test(
        arguments: [
            (#"(a)\1"#, 3, .backReference), (#"\9"#, 0, .backReference),
            (#"(?<n>a)\k<n>"#, 7, .backReference), ("a(?=b)", 1, .lookAround),
            ("(?!b)", 0, .lookAround),
            ("(?<=b)", 0, .lookAround), ("é(?<!b)", 1, .lookAround), ("(?i)a", 0, .flags),
            ("(?i:a)", 0, .flags), ("(?-i:a)", 0, .flags),
            (#"\p{Script=Greek}"#, 0, .unicodeProperty),
            (#"[a\P{sc=Grek}]"#, 2, .unicodeProperty),
            (#"\p{letter}"#, 0, .unicodeProperty), (#"\p{}"#, 0, .unicodeProperty),
            (#"\p{gc=Alphabetic}"#, 0, .unicodeProperty), (#"\p{gc=}"#, 0, .unicodeProperty),
            (#"\p{gc=L=L}"#, 0, .unicodeProperty), (#"\pL"#, 0, .unknownEscape),
            (#"a\p{L"#, 1, .unknownEscape), (#"\p"#, 0, .unknownEscape),
            (#"[\p{L}-z]"#, 1, .rangeOfClass), (#"[\w-.]"#, 1, .rangeOfClass),
            (#"a\"#, 1, .unknownEscape),
            (#"\a"#, 0, .unknownEscape), (#"\é"#, 0, .unknownEscape), (#"\ "#, 0, .unknownEscape),
            (#"\A"#, 0, .unknownEscape), (#"\z"#, 0, .unknownEscape),
            (#"\01"#, 0, .unknownEscape), (#"\c1"#, 0, .unknownEscape),
            (#"\x4"#, 0, .unknownEscape),
            (#"\xg0"#, 0, .unknownEscape), (#"\u041"#, 0, .unknownEscape),
            (#"\u{}"#, 0, .unknownEscape), (#"\u{41"#, 0, .unknownEscape),
            (#"\u{110000}"#, 0, .unknownEscape), (#"\uD83D"#, 0, .unknownEscape),
            (#"\uDCA9"#, 0, .unknownEscape), (#"\uD83D\u0041"#, 0, .unknownEscape),
            (#"\u{D800}"#, 0, .unknownEscape), (#"[\1]"#, 1, .unknownEscape),
            (#"[\B]"#, 1, .unknownEscape), ("(?", 0, .unknownGroup), ("(?>a)", 0, .unknownGroup),
            ("(?P<n>a)", 0, .unknownGroup), ("(?<>a)", 0, .unknownGroup),
            ("(?<1>a)", 0, .unknownGroup), ("(?<n", 0, .unknownGroup), ("(?#a)", 0, .unknownGroup),
            ("a{", 1, .unescaped), ("a{b}", 1, .unescaped), ("{2}", 0, .unescaped),
            ("a{,2}", 1, .unescaped), ("a{2", 1, .unescaped), ("a{2,x}", 1, .unescaped),
            ("a}", 1, .unescaped), ("a]", 1, .unescaped), ("[[:alpha:]]", 10, .unescaped),
            ("*", 0, .nothingToRepeat), ("a|+", 2, .nothingToRepeat),
            ("(?:?)", 3, .nothingToRepeat),
            ("a**", 2, .nothingToRepeat), ("a++", 2, .nothingToRepeat),
            ("a???", 3, .nothingToRepeat),
            ("a{2}{3}", 4, .unescaped), ("^*", 1, .nothingToRepeat), ("$+", 1, .nothingToRepeat),
            (#"\b?"#, 2, .nothingToRepeat), ("a{3,2}", 1, .reversedRange),
            ("[z-a]", 1, .reversedRange), ("a[é-e]", 2, .reversedRange),
            (#"[\d-z]"#, 1, .rangeOfClass), (#"[a-\d]"#, 3, .rangeOfClass),
            ("[a", 0, .unclosedClass),
            ("a[", 1, .unclosedClass), ("[^", 0, .unclosedClass),
            ("[a-", 0, .unclosedClass), (#"[\]"#, 0, .unclosedClass), ("(a", 0, .unclosedGroup),
            ("(a)((b)", 3, .unclosedGroup), ("a)", 1, .unopenedGroup), (")(", 0, .unopenedGroup),
            ("a{10001}", 2, .tooLarge), ("a{0,99999999999999999999}", 4, .tooLarge),
            ("((a{1000}){1000}){1000}", 15, .tooLarge),
        ] as [(String, Int, PatternError.Reason)]
    )
    func `what a pattern cannot be is refused where it stands`(
        source: String,
        offset: Int,
        reason: PatternError.Reason
    ) throws {
        let error = PatternError(pattern: source, offset: offset, reason: reason)
        #expect(throws: error) { try Pattern(source) }
        #expect(throws: error) { try Rule<String>.pattern(source) }
    }

    @Test func `an error says what is refused and where`() {
        let error = PatternError(pattern: #"(a)\1"#, offset: 3, reason: .backReference)
        expect(
            error.description,
            equals: #"pattern "(a)\1" at 3: back-references are not supported"#
        )
        expect(error.errorDescription, equals: error.description)
    }

    @Test func `a pattern has at most 10 000 steps`() throws {
        let largest = try Pattern("^a{9998}")
        expect(largest.isFound(in: String(repeating: "a", count: 9998)))
        expect(!largest.isFound(in: String(repeating: "a", count: 9997)))
        #expect(throws: PatternError(pattern: "^a{9999}", offset: 7, reason: .tooLarge)) {
            // The last step, found, is one too many.
            try Pattern("^a{9999}")
        }
        let options = String(repeating: "a|", count: 5_000)
        #expect(throws: PatternError.self) { try Pattern(options) }
    }

    @Test func `no nesting is too deep`() throws {
        let depth = 100_000
        let open = String(repeating: "(", count: depth)
        let close = String(repeating: ")", count: depth)
        try expect(Pattern("^" + open + "a" + close + "$").isFound(in: "a"))
        #expect(throws: PatternError(pattern: open, offset: depth - 1, reason: .unclosedGroup)) {
            try Pattern(open)
        }
        let stars =
            "^" + String(repeating: "(", count: 2_000) + "a"
            + String(repeating: ")*", count: 2_000) + "$"
        try expect(Pattern(stars).isFound(in: "aaa"))
        try expect(!Pattern(stars).isFound(in: "aab"))
    }
}
