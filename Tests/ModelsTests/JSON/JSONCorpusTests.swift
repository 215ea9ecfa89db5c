import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Texts at the edges of RFC 8259, each read in every way that there is: they all judge alike.
@Suite struct JSONCorpusTests {
    final class Holder: Model {
        let any = Field<AttributeValue>()
    }

    static let accepted: [String] = [
        "0", "-0", "-0.0", "0e0", "0E+1", "1e-400", "0.1", "1.0", "123456789012345678",
        "9223372036854775807", "-9223372036854775808", "1e22", "1.7976931348623157e308", "5e-324",
        "2.2250738585072011e-308", "18446744073709551616", "-1.5e-7", "1E9",
        "\"\"", "\"\\u0000\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\uD834\\uDD1E\"", "\"\u{7F}\"",
        "\"\u{2028}\u{2029}\"", "\"\u{10FFFF}\"", "\"\\u2028\"", "\"\\uFFFF\"", "\"/\"", "\"'\"",
        "\"\\u005C\"", "\"\\u0022\"", "\"\\\\u0022\"", "\"e\u{301}\"", "\"\u{FEFF}\"",
        "[]", "[ ]", "[\t\n\r ]", "[[]]", "[[],[]]", "[1,2]", "[ 1 , 2 ]", "[null,true,false]",
        "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", "{}", "{ }", "{\"\":\"\"}", "{\"a\":{\"a\":{\"a\":1}}}",
        "{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":[{\"c\":null}]}", "{\"\\u0061\":1}", "true", "null",
        "{\"\u{E9}\":1}", "{\"k\":\"v\"\n}", "\t1", "1\n",
    ]

    static let refused: [String] = [
        "", " ", "-", "+1", "01", "-01", "00", "0x1", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1e-",
        "1E", "1ee1", "1e1.5", "1e5e", "0.", "--1", "1-", "1+1", "1_000", "1,0", "1f", "NaN", "nan",
        "Infinity", "-Infinity",
        "inf", "\u{FF11}", "1 2", "\"", "\"a", "\"\\\"", "\"\\x41\"", "\"\\a\"", "\"\\u\"",
        "\"\\u12\"",
        "\"\\u12G4\"", "\"\\U0041\"", "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\u0041\"",
        "\"\\uD800x\"", "\"\\uDC00\\uD800\"", "\"\\uD800\\uD800\"", "\"\\'\"", "\"\t\"", "\"\n\"",
        "\"\u{0}\"", "\"\u{1F}\"", "'a'", "\u{201C}a\u{201D}", "\"a\"b\"", "\"\\", "\"\\u{41}\"",
        "\"\\\u{0}\"",
        "[", "]", "[1", "[1,", "[,", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[1;2]", "[1:2]", "[1}",
        "[\"a\"",
        "[\"a\",", "[[]", "[]]", "[1]x", "[*]", "[-]", "[\u{0B}1]", "[1\u{A0}]", "{", "}", "{]",
        "{1:1}",
        "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}", "{\"a\":1,,\"b\":2}",
        "{\"a\" 1}", "{\"a\"::1}", "{\"a\",1}", "{\"a\":1 \"b\":2}", "{\"a\":1;\"b\":2}",
        "{\"a\":1",
        "{\"a\":1}}", "{\"a\":1]", "{null:1}", "{\"a\":1}#", "{[]:1}", "tru", "truE", "TRUE", "nul",
        "nulL",
        "fals", "truefalse", "true false", "undefined", "//", "1//", "/**/1", "#", "1#", "\\n",
        "\u{2060}1",
    ]

    /// Numbers that are JSON, but no value has.
    static let wide = ["1e309", "-1e999", "18446744073709551615", "-9223372036854775809"]

    /// Bytes that are not UTF-8, in a string.
    static let refusedBytes: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x22], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xE2, 0x82],
        [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE],
        [0xFF],
        [0xF0, 0x9F, 0x98], [0x61, 0xE9, 0x62],
    ]

    @Test(arguments: accepted)
    func `a text that is JSON is taken in every way`(text: String) throws {
        let value = try AttributeValue(json: Data(text.utf8))
        try expect(AttributeValue(json: value.jsonData()).isIdentical(to: value))
        for isKnown in [true, false] {
            let json = Self.holders(of: Data(text.utf8), isKnown: isKnown)
            let values = try [Holder](json: json).map(\.any.value)
            let expected = isKnown ? value : AttributeValue?.none
            expect(values, equals: [expected, nil])
            try expect(Self.streamed(json).map(\.any.value), equals: values)
        }
    }

    @Test(arguments: refused)
    func `a text that is none is refused in every way`(text: String) {
        refuse(Data(text.utf8))
    }

    @Test(arguments: wide)
    func `a number that is too wide is refused where it is read, and skipped elsewhere`(
        text: String
    ) throws {
        refuse(Data(text.utf8), where: [true])
        let json = Self.holders(of: Data("[\(text)]".utf8), isKnown: false)
        try expect([Holder](json: json).map(\.any.value), equals: [nil, nil])
        try expect(Self.streamed(json).map(\.any.value), equals: [nil, nil])
    }

    @Test(arguments: refusedBytes)
    func `bytes that are no UTF-8 are refused in every way`(bytes: [UInt8]) {
        let quote: [UInt8] = [UInt8(ascii: "\"")]
        refuse(Data(quote + bytes + quote))
        refuse(Data([UInt8(ascii: "{")] + quote + bytes + quote + Array(":1}".utf8)))
    }

    private func refuse(_ json: Data, where places: [Bool] = [true, false]) {
        #expect(throws: ImportError.self) { try AttributeValue(json: json) }
        for isKnown in places {
            let json = Self.holders(of: json, isKnown: isKnown)
            let whole = Result { try [Holder](json: json) }
            let parts = Result { try Self.streamed(json) }
            guard case .failure(let error) = whole, case .failure(let other) = parts else {
                Issue.record("it was taken")
                return
            }
            expect(error as? ImportError, equals: other as? ImportError)
        }
    }

    private static func holders(of json: Data, isKnown: Bool) -> Data {
        Data("[{\"\(isKnown ? "any" : "other")\": ".utf8) + json + Data("}, {}]".utf8)
    }

    /// Reads byte by byte.
    private static func streamed(_ json: Data) throws -> [Holder] {
        var reader = ModelArrayReader<Holder>()
        var holders: [Holder] = []
        for byte in json { holders += try reader.read(Data([byte])) }
        try reader.finish()
        return holders
    }
}
