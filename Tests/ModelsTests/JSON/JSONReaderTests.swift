import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONReaderTests {
    static let structures: [JSONText] = [
        JSONText("null", .null),
        JSONText("true", .bool(true)),
        JSONText("false", .bool(false)),
        JSONText("[]", .array([])),
        JSONText("{}", .dictionary([:])),
        JSONText("[[]]", .array([.array([])])),
        JSONText("[{}]", .array([.dictionary([:])])),
        JSONText("[[],[[]],{}]", .array([.array([]), .array([.array([])]), .dictionary([:])])),
        JSONText("[null]", .array([.null])),
        JSONText("[1,\"a\",true,null]", .array([.int(1), .string("a"), .bool(true), .null])),
        JSONText(" \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", .array([.int(1), .int(2)])),
        JSONText(" { \"a\" : 1 , \"b\" : 2 } ", .dictionary(["a": .int(1), "b": .int(2)])),
        JSONText("{\"a\":{\"b\":{\"c\":[]}}}", ["a": ["b": ["c": []]]]),
        JSONText("{\"\":0}", .dictionary(["": .int(0)])),
        JSONText("{\"a\":1,\"a\":2}", .dictionary(["a": .int(2)])),
        JSONText("{\"a\":1,\"b\":3,\"a\":{},\"a\":2}", ["a": 2, "b": 3]),
        JSONText("{\"a\":[1,{\"a\":2}],\"b\":[]}", ["a": [1, ["a": 2]], "b": []]),
        JSONText("{\"\\u0061\":1}", .dictionary(["a": .int(1)])),
        JSONText("{\"a.b\":1,\"a b\":2,\"a\\\"b\":3}", ["a.b": 1, "a b": 2, "a\"b": 3]),
        JSONText("\u{FEFF}[1]", .array([.int(1)])),
        JSONText("\u{FEFF} null", .null),
    ]

    static let strings: [JSONText] = [
        JSONText("\"\"", .string("")),
        JSONText("\" \"", .string(" ")),
        JSONText("\"abc\"", .string("abc")),
        JSONText("\"seven..\"", .string("seven..")),
        JSONText("\"eight...\"", .string("eight...")),
        JSONText("\"fifteen bytes..\"", .string("fifteen bytes..")),
        JSONText("\"sixteen bytes...\"", .string("sixteen bytes...")),
        JSONText("\"a/b\"", .string("a/b")),
        JSONText("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", .string("\"\\/\u{8}\u{C}\n\r\t")),
        JSONText("\"a\\nb\"", .string("a\nb")),
        JSONText("\"\\n\"", .string("\n")),
        JSONText(
            "\"plain text, then \\n and more plain text\"",
            "plain text, then \n and more plain text"
        ),
        JSONText("\"\\u0000\"", .string("\0")),
        JSONText("\"\\u001F\\u001f\"", .string("\u{1F}\u{1F}")),
        JSONText("\"\\u00e9\\u20AC\"", .string("é€")),
        JSONText("\"\\ud83d\\ude00\"", .string("😀")),
        JSONText("\"\\uD800\\uDC00\"", .string("\u{10000}")),
        JSONText("\"\\uDBFF\\uDFFF\"", .string("\u{10FFFF}")),
        JSONText("\"\\uD7FF\\uE000\\uFFFF\"", .string("\u{D7FF}\u{E000}\u{FFFF}")),
        JSONText("\"\\\\ud83d\"", .string("\\ud83d")),
        JSONText("\"é€😀\"", .string("é€😀")),
        JSONText("\"e\u{301}\"", .string("e\u{301}")),
        JSONText("\"é\\n😀\\t€\"", .string("é\n😀\t€")),
        JSONText(
            "\"\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\"",
            .string("\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}")
        ),
        JSONText("\"\u{FFFD}\u{FFFE}\u{10FFFF}\"", .string("\u{FFFD}\u{FFFE}\u{10FFFF}")),
        JSONText("{\"ключ\":\"значение\"}", ["ключ": "значение"]),
        JSONText("\"2026-11-21T09:30:00Z\"", .string("2026-11-21T09:30:00Z")),
    ]

    @Test(arguments: structures + strings)
    func `a valid text is read`(_ text: JSONText) throws {
        let value = try AttributeValue(json: Data(text.bytes))
        expect(value.isIdentical(to: text.value), "\(value)")
    }

    static let badStructures: [BadJSONText] = [
        BadJSONText("", "the text is empty", at: 0),
        BadJSONText("  ", "the text is empty", at: 2),
        BadJSONText("\u{FEFF}", "the text is empty at byte 3 (line 1, column 1)"),
        BadJSONText("x", "expected a value, found 'x'", at: 0),
        BadJSONText("{\"id\": x}", "expected a value, found 'x'", at: 7),
        BadJSONText("nul", "expected a value, found 'n'", at: 0),
        BadJSONText("True", "expected a value, found 'T'", at: 0),
        BadJSONText("tru]", "expected a value, found 't'", at: 0),
        BadJSONText("NaN", "expected a value, found 'N'", at: 0),
        BadJSONText("[Infinity]", "expected a value, found 'I'", at: 1),
        BadJSONText("truex", "expected the end of the text, found 'x'", at: 4),
        BadJSONText("null null", "expected the end of the text, found 'n'", at: 5),
        BadJSONText("[1]]", "expected the end of the text, found ']'", at: 3),
        BadJSONText("{}}", "expected the end of the text, found '}'", at: 2),
        BadJSONText("1,", "expected the end of the text, found ','", at: 1),
        BadJSONText("\"a\"\"b\"", "expected the end of the text, found '\"'", at: 3),
        BadJSONText("[1]\0", "expected the end of the text, found U+0000", at: 3),
        BadJSONText("[", "expected a value, found the end of the text", at: 1),
        BadJSONText("[1", "expected ',' or ']', found the end of the text", at: 2),
        BadJSONText("[1,", "expected a value, found the end of the text", at: 3),
        BadJSONText("[1,]", "expected a value, found ']'", at: 3),
        BadJSONText("[,1]", "expected a value, found ','", at: 1),
        BadJSONText("[1,,2]", "expected a value, found ','", at: 3),
        BadJSONText("[1 2]", "expected ',' or ']', found '2'", at: 3),
        BadJSONText("[1}", "expected ',' or ']', found '}'", at: 2),
        BadJSONText("[1:2]", "expected ',' or ']', found ':'", at: 2),
        BadJSONText("]", "expected a value, found ']'", at: 0),
        BadJSONText("{", "expected a key in quotes, found the end of the text", at: 1),
        BadJSONText("{,}", "expected a key in quotes, found ','", at: 1),
        BadJSONText("{1:2}", "expected a key in quotes, found '1'", at: 1),
        BadJSONText("{a:1}", "expected a key in quotes, found 'a'", at: 1),
        BadJSONText("{'a':1}", "expected a key in quotes, found '''", at: 1),
        BadJSONText("{null:1}", "expected a key in quotes, found 'n'", at: 1),
        BadJSONText("{\"a\"", "expected ':', found the end of the text", at: 4),
        BadJSONText("{\"a\" 1}", "expected ':', found '1'", at: 5),
        BadJSONText("{\"a\",1}", "expected ':', found ','", at: 4),
        BadJSONText("{\"a\":", "expected a value, found the end of the text", at: 5),
        BadJSONText("{\"a\":}", "expected a value, found '}'", at: 5),
        BadJSONText("{\"a\":1", "expected ',' or '}', found the end of the text", at: 6),
        BadJSONText("{\"a\":1]", "expected ',' or '}', found ']'", at: 6),
        BadJSONText("{\"a\":1,}", "expected a key in quotes, found '}'", at: 7),
        BadJSONText("{\"a\":1 \"b\":2}", "expected ',' or '}', found '\"'", at: 7),
        BadJSONText("{\"a\"::1}", "expected a value, found ':'", at: 5),
        BadJSONText("[1] // one", "expected the end of the text, found '/'", at: 4),
        BadJSONText("/* */ 1", "expected a value, found '/'", at: 0),
        BadJSONText("[\u{A0}1]", "expected a value, found U+00A0", at: 1),
        BadJSONText("[\u{B}1]", "expected a value, found U+000B", at: 1),
        BadJSONText("[\u{C}]", "expected a value, found U+000C", at: 1),
        BadJSONText("[\u{FEFF}]", "expected a value, found U+FEFF", at: 1),
        BadJSONText(
            "\u{FEFF}\u{FEFF}1",
            "expected a value, found U+FEFF at byte 3 (line 1, column 1)"
        ),
        BadJSONText("é", "expected a value, found U+00E9", at: 0),
        BadJSONText([0xFF], "expected a value, found the byte 0xFF at byte 0 (line 1, column 1)"),
        BadJSONText(
            [0xEF, 0xBB, 0x31],
            "expected a value, found the byte 0xEF at byte 0 (line 1, column 1)"
        ),
        BadJSONText(
            [0xFF, 0xFE, 0x31, 0x00],
            "expected a value, found the byte 0xFF at byte 0 (line 1, column 1)"
        ),
        BadJSONText("1\0", "expected the end of the text, found U+0000", at: 1),
    ]

    static let badStrings: [BadJSONText] = [
        BadJSONText("\"", "a string without a closing quote", at: 0),
        BadJSONText("[\"abc", "a string without a closing quote", at: 1),
        BadJSONText("[\"abcdefgh", "a string without a closing quote", at: 1),
        BadJSONText("[\"a\\n", "a string without a closing quote", at: 1),
        BadJSONText("{\"a", "a string without a closing quote", at: 1),
        BadJSONText("\"\\\"", "a string without a closing quote", at: 0),
        BadJSONText("\"ab\\", "an escape without an end", at: 3),
        BadJSONText("'a'", "expected a value, found '''", at: 0),
        BadJSONText("\"a\nb\"", "the control character U+000A in a string", at: 2),
        BadJSONText("\"a\tb\"", "the control character U+0009 in a string", at: 2),
        BadJSONText("\"\0\"", "the control character U+0000 in a string", at: 1),
        BadJSONText("\"1234567\u{1F}\"", "the control character U+001F in a string", at: 8),
        BadJSONText("\"\\n12345678\u{1}\"", "the control character U+0001 in a string", at: 11),
        BadJSONText("\"\\x41\"", "an unknown escape", at: 1),
        BadJSONText("\"\\a\"", "an unknown escape", at: 1),
        BadJSONText("\"\\N\"", "an unknown escape", at: 1),
        BadJSONText("\"\\'\"", "an unknown escape", at: 1),
        BadJSONText("\"\\\u{1F600}\"", "an unknown escape", at: 1),
        BadJSONText("\"\\\n\"", "an unknown escape", at: 1),
        BadJSONText("\"\\u\"", #"an escape \u without four hexadecimal digits"#, at: 1),
        BadJSONText("\"\\u12\"", #"an escape \u without four hexadecimal digits"#, at: 1),
        BadJSONText("\"\\u123", #"an escape \u without four hexadecimal digits"#, at: 1),
        BadJSONText("\"\\u123g\"", #"an escape \u without four hexadecimal digits"#, at: 1),
        BadJSONText("\"\\u+123\"", #"an escape \u without four hexadecimal digits"#, at: 1),
        BadJSONText("\"\\U0041\"", "an unknown escape", at: 1),
        BadJSONText("\"\\ud800\"", #"a surrogate \ud800 without its other half"#, at: 1),
        BadJSONText("\"ab\\uDC00\"", #"a surrogate \udc00 without its other half"#, at: 3),
        BadJSONText("\"\\ud800\\ud800\"", #"a surrogate \ud800 without its other half"#, at: 1),
        BadJSONText("\"\\ud800\\n\"", #"a surrogate \ud800 without its other half"#, at: 1),
        BadJSONText("\"\\ud800x\"", #"a surrogate \ud800 without its other half"#, at: 1),
        BadJSONText("\"\\udfff\\ud800\"", #"a surrogate \udfff without its other half"#, at: 1),
        BadJSONText("\"\\ud83d\\ude0\"", #"a surrogate \ud83d without its other half"#, at: 1),
        BadJSONText("{\"\\ud800\":1}", #"a surrogate \ud800 without its other half"#, at: 2),
    ]

    static let badUTF8: [BadJSONText] = [
        // A continuation byte alone, and a lead byte without one.
        BadJSONText(invalidUTF8: [0x80], at: 0),
        BadJSONText(invalidUTF8: [0x61, 0xBF, 0x61], at: 1),
        BadJSONText(invalidUTF8: [0xC3], at: 0),
        BadJSONText(invalidUTF8: [0xC3, 0x28], at: 0),
        BadJSONText(invalidUTF8: [0xE2, 0x82], at: 0),
        BadJSONText(invalidUTF8: [0xE2, 0x28, 0xA1], at: 0),
        BadJSONText(invalidUTF8: [0xF0, 0x9F, 0x98], at: 0),
        // Longer than need be.
        BadJSONText(invalidUTF8: [0xC0, 0x80], at: 0),
        BadJSONText(invalidUTF8: [0xC1, 0xBF], at: 0),
        BadJSONText(invalidUTF8: [0xE0, 0x80, 0xAF], at: 0),
        BadJSONText(invalidUTF8: [0xF0, 0x80, 0x80, 0xAF], at: 0),
        // A surrogate, and beyond Unicode.
        BadJSONText(invalidUTF8: [0xED, 0xA0, 0x80], at: 0),
        BadJSONText(invalidUTF8: [0xF4, 0x90, 0x80, 0x80], at: 0),
        BadJSONText(invalidUTF8: [0xF5], at: 0),
        BadJSONText(invalidUTF8: [0xFE], at: 0),
        BadJSONText(invalidUTF8: [0xFF], at: 0),
        // After what is valid, and beside an escape.
        BadJSONText(
            invalidUTF8: [0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xFF],
            at: 9
        ),
        BadJSONText(invalidUTF8: [0xC3, 0xA9, 0xFF], at: 2),
        BadJSONText(invalidUTF8: [0x5C, 0x6E, 0xFF], at: 2),
        BadJSONText(invalidUTF8: [0xFF, 0x5C, 0x6E], at: 0),
        BadJSONText(invalidUTF8: [0xC3, 0x5C, 0x6E, 0xA9], at: 0),
        // As many bytes as what it would be mended to, and beside that itself.
        BadJSONText(invalidUTF8: [0xF0, 0x90, 0x80, 0x61], at: 0),
        BadJSONText(invalidUTF8: [0xEF, 0xBF, 0xBD, 0xF0, 0x90, 0x80], at: 3),
    ]

    static let badPlaces: [BadJSONText] = [
        BadJSONText(
            "{\n  \"a\": 1,\n  \"b\": x\n}",
            "expected a value, found 'x' at byte 19 (line 3, column 8)"
        ),
        BadJSONText("[\r\n1\r\n2]", "expected ',' or ']', found '2' at byte 6 (line 3, column 1)"),
        BadJSONText(
            "[\n",
            "expected a value, found the end of the text at byte 2 (line 2, column 1)"
        ),
        BadJSONText("[\"é€😀\", x]", "expected a value, found 'x' at byte 14 (line 1, column 9)"),
        BadJSONText("\u{FEFF}[x]", "expected a value, found 'x' at byte 4 (line 1, column 2)"),
        BadJSONText("\u{FEFF}\n[x]", "expected a value, found 'x' at byte 5 (line 2, column 2)"),
    ]

    @Test(arguments: badStructures + badStrings + badUTF8 + badPlaces)
    func `a text that is not valid is refused with the place`(_ text: BadJSONText) {
        let issue = Issue(code: "json", message: "is not JSON: \(text.error)")
        #expect(throws: ImportError(issues: [issue])) {
            try AttributeValue(json: Data(text.bytes))
        }
    }

    @Test func `every beginning of a text is refused and not read beyond its end`() throws {
        let text =
            #"{"a": [1, -2.5e3, "é\n\ud83d\ude00", true, false, null], "longer key": {"": {}}}"#
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try AttributeValue(json: Data(bytes)) }
        for count in 0..<bytes.count {
            // Its own allocation, so that the address sanitizer sees a read beyond it.
            #expect(throws: ImportError.self) { try AttributeValue(json: Data(bytes[..<count])) }
        }
    }

    @Test func `a text with any byte changed is read or refused`() {
        withSeed { random in
            let text =
                #"{"a": [1, -2.5e3, "é\n\ud83d\ude00", true], "b": {"c": 12345678901234567890}}"#
            for _ in 0..<5_000 {
                var bytes = Array(text.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                        in: 0...255,
                        using: &random
                    )
                }
                // What is read is a value that can be written, and read again.
                guard let value = try? AttributeValue(json: Data(bytes)) else { continue }
                let again = try? AttributeValue(json: value.jsonData())
                expect(
                    again?.isIdentical(to: value) ?? false,
                    "\(String(decoding: bytes, as: UTF8.self))"
                )
            }
        }
    }

    @Test func `data that does not begin at its buffer's start is read`() throws {
        let data = Data("xx[1, 2]yy".utf8)
        try expect(AttributeValue(json: data[2..<8]), equals: [1, 2])
    }

    @Test func `a string of a megabyte is read and written`() throws {
        for (unit, count) in [("a", 1 << 20), ("é", 1 << 19), ("\n", 1 << 16), ("😀\u{1}", 1 << 16)]
        {
            let text = String(repeating: unit, count: count)
            let json = try AttributeValue.string(text).jsonData()
            try expect(AttributeValue(json: json), equals: .string(text))
        }
    }

    @Test func `keys that are canonically equivalent are one and the last counts`() throws {
        let value = try AttributeValue(json: Data("{\"e\u{301}\": 1, \"é\": 2}".utf8))
        expect(value, equals: ["é": 2])
    }
}
