import ModelKitFields
import TestSupport
import Testing

/// Texts in other texts, by the equality of characters.
@Suite struct TextSearchTests {
    private static let pieces = [
        "a", "a", "b", "e", "\u{301}", "\u{E9}", "e\u{301}", "\r", "\n", "\r\n", "K", "\u{212A}",
        "🇩", "🇪", "👩", "\u{200D}", "\u{1100}", "\u{1161}", "\u{AC00}", ";", "\u{37E}",
    ]

    private static func text(_ length: Int, _ random: inout SplitMix) -> String {
        // Of few different pieces, so that parts are found now and then.
        let few = (0..<3).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        return (0..<length).map { _ in few[Int.random(in: 0..<3, using: &random)] }.joined()
    }

    @Test func `a text is found where characters of it stand side by side`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        var found = 0
        for _ in 0..<20_000 {
            let text = Self.text(Int.random(in: 0..<14, using: &random), &random)
            var part = Self.text(Int.random(in: 0..<4, using: &random), &random)
            if Bool.random(using: &random) {
                let characters = Array(text)
                let start = Int.random(in: 0...characters.count, using: &random)
                let end = Int.random(in: start...characters.count, using: &random)
                part = String(characters[start..<end])
            }
            let (all, some) = (Array(text), Array(part))
            let places = all.count < some.count ? 0..<0 : 0..<(all.count - some.count + 1)
            let isPart = places.contains { all[$0..<($0 + some.count)].elementsEqual(some) }
            let verdicts: [(rule: Rule<String>, expected: Bool, name: String)] = [
                (.contains(part), isPart, "contains"),
                (.contains(part), text.contains(part), "String.contains"),
                (.hasPrefix(part), all.starts(with: some), "prefix"),
                (.hasSuffix(part), all.reversed().starts(with: some.reversed()), "suffix"),
            ]
            for (rule, expected, name) in verdicts where rule.isValid(value: text) != expected {
                expect(
                    Bool(false),
                    "\(name): \(part.debugDescription) in \(text.debugDescription), seed \(seed)"
                )
                return
            }
            if isPart { found += 1 }
        }
        expect(found > 2_000, "seed \(seed)")
    }

    // The limit is for slow machines in debug builds: compared at every place it would be hours.
    @Test(.timeLimit(.minutes(10)), arguments: ["a", "é", "🇩🇪", "e\u{301}\u{302}"])
    func `a long text is searched as fast for a long part`(piece: String) {
        let run = String(repeating: piece, count: 100_000 / piece.utf8.count)
        let half = String(run.prefix(run.count / 2))
        expect(!Rule.contains(half + "b").isValid(value: run))
        expect(!Rule.contains("b" + half).isValid(value: run))
        expect(!Rule.contains(half + "b" + half).isValid(value: run + "c"))
        expect(Rule.contains(half + "b").isValid(value: run + "b"))
        expect(Rule.hasSuffix(half).isValid(value: run))
        expect(!Rule.hasSuffix("b" + half).isValid(value: run))
        expect(Rule.hasPrefix(half).isValid(value: run))
        expect(!Rule.hasPrefix(half + "b").isValid(value: run))
    }
}
