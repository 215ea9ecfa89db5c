import Foundation
import ModelKitFields
import TestSupport
import Testing

struct NumberParserTests {
    @Test(arguments: [
        ("0", 0), ("-0", 0), ("+5", 5), ("007", 7), ("-128", -128), ("127", 127),
        (String(repeating: "0", count: 10_000) + "1", 1),
    ])
    func `a whole number is read whole`(text: String, number: Int8) throws {
        #expect(try Parser<String, Int8>.integer.parse(text) == number)
    }

    @Test(arguments: [
        "", " ", "1 ", " 1", "+", "-", "--1", "+-1", "1.0", "1e3", "0x10", "1_000", "1,000", "½",
        "٣", "１", "NaN", "1\0", "1\n", "one",
    ])
    func `anything else is no whole number`(text: String) {
        #expect(Parser<String, Int8>.integer.issues(for: text).map(\.code) == ["integer"])
        #expect(Parser<String, UInt64>.integer.issues(for: text).map(\.code) == ["integer"])
    }

    @Test func `one beyond the limits is reported with the limit`() {
        func found<Number: FixedWidthInteger & Sendable>(
            _ type: Number.Type,
            _ text: String
        ) -> [Issue] {
            Parser<String, Number>.integer.issues(for: text)
        }
        expect(
            found(UInt8.self, "256"),
            equals: [
                Issue(
                    code: "max",
                    message: "must be less than or equal to 255",
                    parameters: ["max": 255]
                )
            ]
        )
        expect(
            found(UInt8.self, "-1"),
            equals: [
                Issue(
                    code: "min",
                    message: "must be greater than or equal to 0",
                    parameters: ["min": 0]
                )
            ]
        )
        expect(
            found(Int.self, "-99999999999999999999").first?.message,
            equals: "must be greater than or equal to -9223372036854775808"
        )
        expect(
            found(UInt64.self, "18446744073709551616"),
            equals: [
                Issue(
                    code: "max",
                    message: "must be less than or equal to 18446744073709551615",
                    parameters: ["max": "18446744073709551615"]
                )
            ]
        )
    }

    @Test(arguments: [
        ("0", 0), ("-12.5", -12.5), ("+.5", 0.5), ("1e3", 1000), ("1.5E-3", 0.0015),
        ("007.10", 7.1),
        ("9007199254740993", 9_007_199_254_740_992),
    ])
    func `a number is read as it is written`(text: String, number: Double) throws {
        #expect(try Parser<String, Double>.number.parse(text) == number)
        #expect(try Parser<String, Float>.number.parse(text) == Float(text))
        #expect(try Parser<String, Decimal>.decimal.parse(text) == Decimal(string: text))
    }

    @Test(arguments: [
        "", "nan", "NaN", "inf", "infinity", "-Infinity", "0x1p3", "0x10", "1.", ".", "e3", "1e",
        "1e+", "1 ", "1,5", "1.2.3", "--1", "1f", "1_0", "٣",
    ])
    func `what is no number is none`(text: String) {
        #expect(
            Parser<String, Double>.number.issues(for: text).map(\.message) == ["must be a number"]
        )
        #expect(Parser<String, Decimal>.decimal.issues(for: text).map(\.code) == ["number"])
    }

    @Test func `a number beyond the largest is reported as such`() {
        #expect(Parser<String, Double>.number.issues(for: "1e309").map(\.code) == ["max"])
        #expect(Parser<String, Double>.number.issues(for: "-1e309").map(\.code) == ["min"])
        #expect(Parser<String, Float>.number.issues(for: "1e39").map(\.code) == ["max"])
        #expect(Parser<String, Decimal>.decimal.issues(for: "1e166").map(\.code) == ["max"])
        #expect(Parser<String, Decimal>.decimal.issues(for: "-1e166").map(\.code) == ["min"])
        #expect(
            Parser<String, Decimal>.decimal.issues(for: "1e99999999999999999999").map(\.code)
                == ["max"]
        )
        #expect(
            Parser<String, Decimal>.decimal.issues(for: "1e-99999999999999999999").map(\.code)
                == ["precision"]
        )
    }

    @Test func `a decimal number is never rounded`() throws {
        let decimal = Parser<String, Decimal>.decimal
        let long = "0.12345678901234567890123456789012345678"
        try expect(decimal.parse(long).map { "\($0)" }, equals: long)
        expect(decimal.issues(for: long + "9").map(\.code), equals: ["precision"])
        try expect(decimal.parse(long + "000").map { "\($0)" }, equals: long)
        expect(decimal.issues(for: "1e-129").map(\.code), equals: ["precision"])
        try expect(
            decimal.parse("1e-128"),
            equals: Decimal(sign: .plus, exponent: -128, significand: 1)
        )
        try expect(
            decimal.parse("1e140"),
            equals: Decimal(string: "10000000000000e127")
        )
        try expect(decimal.parse("0e99999999999999999999"), equals: 0)
        expect(decimal.print(.nan), equals: nil)
    }

    @Test func `what is printed is read as the same`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(seed: seed)
        for _ in 0..<2_000 {
            let integer =
                Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
            let whole = Parser<String, Int64>.integer
            try expect(whole.parse(whole.print(integer)), equals: integer, "seed \(seed)")
            let double = Double(bitPattern: random.next())
            let number = Parser<String, Double>.number
            if double.isFinite {
                try expect(number.parse(number.print(double)), equals: double, "seed \(seed)")
            } else {
                expect(number.print(double), equals: nil, "seed \(seed)")
            }
            let exact = Decimal(
                sign: Bool.random(using: &random) ? .minus : .plus,
                exponent: Int.random(in: -100...100, using: &random),
                significand: Decimal(random.next() >> UInt64.random(in: 0..<64, using: &random))
            )
            let decimal = Parser<String, Decimal>.decimal
            try expect(decimal.parse(decimal.print(exact)), equals: exact, "seed \(seed): \(exact)")
        }
    }
}
