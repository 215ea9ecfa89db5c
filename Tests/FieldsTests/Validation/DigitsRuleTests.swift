import Foundation
import ModelKitFields
import TestSupport
import Testing

struct DigitsRuleTests {
    @Test(arguments: [
        (0, 0, 0), (-0.0, 0, 0), (1, 1, 0), (0.5, 0, 1), (0.05, 0, 2), (120, 3, 0), (12.5, 2, 1),
        (-12.5, 2, 1), (0.1 + 0.2, 0, 17), (1e-7, 0, 7), (1.25e-5, 0, 7), (1e22, 23, 0),
        (1.5e20, 21, 0), (100.001, 3, 3), (9_007_199_254_740_992, 16, 0), (19.99, 2, 2),
        (Double.leastNonzeroMagnitude, 0, 324), (Double.greatestFiniteMagnitude, 309, 0),
    ])
    func `a number has so many digits before the point and after it`(
        value: Double,
        integer: Int,
        fraction: Int
    ) {
        func passes(_ integer: Int, _ fraction: Int) -> Bool {
            Rule<Double>.digits(integer: integer, fraction: fraction).isValid(value: value)
        }
        expect(passes(integer, fraction))
        expect(passes(integer + 1, fraction + 1))
        if integer > 0 { expect(!passes(integer - 1, fraction)) }
        if fraction > 0 { expect(!passes(integer, fraction - 1)) }
    }

    @Test func `what is not finite has no digits`() {
        for value in [Double.nan, .infinity, -.infinity] {
            expect(!Rule<Double>.digits(integer: 400, fraction: 400).isValid(value: value))
        }
    }

    @Test func `the message names both`() {
        expect(
            Rule<Double>.digits(integer: 3, fraction: 2).issues(for: 1234),
            equals: [
                Issue(
                    code: "digits",
                    message: "must have at most 3 digits before the point and 2 after it",
                    parameters: ["integer": 3, "fraction": 2]
                )
            ]
        )
        expect(
            Rule<Double>.digits(integer: 3, fraction: 2).constraint,
            equals: .digits(integer: 3, fraction: 2)
        )
    }

    @Test func `integers, floats and decimals have digits, too`() {
        expect(Rule<Int>.digits(integer: 3).isValid(value: -999))
        expect(!Rule<Int>.digits(integer: 3).isValid(value: 1000))
        expect(Rule<Int>.digits(integer: 0).isValid(value: 0))
        expect(Rule<Int>.digits(integer: 19).isValid(value: .min))
        expect(!Rule<Int>.digits(integer: 18).isValid(value: .min))
        expect(!Rule<UInt8>.digits(integer: -1).isValid(value: 1))
        expect(Rule<Float>.digits(integer: 1, fraction: 1).isValid(value: 0.1))
        expect(!Rule<Float>.digits(integer: 1, fraction: 1).isValid(value: 0.25))
        expect(Rule<Decimal>.digits(integer: 2, fraction: 2).isValid(value: 12.5))
        expect(!Rule<Decimal>.digits(integer: 2, fraction: 0).isValid(value: 12.5))
        expect(!Rule<Decimal>.digits(integer: 9, fraction: 9).isValid(value: .nan))
        expect(Rule<Int>.digits(integer: 3).isValid(value: nil))
    }

    @Test func `they are those of the decimal number that is written`() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        for _ in 0..<2_000 {
            let integer = Int.random(in: 0...99_999, using: &random)
            let fraction = Int.random(in: 1...5, using: &random)
            let part = Int.random(in: 0..<100_000, using: &random)
            let decimals = String(String(100_000 + part).dropFirst().prefix(fraction))
            let text = "\(integer).\(decimals)"
            guard let value = Double(text) else { continue }
            let needed = decimals.reversed().drop { $0 == "0" }.count
            let digits = integer == 0 ? 0 : String(integer).count
            for limit in 0...6 {
                let rule = Rule<Double>.digits(integer: digits, fraction: limit)
                expect(
                    rule.isValid(value: value),
                    equals: (needed <= limit),
                    "seed \(seed): \(text)"
                )
            }
        }
    }
}
