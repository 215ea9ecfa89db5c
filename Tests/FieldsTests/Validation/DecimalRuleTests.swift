import Foundation
import ModelKitFields
import TestSupport
import Testing

struct DecimalRuleTests {
    @Test(arguments: [
        ("0.3", "0.1", true), ("0.35", "0.1", false), ("-0.15", "0.05", true), ("0", "7", true),
        ("7", "0", false), ("0", "0", true), ("12", "-4", true), ("1e100", "3", false),
        ("3e100", "3", true), ("1e100", "1e-20", true), ("1e-20", "1e100", false),
        ("99999999999999999999999999999999999999", "3", true),
        ("99999999999999999999999999999999999998", "3", false),
        (
            "0.00000000000000000000000000000000000003", "0.00000000000000000000000000000000000002",
            false
        ),
        ("1e127", "1e-128", true), ("1e-128", "1e127", false),
    ])
    func `a multiple is exact`(value: String, divisor: String, isMultiple: Bool) throws {
        let value = try #require(Decimal(string: value))
        let rule = Rule<Decimal>.multipleOf(try #require(Decimal(string: divisor)))
        expect(rule.isValid(value: value), equals: isMultiple)
    }

    @Test func `a random product is a multiple, and one more is none`() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SplitMix(seed: seed)
        for _ in 0..<500 {
            let scale = Decimal(
                sign: .plus,
                exponent: .random(in: -30...30, using: &random),
                significand: 1
            )
            let factor = Int.random(in: 2...1_000_000, using: &random)
            let product =
                Decimal(factor) * Decimal(Int.random(in: -1_000_000...1_000_000, using: &random))
            let rule = Rule<Decimal>.multipleOf(Decimal(factor) * scale)
            expect(rule.isValid(value: product * scale), "seed \(seed)")
            expect(!rule.isValid(value: (product + 1) * scale), "seed \(seed)")
        }
    }

    @Test func `the message names the divisor, and a whole number is one`() {
        expect(
            Rule<Decimal>.multipleOf(5).issues(for: 7).map(\.description),
            equals: ["must be a multiple of 5"]
        )
        let whole = Rule<Decimal>.integer
        for value: Decimal in [0, -3, 12e3] { expect(whole.isValid(value: value)) }
        for value in [Decimal(string: "0.5")!, .nan, Decimal(string: "-12.0001")!] {  // constants
            expect(
                whole.issues(for: value),
                equals: [Issue(code: "integer", message: "must be a whole number")]
            )
        }
        expect(!Rule<Decimal>.multipleOf(.nan).isValid(value: 1))
    }
}
