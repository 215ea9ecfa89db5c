import ModelKitFields
import TestSupport
import Testing

struct LengthUnitTests {
    /// A family of three joined by two joiners: what it is long in each unit.
    private static let family = "👨‍👩‍👧"

    @Test(arguments: [
        (TextUnit.characters, 1, ""), (.scalars, 5, " Unicode scalars"),
        (.utf16, 8, " UTF-16 units"), (.utf8, 18, " bytes"),
    ])
    func `a family is long in its unit`(unit: TextUnit, length: Int, plural: String) {
        let text = Self.family
        expect(Rule<String>.length(length, in: unit).issues(for: text), equals: [])
        expect(Rule<String>.minLength(length, in: unit).issues(for: text), equals: [])
        expect(Rule<String>.maxLength(length, in: unit).issues(for: text), equals: [])
        expect(Rule<String>.length(length...(length + 1), in: unit).issues(for: text), equals: [])
        let more = Rule<String>.minLength(length + 1, in: unit).issues(for: text)
        expect(
            more.map(\.message),
            equals: ["length must be greater than or equal to \(length + 1)\(plural)"]
        )
        let less = Rule<String>.maxLength(length - 1, in: unit).issues(for: text)
        expect(
            less.map(\.message),
            equals: ["length must be less than or equal to \(length - 1)\(plural)"]
        )
        let name: [String: AttributeValue] =
            unit == .characters ? [:] : ["unit": .string(unit.rawValue)]
        expect(
            less.map(\.parameters),
            equals: [name.merging(["max": .int(Int64(length - 1))]) { $1 }]
        )
        expect(less.map(\.code), equals: ["maxLength"])
        expect(
            Rule<String>.length(2...4, in: unit).constraint,
            equals: .all([.minLength(2, in: unit), .maxLength(4, in: unit)])
        )
    }

    @Test func `the counting agrees with the views of a text`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        let pieces = ["a", "é", "e\u{301}", "\r\n", "🇩🇪", "\u{200D}", "👩", "\u{7FF}", "\u{FFFD}"]
        for _ in 0..<1_000 {
            let count = Int.random(in: 0..<8, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let lengths: [TextUnit: Int] = [
                .characters: text.count, .scalars: text.unicodeScalars.count,
                .utf16: text.utf16.count, .utf8: text.utf8.count,
            ]
            for (unit, length) in lengths {
                for limit in -1..<(length + 3) {
                    expect(
                        text.isLonger(than: limit, in: unit),
                        equals: (length > limit),
                        "seed \(seed), \(text.debugDescription), \(unit)"
                    )
                }
            }
        }
    }

    @Test(arguments: TextUnit.allCases)
    func `absurd lengths trap in no unit`(unit: TextUnit) {
        expect(Rule<String>.minLength(.min, in: unit).isValid(value: ""))
        expect(!Rule<String>.minLength(.max, in: unit).isValid(value: "abc"))
        expect(!Rule<String>.maxLength(.min, in: unit).isValid(value: ""))
        expect(Rule<String>.maxLength(.max, in: unit).isValid(value: "abc"))
        expect(!Rule<String>.length(..<Int.min, in: unit).isValid(value: ""))
    }
}
