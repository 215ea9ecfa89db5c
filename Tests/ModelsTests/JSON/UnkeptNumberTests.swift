import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private enum Level: Int, AttributeConvertible { case low, high }

private final class Part: Model {
    let id = Field<Int>()
    let size = Field<Int>()
}

private final class Thing: Model {
    let id = Field<String>()
    let count = Field<Int>()
    let small = Field<Int8>()
    let wide = Field<UInt64>()
    let weight = Field<Double>()
    let ratio = Field<Float>()
    let price = Field<Decimal>()
    let level = Field<Level>()
    let born = Field<Date>().transform(with: .epochSeconds)
    let isNew = Field<Bool>()
    let any = Field<AttributeValue>()
    let sizes = Field<Int>()*
    let tags = Field<String>()*
    let named = Field<[String: Double]>()
    let deep = Field<Double>(key: ["deep", "number"])
    let part = ModelField<Part>()
    let parts = ModelField<Part>()*
    let place = ModelField<Part>(foreignKey: true)
}

private final class Animal: ModelObject, @unchecked Sendable {
    let weight = Field<Double>()
}

private let wide = "99999999999999999999"
private let long = "123456789012345678901234567890123456789012"

/// Numbers that are JSON, but that no value can be.
@Suite struct UnkeptNumberTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let member: String
        let path: String
        let issue: String
        let code: String
        var testDescription: String { member }

        init(_ member: String, _ path: String, _ issue: String, code: String = "range") {
            (self.member, self.path, self.issue, self.code) = (member, path, issue, code)
        }
    }

    static let cases = [
        Case(#""count": \#(wide)"#, "count", "\(wide) is out of the range of Int"),
        Case(
            #""count": -9223372036854775809"#,
            "count",
            "-9223372036854775809 is out of the range of Int"
        ),
        Case(#""count": 1e400"#, "count", "1e400 is out of the range of Int"),
        Case(#""small": 1e400"#, "small", "1e400 is out of the range of Int8"),
        Case(#""wide": -\#(wide)"#, "wide", "-\(wide) is out of the range of UInt64"),
        Case(#""weight": -1e400"#, "weight", "-1e400 is out of the range of Double"),
        Case(#""ratio": 1e400"#, "ratio", "1e400 is out of the range of Float"),
        Case(#""price": \#(long)"#, "price", "\(long) is out of the range of Decimal"),
        Case(#""price": 1e400"#, "price", "1e400 is out of the range of Decimal"),
        Case(#""level": 1e400"#, "level", "1e400 is out of the range of Level"),
        Case(#""born": \#(wide)"#, "born", "\(wide) is out of the range of Date"),
        Case(#""isNew": 1e400"#, "isNew", "must be a boolean, not a number", code: "type"),
        Case(#""any": 1e400"#, "any", "1e400 is out of the range of AttributeValue"),
        Case(
            #""any": {"a": [1, 1e400]}"#,
            "any.a[1]",
            "1e400 is out of the range of AttributeValue"
        ),
        Case(#""sizes": [1, \#(wide)]"#, "sizes[1]", "\(wide) is out of the range of Int"),
        Case(#""tags": 1e400"#, "tags", "must be an array, not a number", code: "type"),
        Case(#""tags": ["a", 1e400]"#, "tags[1]", "must be a string, not a number", code: "type"),
        Case(#""named": {"a": 1e400}"#, "named.a", "1e400 is out of the range of Double"),
        Case(#""deep": {"number": 1e400}"#, "deep.number", "1e400 is out of the range of Double"),
        Case(#""part": {"size": 1e400}"#, "part.size", "1e400 is out of the range of Int"),
        Case(
            #""parts": [{"id": 1}, {"size": 1e400}]"#,
            "parts[1].size",
            "1e400 is out of the range of Int"
        ),
        Case(#""part": \#(wide)"#, "part", "must be a dictionary, not a number", code: "type"),
        Case(#""place": \#(wide)"#, "place", "\(wide) is out of the range of Int"),
        Case(#""id": 1e400"#, "id", "must be a string, not a number", code: "type"),
    ]

    static let ways = [JSONOptions(), JSONOptions(duplicateKeys: .refused)]

    /// Three elements, the second of which has a number that does not fit, and another value that does not.
    private static func array(_ member: String) -> (json: Data, byte: Int) {
        let before = #"[{"id": "a"}, {"level": true, "#
        let wrong =
            member.hasPrefix("\"level\"") ? before.replacing("level", with: "small") : before
        return (Data((wrong + member + #"}, {"id": "c"}]"#).utf8), wrong.utf8.count)
    }

    private static func expectIssues(_ error: ImportError, _ test: Case, _ prefix: String) {
        expect(error.issues.count, equals: 2)
        let issue = error.issues.first { $0.path.description == prefix + test.path }
        expect(issue?.code, equals: test.code, "\(error)")
        expect(issue?.message, equals: test.issue, "\(error)")
    }

    @Test(arguments: cases, ways)
    func `a number that fits nowhere refuses its element, and the next one follows`(
        test: Case,
        options: JSONOptions
    ) async throws {
        let (json, byte) = Self.array(test.member)
        var identifiers: [String?] = []
        for try await element in Thing.stream(json: json, options: options).elements {
            switch element.model {
            case .success(let thing): identifiers.append(thing.id.value)
            case .failure(let error):
                identifiers.append(nil)
                expect(element.path.description, equals: "[1]")
                Self.expectIssues(error, test, "")
                let place = error.places.compactMap(\.self).first {
                    $0.path.description == "[1]." + test.path
                }
                expect(place.map { $0.byte > byte } ?? false, "\(error.places)")
            }
        }
        expect(identifiers, equals: ["a", nil, "c"])
    }

    @Test(arguments: cases, ways)
    func `an array and a model say where a number fits nowhere`(
        test: Case,
        options: JSONOptions
    ) throws {
        let (json, _) = Self.array(test.member)
        let element = json.dropFirst(14).dropLast(14)
        let all = #expect(throws: ImportError.self) { try [Thing](json: json, options: options) }
        Self.expectIssues(try #require(all), test, "[1].")
        for one in [
            #expect(throws: ImportError.self) {
                try Thing(json: Data(element), options: options)
            },
            #expect(throws: ImportError.self) {
                try Thing().read(json: Data(element), options: options)
            },
            #expect(throws: ImportError.self) {
                try IdentityMap().use { try Thing(json: Data(element), options: options) }
            },
        ] { Self.expectIssues(try #require(one), test, "") }
    }

    @Test(arguments: cases, ways)
    func `a lenient import leaves out the number alone`(test: Case, options: JSONOptions) throws {
        let report = ImportReport()
        let things = try [Thing](
            json: Self.array(test.member).json,
            policy: .skipInvalid(report),
            options: options
        )
        expect(things.map(\.id.value), equals: ["a", nil, "c"])
        expect(things[1].dictionaryValue()["weight"], equals: nil)
        expect(things[1].count.value, equals: nil)
        expect(report.issues.count, equals: 2)
        expect(things[1].sizes.value, equals: test.path.hasPrefix("sizes") ? [1] : [])
    }

    @Test(arguments: ways)
    func `where nobody reads it, or it is not the last value of its key, a number is skipped`(
        options: JSONOptions
    ) throws {
        let text = #"{"count": 3, "other": [1e400, {"a": \#(wide)}]}"#
        try expect(Thing(json: Data(text.utf8), options: options).count.value, equals: 3)
        if options.duplicateKeys == .lastCounts {
            let twice = #"{"count": 1e400, "any": {"a": 1e400}, "any": {"a": 2}, "count": 3}"#
            let thing = try Thing(json: Data(twice.utf8))
            expect(thing.count.value, equals: 3)
            expect(thing.any.value, equals: ["a": 2])
        }
    }

    @Test func `it is found by the keys of a context, and refused by what that has for its type`()
        throws
    {
        var context = ValueTransformerContext(name: "other", keyCase: .snake)
        context.transform(
            Double.self,
            with: FieldTransformer(
                export: { .double($0) },
                import: { value throws(ModelKitFields.Issue) in
                    try Double(attributeValue: value)
                }
            )
        )
        let text = #"""
            {"is_new": 1e400, "weight": 1e400, "deep": {"number": 1e400}, "parts": [{"size": 1e400}]}
            """#
        let error = #expect(throws: ImportError.self) {
            try Thing(json: Data(text.utf8), in: context)
        }
        expect(
            Set(error?.issues.map(\.path.description) ?? []),
            equals: ["is_new", "weight", "deep.number", "parts[0].size"]
        )
    }

    @Test func `the largest double is one`() throws {
        let largest = Double.greatestFiniteMagnitude
        let text = #"{"weight": \#(largest), "any": \#(largest), "count": 1e400}"#
        let thing = Thing()
        let error = #expect(throws: ImportError.self) { try thing.read(json: Data(text.utf8)) }
        expect(error?.issues.map(\.path.description), equals: ["count"])
        expect(thing.weight.value, equals: largest)
        expect(thing.any.value, equals: .double(largest))
    }

    @Test func `an object whose class is asked refuses it, too`() throws {
        let json = Data(#"[{"weight": 1e400, "other": 1e400}, {"weight": 2}]"#.utf8)
        let error = #expect(throws: ImportError.self) { try [Animal](json: json) }
        expect(error?.issues.map(\.path.description), equals: ["[0].weight"])
        let report = ImportReport()
        let animals = try [Animal](json: json, policy: .skipInvalid(report))
        expect(animals.map(\.weight.value), equals: [nil, 2])
    }

    @Test func `an element that is no object, but such a number, is refused`() async throws {
        var paths: [String] = []
        for try await element in Thing.stream(json: Data("[1e400, {}, \(wide)]".utf8)).elements {
            if case .failure = element.model { paths.append(element.path.description) }
        }
        expect(paths, equals: ["[0]", "[2]"])
    }
}
