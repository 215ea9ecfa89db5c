import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONDepthTests {
    private func arrays(_ depth: Int) -> Data {
        Data(repeating: UInt8(ascii: "["), count: depth)
            + Data(repeating: UInt8(ascii: "]"), count: depth)
    }

    @Test(arguments: [1, 511, 512])
    func `what is nested up to the limit is read and written on a small stack`(_ depth: Int) {
        let json = arrays(depth)
        let written = Collector<Data>()
        onSmallStack {
            if let value = try? AttributeValue(json: json), let data = try? value.jsonData() {
                written.add(data)
            }
        }
        expect(written.values, equals: [json])
    }

    @Test func `objects are nested like arrays`() throws {
        let json = Data(
            (String(repeating: #"{"a":["#, count: 256) + String(repeating: "]}", count: 256)).utf8
        )
        try expect(AttributeValue(json: json).jsonData(), equals: json)
        #expect(throws: ImportError.self) {
            try AttributeValue(json: Data("[".utf8) + json + Data("]".utf8))
        }
    }

    @Test(arguments: [513, 1_000_000])
    func `what is nested deeper is refused on a small stack`(_ depth: Int) {
        let json = arrays(depth)
        let errors = Collector<String>()
        onSmallStack {
            do {
                _ = try AttributeValue(json: json)
            } catch {
                errors.add("\(error)")
            }
        }
        expect(
            errors.values,
            equals: [
                "is not JSON: it is nested deeper than 512 levels at byte 512 (line 1, column 513)"
            ]
        )
    }

    @Test func `what is nested deeper is not written`() {
        var value: AttributeValue = 1
        for _ in 0..<512 { value = [value] }
        #expect(throws: Never.self) { try value.jsonData() }
        value = ["a": value]
        let issue = Issue(
            code: "json",
            path: FieldPath([.key("a")] + Array(repeating: .index(0), count: 511)),
            message: "cannot be written as JSON: it is nested deeper than 512 levels"
        )
        #expect(throws: ImportError(issues: [issue])) { try value.jsonData() }
    }

    @Test func `the place of an issue is found on a small stack, however deep it is`() {
        let (start, end) = (String(repeating: #"{"child":"#, count: 500), "}")
        let json = Data((start + #"{"id":"x"}"# + String(repeating: end, count: 500)).utf8)
        let places = Collector<JSONPlace?>()
        onSmallStack {
            do throws(ImportError) {
                _ = try Item(json: json)
            } catch {
                places.add(error.places.first ?? nil)
            }
        }
        expect(places.values.map { $0?.byte }, equals: [start.utf8.count + 6])
        expect(places.values.first??.path.components.count, equals: 501)
    }

    @Test(arguments: [(#"{"child":"#, "}"), ("[", "]")])
    func `what is nested up to the limit is described and compared on a small stack`(
        _ bracket: (String, String)
    ) throws {
        let json = Data(
            (String(repeating: bracket.0, count: 511) + "{}"
                + String(repeating: bracket.1, count: 511)).utf8
        )
        let value = try AttributeValue(json: json)
        let same = try AttributeValue(json: json)
        let seen = Collector<String>()
        onSmallStack {
            seen.add(value.description)
            seen.add("\(value == same) \(value.hashValue == same.hashValue)")
        }
        expect(seen.values.first?.prefix(2), equals: (bracket.0 == "[" ? "[[" : "[\""))
        expect(seen.values.first?.suffix(3), equals: "]]]")
        expect(seen.values.last, equals: "true true")
    }

    @Test func `a model that is nested up to the limit is described on a small stack`() throws {
        let (start, end) = (String(repeating: #"{"child":"#, count: 500), "}")
        let item = try Item(
            json: Data((start + #"{"id":7}"# + String(repeating: end, count: 500)).utf8)
        )
        let seen = Collector<String>()
        onSmallStack { seen.add("\(item)") }
        expect(seen.values.first?.contains(#""id": 7"#), equals: true)
    }

    @Test func `siblings do not count as depth`() throws {
        let json = Data(
            ("[" + Array(repeating: "[{}]", count: 2_000).joined(separator: ",") + "]").utf8
        )
        try expect(AttributeValue(json: json).jsonData(), equals: json)
    }

    @Test(arguments: [(#"{"child":"#, "}"), ("[", "]")])
    func `what is nested up to the limit is compared as JSON, and handed over, on a small stack`(
        _ bracket: (String, String)
    ) throws {
        let json = Data(
            (String(repeating: bracket.0, count: 510) + "{}"
                + String(repeating: bracket.1, count: 510)).utf8
        )
        let value = try AttributeValue(json: json)
        let pair = AttributeValue.array([value, try AttributeValue(json: json)])
        let rule = try Rule(jsonSchema: ["uniqueItems": true])
        let seen = Collector<String>()
        onSmallStack {
            seen.add("\(rule.issues(for: pair).count)")
            seen.add(value.anyValue is [Any] ? "array" : "dictionary")
            seen.add("\(["a": value].anyDictionary.count)")
        }
        expect(seen.values, equals: ["1", bracket.0 == "[" ? "array" : "dictionary", "1"])
    }
}
