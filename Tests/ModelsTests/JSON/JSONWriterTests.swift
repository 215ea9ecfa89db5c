import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    static let values: [JSONText] = [
        JSONText("null", .null),
        JSONText("true", .bool(true)),
        JSONText("false", .bool(false)),
        JSONText("0", .int(0)),
        JSONText("-1", .int(-1)),
        JSONText("10", .int(10)),
        JSONText("9223372036854775807", .int(.max)),
        JSONText("-9223372036854775808", .int(.min)),
        JSONText("3.0", .double(3)),
        JSONText("-0.0", .double(-0.0)),
        JSONText("0.1", .double(0.1)),
        JSONText("1e+20", .double(1e20)),
        JSONText("5e-324", .double(.leastNonzeroMagnitude)),
        JSONText("1.7976931348623157e+308", .double(.greatestFiniteMagnitude)),
        JSONText("\"\"", .string("")),
        JSONText(#""a/b""#, .string("a/b")),
        JSONText(#""\"\\\b\f\n\r\t""#, .string("\"\\\u{8}\u{C}\n\r\t")),
        JSONText(#""\u0000\u000f\u0010\u001f""#, .string("\0\u{F}\u{10}\u{1F}")),
        JSONText("\"\u{7F}é\u{2028}😀\"", .string("\u{7F}é\u{2028}😀")),
        JSONText(
            #""a long plain text\n and another \"one\"""#,
            "a long plain text\n and another \"one\""
        ),
        JSONText(#""AAEC/w==""#, .data(Data([0, 1, 2, 255]))),
        JSONText(#""1970-01-01T00:00:01.500000Z""#, .date(Date(timeIntervalSince1970: 1.5))),
        JSONText("[]", []),
        JSONText("{}", [:]),
        JSONText("[[],{},[1]]", [[], [:], [1]]),
        JSONText(
            #"{"B":1,"a":{"c":2,"d":[]},"b":null}"#,
            ["b": nil, "a": ["d": [], "c": 2], "B": 1]
        ),
        // By Unicode scalars, not by UTF-16 units or canonical forms.
        JSONText(
            "{\"e\u{301}\":1,\"z\":2,\"éa\":3,\"\u{FFFF}\":4,\"😀\":5}",
            ["😀": 5, "\u{FFFF}": 4, "éa": 3, "z": 2, "e\u{301}": 1]
        ),
        JSONText("{\"\":1,\"\\\"\":2}", ["\"": 2, "": 1]),
    ]

    @Test(arguments: values)
    func `a value is written in its one form`(_ text: JSONText) throws {
        let json = try text.value.jsonData()
        expect(
            String(decoding: json, as: UTF8.self),
            equals: String(decoding: text.bytes, as: UTF8.self)
        )
    }

    @Test func `the form for people has a line for each element`() throws {
        let value: AttributeValue = [
            "name": "Ada", "none": [:], "nothing": [], "tags": ["red", ["deep": 1.0]],
        ]
        let json = try value.jsonData(isPretty: true)
        let expected = """
            {
              "name": "Ada",
              "none": {},
              "nothing": [],
              "tags": [
                "red",
                {
                  "deep": 1.0
                }
              ]
            }
            """
        expect(String(decoding: json, as: UTF8.self), equals: expected)
        try expect(AttributeValue(json: json), equals: value)
    }

    @Test func `numbers that are not finite are refused with their paths`() {
        let value: AttributeValue = [
            "a": [1, .double(.nan)], "b": ["c": .double(.infinity)], "d": .double(-.infinity),
        ]
        let issues = [
            Issue(code: "json", path: ["a", 1], message: "cannot be written as JSON: it is nan"),
            Issue(code: "json", path: ["b", "c"], message: "cannot be written as JSON: it is inf"),
            Issue(code: "json", path: ["d"], message: "cannot be written as JSON: it is -inf"),
        ]
        #expect(throws: ImportError(issues: issues)) { try value.jsonData() }
        #expect(throws: ImportError(issues: issues)) { try value.jsonData(isPretty: true) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `a date that no text can say is refused with its path`(seconds: Double) {
        let date = AttributeValue.date(Date(timeIntervalSince1970: seconds))
        let issue = Issue(
            code: "json",
            path: ["born"],
            message: "cannot be written as JSON: it is a date that is too far away"
        )
        #expect(throws: ImportError(issues: [issue])) {
            try AttributeValue.dictionary(["born": date]).jsonData()
        }
    }

    @Test func `a number alone that is not finite has no path`() {
        let issue = Issue(code: "json", message: "cannot be written as JSON: it is nan")
        #expect(throws: ImportError(issues: [issue])) {
            try AttributeValue.double(.nan).jsonData()
        }
    }

    @Test func `a model with a number that is not finite names the field`() {
        let person = Person()
        person.weight.value = .nan
        #expect {
            try person.jsonData()
        } throws: { error in
            "\(error)" == "weight cannot be written as JSON: it is nan"
        }
    }
}
