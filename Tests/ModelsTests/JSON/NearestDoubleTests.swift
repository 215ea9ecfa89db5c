import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private class Reading: ModelObject, @unchecked Sendable {
    let number = Field<Double>()
    let list = Field<Double>()*
    let float = Field<Float>()
    let map = Field<[String: Double]>()
    let deep = Field<Double>(key: ["deep", "number"])
    let part = ModelField<Reading>()
    let any = Field<AttributeValue>()
    let whole = Field<Int>()
}

private final class Plain: Model {
    let number = Field<Double>()
    let list = Field<Double>()*
}

/// Doubles that writers of JSON spell as integers, with zeros for digits that a double has not.
@Suite struct NearestDoubleTests {
    static let spellings = [
        "9007199254740993", "1152921504606847000", "-1152921504606847000", "9223372036854775807",
        "9223372036854775809", "18446744073709551615", "-9223372036854775809",
        "123456789012345680000", "12345678901234567890123", "123456789012345678901234567890",
        "1" + String(repeating: "0", count: 308), "496281269272338200.0", "4.962812692723382e17",
    ]

    enum Way: CaseIterable {
        case model, object, twice, array, stream, read, coder
    }

    private func values(of text: String, _ way: Way) throws -> [Double?] {
        let json = Data(
            #"""
            {"number": \#(text), "list": [1, \#(text)], "map": {"a": \#(text)},
            "deep": {"number": \#(text)}, "part": {"number": \#(text)}}
            """#.utf8
        )
        func values(_ reading: Reading) -> [Double?] {
            [
                reading.number.value, reading.list[1], reading.map.value?["a"], reading.deep.value,
                reading.part.value?.number.value,
            ]
        }
        switch way {
        case .model:
            let plain = try Plain(json: json)
            return [plain.number.value, plain.list[1]]
        case .object: return values(try Reading(json: json))
        case .twice:
            return values(try Reading(json: Data(#"{"number": 0, "#.utf8) + json.dropFirst()))
        case .array:
            let models = try [Reading](json: Data("[{}, ".utf8) + json + Data("]".utf8))
            return models.last.map(values) ?? []
        case .stream:
            var reader = ModelArrayReader<Plain>()
            let models = try reader.read(Data("[".utf8) + json + Data("]".utf8))
            try reader.finish()
            return models.flatMap { [$0.number.value, $0.list[1]] }
        case .read:
            let reading = Reading()
            try reading.read(json: json)
            return values(reading)
        case .coder: return values(try JSONDecoder().decode(Reading.self, from: json))
        }
    }

    @Test(arguments: spellings, Way.allCases)
    func `a number is the nearest double, however it is spelled`(text: String, way: Way) throws {
        let expected = try #require(Double(text))
        let values = try values(of: text, way)
        expect(!values.isEmpty && values.allSatisfy { $0 == expected }, "\(values)")
    }

    @Test func `a Float is the nearest one, within its range`() throws {
        let far = "1" + String(repeating: "0", count: 39)
        for text in ["16777217", "12345678901234567890123"] {
            let reading = try Reading(json: Data(#"{"float": \#(text)}"#.utf8))
            expect(reading.float.value, equals: Float(text))
        }
        let error = #expect(throws: ImportError.self) {
            try Reading(json: Data(#"{"float": \#(far)}"#.utf8))
        }
        expect(
            error?.description.hasPrefix("float 1e+39 is out of the range of Float"),
            equals: true
        )
    }

    @Test(arguments: [
        ("whole", "0.5"), ("whole", "1e19"),
        ("whole", "9223372036854775809"), ("whole", "-9223372036854775809"),
        ("any", "12345678901234567890123"),
    ])
    func `what would lose digits elsewhere is refused`(field: String, number: String) {
        let json = Data(#"{"\#(field)": \#(number)}"#.utf8)
        #expect(throws: ImportError.self) { try Reading(json: json) }
    }

    @Test func `100 000 doubles are read as they were, from each writer's spelling`() throws {
        try withSeed { random in
            for _ in 0..<100 {
                let numbers = (0..<1_000).map { index in
                    index % 2 == 0
                        ? Double(UInt64.random(in: 1 << 53...1 << 63, using: &random))
                        : Self.double(&random)
                }
                let script = "[" + numbers.map(Self.script).joined(separator: ",") + "]"
                let foundation = String(decoding: try JSONEncoder().encode(numbers), as: UTF8.self)
                for text in [script, foundation] {
                    let json = Data(#"{"list": \#(text)}"#.utf8)
                    for values in [
                        try Plain(json: json).list.value,
                        try JSONDecoder().decode(Plain.self, from: json).list.value,
                    ] {
                        let wrong = zip(values ?? [], numbers).filter { $0.0 != $0.1 }
                        expect(values?.count == numbers.count && wrong.isEmpty, "\(wrong)")
                    }
                }
            }
        }
    }

    /// A finite double of any bits.
    private static func double(_ random: inout some RandomNumberGenerator) -> Double {
        while true {
            let double = Double(bitPattern: random.next())
            if double.isFinite { return double }
        }
    }

    /// What JavaScript's `JSON.stringify` writes (ECMA-262, Number::toString).
    private static func script(_ number: Double) -> String {
        if number == 0 { return "0" }
        let parts = "\(number.magnitude)".split(separator: "e")
        let point = parts[0].split(separator: ".")
        var digits = point.joined()
        var place = point[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
        while digits.hasPrefix("0") {
            digits.removeFirst()
            place -= 1
        }
        let zeros = { String(repeating: "0", count: $0) }
        let text =
            switch place {
            case digits.count...21: digits + zeros(place - digits.count)
            case 1...21: "\(digits.prefix(place)).\(digits.dropFirst(place))"
            case -5...0: "0." + zeros(-place) + digits
            default:
                "\(digits.prefix(1))\(digits.count > 1 ? "." : "")\(digits.dropFirst())"
                    + "e\(place > 0 ? "+" : "")\(place - 1)"
            }
        return (number < 0 ? "-" : "") + text
    }
}
