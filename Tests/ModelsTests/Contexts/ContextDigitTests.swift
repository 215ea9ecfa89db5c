import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Meter: Model {
    let number = Field<UInt64>()
    let numbers = Field<[UInt64]>()
    let named = Field<[String: [UInt64]]>()
    let balance = Field<Decimal>()
    let count = Field<Int>()
    let counts = Field<[Int]>()
    let readAt = Field<Date>()
    let dates = Field<[Date]>()
    let inner = ModelField<Meter>()
    let brief = ModelField<Meter>().transform(with: .fields(\.balance))
    let briefs = ModelField<Meter>().transform(with: .fields(\.balance))*
}

/// What contexts that give one type a form leave to all others.
@Suite struct ContextDigitTests {
    private static let seconds = {
        var context = ValueTransformerContext(name: "seconds")
        context.transform(Date.self, with: .epochSeconds)
        return context
    }()

    private static let hexadecimals = {
        var context = ValueTransformerContext(name: "hexadecimal")
        let transformer = FieldTransformer<Int>(
            export: { .string(String($0, radix: 16)) },
            import: { value throws(ModelKitFields.Issue) in
                guard case .string(let text) = value, let number = Int(text, radix: 16) else {
                    throw Issue(code: "type", message: "must be a hexadecimal number")
                }
                return number
            }
        )
        context.transform(Int.self, with: transformer)
        return context
    }()

    private static let digits = "12345678901234567890.123456789"
    private static let json = Data(
        #"""
        {"number": 18446744073709551615, "numbers": [18446744073709551615], "balance": \#(digits),
        "named": {"a": [18446744073709551615]}, "readAt": 60, "dates": [120],
        "inner": {"balance": \#(digits)},
        "brief": {"balance": \#(digits)}, "briefs": [{"balance": \#(digits)}]}
        """#.utf8
    )

    @Test func `wide numbers keep their digits where dates have a form`() throws {
        let decoder = JSONDecoder()
        decoder.userInfo[.valueTransformerContext] = Self.seconds
        for meter in [
            try Meter(json: Self.json, in: Self.seconds),
            try [Meter](json: Data("[".utf8) + Self.json + Data("]".utf8), in: Self.seconds)[0],
            try decoder.decode(Meter.self, from: Self.json),
        ] {
            expect(meter.number.value, equals: .max)
            expect(meter.numbers.value, equals: [.max])
            expect(meter.named.value, equals: ["a": [.max]])
            for other in [meter, meter.inner.value, meter.brief.value, meter.briefs[0]] {
                expect(other?.balance.value, equals: Decimal(string: Self.digits))
            }
            expect(meter.readAt.value, equals: Date(timeIntervalSince1970: 60))
            expect(meter.dates.value, equals: [Date(timeIntervalSince1970: 120)])
        }
    }

    // As a double it is 0.1, which loses the rest without a word; the other is refused as one.
    @Test(arguments: ["0.1000000000000000055", digits])
    func `models of which some fields are written keep the digits of numbers`(
        digits: String
    ) throws {
        let model = #"{"balance": \#(digits)}"#
        let json = Data(#"{"inner": \#(model), "brief": \#(model), "briefs": [\#(model)]}"#.utf8)
        for context in [.default, Self.seconds, Self.hexadecimals] {
            let meter = try Meter(json: json, in: context)
            for inner in [meter.inner.value, meter.brief.value, meter.briefs[0]] {
                expect(inner?.balance.value, equals: Decimal(string: digits))
            }
        }
    }

    @Test func `a coder's dates are as it was set up where integers have a form`() throws {
        var child = ValueTransformerContext(name: "child", parent: Self.hexadecimals)
        child.transform(Bool.self, with: Self.switching)
        let meter = Meter()
        meter.readAt.value = Date(timeIntervalSince1970: 60)
        meter.dates.value = [Date(timeIntervalSince1970: 120)]
        meter.count.value = 255
        meter.counts.value = [16]
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        for context in [Self.hexadecimals, child] {
            encoder.userInfo[.valueTransformerContext] = context
            decoder.userInfo[.valueTransformerContext] = context
            let json = try encoder.encode(meter)
            expect(
                String(decoding: json, as: UTF8.self),
                equals: #"{"briefs":[],"count":"ff","counts":["10"],"dates":[120],"readAt":60}"#
            )
            let copy = try decoder.decode(Meter.self, from: json)
            expect(copy.dictionaryValue(), equals: meter.dictionaryValue())
        }
    }

    private static let switching = FieldTransformer<Bool>(
        export: { $0 ? "on" : "off" },
        import: { $0 == "on" }
    )
}
