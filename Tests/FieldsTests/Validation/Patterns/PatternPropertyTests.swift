import ModelKitFields
import TestSupport
import Testing

/// Patterns made at random, each against Swift's own matcher of regular expressions.
///
/// Without `\b`: for Swift's a digit is no part of a word.
struct PatternPropertyTests {
    private func pattern(_ depth: Int, _ random: inout SplitMix) -> String {
        let atoms = [
            "a", "b", "é", ".", "[ab]", "[^a]", "[a-c]", #"\d"#, #"\W"#, #"\x61"#, "1", " ",
        ]
        guard depth > 0 else { return atoms.randomElement(using: &random) ?? "" }
        let inner = { (random: inout SplitMix) in pattern(depth - 1, &random) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return atoms.randomElement(using: &random) ?? ""
        case 1: return "^" + inner(&random)
        case 2: return inner(&random) + "$"
        case 3, 4, 5: return inner(&random) + inner(&random)
        case 6: return "(" + inner(&random) + "|" + inner(&random) + ")"
        case 7: return "(?:" + inner(&random) + "|" + inner(&random) + ")"
        default:
            let counts = [
                "*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}", "*?", "+?", "??", "{1,2}?",
            ]
            return "(?:" + inner(&random) + ")" + (counts.randomElement(using: &random) ?? "")
        }
    }

    /// In long texts by another way than in short ones.
    @Test func `a pattern is found in a long text where it is found in the middle of a short one`()
        throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        var found = 0
        for _ in 0..<1_000 {
            let source = pattern(Int.random(in: 0...4, using: &random), &random)
            let pattern = try Pattern(source)
            let middle = (0..<Int.random(in: 0...12, using: &random)).reduce(into: "") { text, _ in
                text += ["a", "b", "é", "1", " ", "漢"].randomElement(using: &random) ?? ""
            }
            let filler = ["\n", "#", "a", "ab", "漢é"].randomElement(using: &random) ?? ""
            // Fewer than 512 bytes, and more characters than a pattern here counts.
            let short = String(repeating: filler, count: 45)
            // As many more as patterns here count in steps of.
            let long = String(repeating: filler, count: 45 + 600)
            let expected = pattern.isFound(in: short + middle + short)
            if expected { found += 1 }
            guard pattern.isFound(in: long + middle + long) == expected else {
                expect(
                    Bool(false),
                    "seed \(seed): \(source) in \((filler + middle).debugDescription)"
                )
                return
            }
        }
        expect(200...900 ~= found, "seed \(seed)")
    }

    @Test func `a pattern is found where Swift finds it`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        var found = 0
        for _ in 0..<1_500 {
            let source = pattern(Int.random(in: 0...4, using: &random), &random)
            let pattern = try Pattern(source)
            let peer = try Regex(source).matchingSemantics(.unicodeScalar)
                .asciiOnlyCharacterClasses()
            for _ in 0..<6 {
                let count = Int.random(in: 0...6, using: &random)
                let text = (0..<count).reduce(into: "") { text, _ in
                    text += ["a", "b", "é", "1", " "].randomElement(using: &random) ?? ""
                }
                let expected = try peer.firstMatch(in: text) != nil
                if expected { found += 1 }
                guard pattern.isFound(in: text) == expected else {
                    expect(Bool(false), "seed \(seed): \(source) in \(text.debugDescription)")
                    return
                }
            }
        }
        expect(1_000...8_000 ~= found, "seed \(seed)")
    }
}
