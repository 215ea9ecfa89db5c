import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONNumberTests {
    static let integers: [JSONText] = [
        JSONText("0", .int(0)),
        JSONText("-0", .int(0)),
        JSONText("7", .int(7)),
        JSONText("-12", .int(-12)),
        JSONText("1234567890123456789", .int(1_234_567_890_123_456_789)),
        JSONText("9223372036854775807", .int(.max)),
        JSONText("-9223372036854775808", .int(.min)),
        JSONText("-9223372036854775807", .int(-.max)),
        JSONText("9007199254740993", .int(9_007_199_254_740_993)),
        // Beyond 64 bits, but exact as doubles.
        JSONText("9223372036854775808", .double(0x1p63)),
        JSONText("-9223372036854777856", .double(-0x1.0000000000001p63)),
        JSONText("18446744073709551616", .double(0x1p64)),
        JSONText("100000000000000000000", .double(1e20)),
        JSONText("-1000000000000000000000", .double(-1e21)),
        JSONText("1267650600228229401496703205376", .double(0x1p100)),
        // As the shortest digits of a double.
        JSONText("9223372036854776000", .double(0x1p63)),
        JSONText("-15121249971120350000", .double(-1.512124997112035e19)),
        JSONText("123456789012345680000000000000", .double(1.2345678901234568e29)),
    ]

    static let doubles: [JSONText] = [
        JSONText("0.0", .double(0)),
        JSONText("-0.0", .double(-0.0)),
        JSONText("-0e0", .double(-0.0)),
        JSONText("0e99999999999999999999", .double(0)),
        JSONText("0.000e-5", .double(0)),
        JSONText("3.0", .double(3)),
        JSONText("1e0", .double(1)),
        JSONText("1E+2", .double(100)),
        JSONText("1e-2", .double(0.01)),
        JSONText("1e00002", .double(100)),
        JSONText("-2.50e3", .double(-2500)),
        JSONText("0.1", .double(0.1)),
        JSONText("123456.789", .double(123456.789)),
        JSONText("1e22", .double(1e22)),
        JSONText("1e23", .double(1e23)),
        JSONText("1e30", .double(1e30)),
        JSONText("1e-22", .double(1e-22)),
        JSONText("1e-23", .double(1e-23)),
        JSONText("3.141592653589793", .double(.pi)),
        JSONText("3.14159265358979323846264338327950288", .double(.pi)),
        JSONText("0.000000000000000000000000000000000001", .double(1e-36)),
        JSONText("100000000000000000000000000000.0", .double(1e29)),
        // Halfway between two doubles, and just beside that.
        JSONText("9007199254740993.0", .double(9007199254740992)),
        JSONText("9007199254740993.00000000000000000000000000001", .double(9007199254740994)),
        JSONText("9007199254740995.0", .double(9007199254740996)),
        JSONText("9007199254740993e0", .double(9007199254740992)),
        // The ends of the range.
        JSONText("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        JSONText("1.7976931348623158e308", .double(.greatestFiniteMagnitude)),
        JSONText("2.2250738585072014e-308", .double(.leastNormalMagnitude)),
        JSONText("2.2250738585072011e-308", .double(Double.leastNormalMagnitude.nextDown)),
        JSONText("5e-324", .double(.leastNonzeroMagnitude)),
        JSONText("2.4703282292062328e-324", .double(.leastNonzeroMagnitude)),
        JSONText("2.4703282292062327e-324", .double(0)),
        JSONText("-1e-400", .double(-0.0)),
        JSONText("1e-99999999999999999999", .double(0)),
    ]

    @Test(arguments: integers + doubles)
    func `a number is read exactly or rounded correctly`(_ text: JSONText) throws {
        let value = try AttributeValue(json: Data(text.bytes))
        expect(value.isIdentical(to: text.value), "\(value)")
    }

    static let bad: [BadJSONText] = [
        BadJSONText("-", "expected a digit, found the end of the text", at: 1),
        BadJSONText("[-]", "expected a digit, found ']'", at: 2),
        BadJSONText("+1", "expected a value, found '+'", at: 0),
        BadJSONText("--1", "expected a digit, found '-'", at: 1),
        BadJSONText("- 1", "expected a digit, found U+0020", at: 1),
        BadJSONText("01", "a number with a leading 0", at: 0),
        BadJSONText("[-012]", "a number with a leading 0", at: 2),
        BadJSONText("00.5", "a number with a leading 0", at: 0),
        BadJSONText(".5", "expected a value, found '.'", at: 0),
        BadJSONText("-.5", "expected a digit, found '.'", at: 1),
        BadJSONText("1.", "expected a digit, found the end of the text", at: 2),
        BadJSONText("[1.]", "expected a digit, found ']'", at: 3),
        BadJSONText("1.e5", "expected a digit, found 'e'", at: 2),
        BadJSONText("1e", "expected a digit, found the end of the text", at: 2),
        BadJSONText("1e+", "expected a digit, found the end of the text", at: 3),
        BadJSONText("1e-x", "expected a digit, found 'x'", at: 3),
        BadJSONText("1e+-2", "expected a digit, found '-'", at: 3),
        BadJSONText("1e1.5", "expected the end of the text, found '.'", at: 3),
        BadJSONText("1.2.3", "expected the end of the text, found '.'", at: 3),
        BadJSONText("0x1F", "expected the end of the text, found 'x'", at: 1),
        BadJSONText("1_000", "expected the end of the text, found '_'", at: 1),
        BadJSONText("1 000", "expected the end of the text, found '0'", at: 2),
        BadJSONText("-Infinity", "expected a digit, found 'I'", at: 1),
        BadJSONText("1a", "expected the end of the text, found 'a'", at: 1),
        BadJSONText("\u{FF11}", "expected a value, found U+FF11", at: 0),
    ]

    static let unkept: [BadJSONText] = [
        BadJSONText("1e309", "a number beyond the range of a double", at: 0),
        BadJSONText("[-1e400]", "a number beyond the range of a double", at: 1),
        BadJSONText("1e99999999999999999999", "a number beyond the range of a double", at: 0),
        BadJSONText("1.7976931348623159e308", "a number beyond the range of a double", at: 0),
        BadJSONText("9223372036854775809", wide, at: 0),
        BadJSONText("[-9223372036854775809]", wide, at: 1),
        BadJSONText("18446744073709551615", wide, at: 0),
        BadJSONText("9223372036854776001", wide, at: 0),
        BadJSONText("123456789012345678901234567890", wide, at: 0),
        BadJSONText("1" + String(repeating: "0", count: 400), wide, at: 0),
    ]

    static let wide = "an integer that fits neither 64 bits nor, exactly, a double"

    @Test(arguments: bad)
    func `a number that is not valid is refused with the place`(_ text: BadJSONText) {
        let issue = Issue(code: "json", message: "is not JSON: \(text.error)")
        #expect(throws: ImportError(issues: [issue])) {
            try AttributeValue(json: Data(text.bytes))
        }
    }

    @Test(arguments: unkept)
    func `a number that no value holds is refused with the place`(_ text: BadJSONText) {
        let issue = Issue(code: "json", message: "cannot be kept: \(text.error)")
        #expect(throws: ImportError(issues: [issue])) {
            try AttributeValue(json: Data(text.bytes))
        }
    }

    @Test func `a number of many digits is rounded correctly`() throws {
        let digits = String(repeating: "123456789", count: 10_000)
        try expect(
            AttributeValue(json: Data("0.\(digits)".utf8)),
            equals: .double(0.12345678912345678)
        )
        let zeros = String(repeating: "0", count: 100_000)
        try expect(AttributeValue(json: Data("0.\(zeros)1e100001".utf8)), equals: .double(1))
    }

    @Test func `an exponent of many digits counts whole beside a long fraction`() throws {
        for (zeros, exponent) in [(199_990, 2_000_001), (999_990, 1_000_000_001)] {
            let text = "0.\(String(repeating: "0", count: zeros))1e\(exponent)"
            let reason = "a number beyond the range of a double at byte 0 (line 1, column 1)"
            let issue = Issue(code: "json", message: "cannot be kept: \(reason)")
            #expect(throws: ImportError(issues: [issue])) {
                try AttributeValue(json: Data(text.utf8))
            }
        }
        let zeros = String(repeating: "0", count: 2_000_000)
        try expect(AttributeValue(json: Data("0.\(zeros)1e2000001".utf8)), equals: .double(1))
    }

    @Test func `doubles are read as Swift reads them`() throws {
        try withSeed { random in
            for _ in 0..<20_000 {
                let digits = (0..<Int.random(in: 1...22, using: &random))
                    .map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
                let whole = Int.random(in: 0...999, using: &random)
                let range = [5, 25, 340].randomElement(using: &random) ?? 5
                let exponent = Int.random(in: -range...range, using: &random)
                let text = "\(whole).\(digits)e\(exponent)"
                let double = try #require(Double(text))
                let value = try? AttributeValue(json: Data(text.utf8))
                expect(value, equals: (double.isFinite ? .double(double) : nil), "\(text)")
            }
        }
    }

    @Test func `doubles of any bits and those halfway between are read as Swift reads them`() throws
    {
        try withSeed { random in
            for _ in 0..<20_000 {
                let double = Double(bitPattern: random.next())
                guard double.isFinite else { continue }
                let json = try AttributeValue.double(double).jsonData()
                try expect(
                    AttributeValue(json: json).isIdentical(to: .double(double)),
                    "\(double)"
                )
                // A double of 53 bits and a half is an integer below 2^54.
                let halfway = (UInt64.random(in: 1 << 53..<1 << 54, using: &random) | 1)
                let scale = Int.random(in: 0...20, using: &random)
                let text =
                    "\(halfway).\(String(repeating: "0", count: scale))"
                    + ["0", "01", "9"][Int.random(in: 0..<3, using: &random)]
                let expected = try #require(Double(text))
                try expect(
                    AttributeValue(json: Data(text.utf8)),
                    equals: .double(expected),
                    "\(text)"
                )
            }
        }
    }

    final class Scale: Model {
        let weight = Field<Float>()
    }

    @Test(arguments: [0.1, 1.1, -3.3, 16_777_216, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func `a Float has the digits that it shows, and is read as itself`(number: Float) throws {
        let scale = Scale()
        scale.weight.value = number
        let value = try #require(scale.dictionaryValue()["weight"])
        expect(value, equals: .double(try #require(Double(number.description))))
        try expect(Scale(json: scale.jsonData()).weight.value, equals: number)
    }
}
