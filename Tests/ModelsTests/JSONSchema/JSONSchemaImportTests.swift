import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

struct JSONSchemaImportTests {
    private func rule(
        _ text: String,
        _ formats: JSONSchema.FormatUse = .annotations
    ) throws -> Rule<AttributeValue> {
        try Rule(jsonSchema: Data(text.utf8), formats: formats)
    }

    private func found(_ schema: String, _ value: AttributeValue) throws -> [String] {
        try rule(schema).issues(for: value).map(\.description)
    }

    private func refused(_ schema: String) -> [String] {
        do throws(JSONSchemaError) {
            _ = try Rule(jsonSchema: Data(schema.utf8))
            return []
        } catch {
            return error.issues.map { "\($0.code) \($0.path.jsonPointer)" }
        }
    }

    @Test func `it says what is wrong where, and in the words of the library`() throws {
        let schema = """
            {"type": "object", "required": ["name", "age"],
             "properties": {"name": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
                            "age": {"type": "integer", "minimum": 18},
                            "tags": {"items": {"enum": ["a", "b"]}, "uniqueItems": true,
                                     "maxItems": 2}},
             "additionalProperties": false, "propertyNames": {"maxLength": 4}}
            """
        try expect(found(schema, ["name": "Ada", "age": 18, "tags": ["a"]]).isEmpty)
        try expect(
            found(schema, ["name": "a", "tags": ["a", "c", "a"], "pseudonym": nil]),
            equals: [
                "age is required",
                "pseudonym length must be less than or equal to 4 Unicode scalars",
                "name length must be greater than or equal to 2 Unicode scalars",
                "name has an invalid format",
                "tags count must be less than or equal to 2",
                "tags must not contain duplicates",
                "tags[1] must be one of a, b",
                "pseudonym is not allowed",
            ]
        )
        try expect(
            found(schema, ["name": 3, "age": 1.5]),
            equals: [
                "age must be an integer, not a number", "age must be greater than or equal to 18",
                "name must be a string, not an integer",
            ]
        )
        try expect(found(schema, nil), equals: ["must be a dictionary, not null"])
        try expect(rule(schema).issues(for: nil as AttributeValue?).isEmpty)
        let codes = try rule(schema).issues(for: ["name": "ada", "age": 3]).map(\.code)
        expect(codes, equals: ["min", "pattern"])
    }

    @Test func `branches report, and one too many is reported`() throws {
        let any = ##"{"anyOf": [{"type": "string"}, {"minimum": 3, "type": "integer"}]}"##
        try expect(found(any, 4).isEmpty)
        try expect(
            found(any, 2),
            equals: [
                "must be a string, not an integer", "must be greater than or equal to 3",
            ]
        )
        let one = ##"{"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}"##
        try expect(found(one, 4).isEmpty)
        try expect(found(one, 6), equals: ["must satisfy exactly one of several conditions"])
        try expect(found(one, 7), equals: ["must be a multiple of 2", "must be a multiple of 3"])
        let not = ##"{"not": {"const": {"a": 1}}}"##
        try expect(found(not, ["a": 1.0]), equals: ["is not allowed"])
        try expect(found(not, ["a": 2]).isEmpty)
        let choice = #"""
            {"if": {"required": ["card"]}, "then": {"required": ["name"]}, "else": {"maxProperties": 0}}
            """#
        try expect(found(choice, ["card": 1]), equals: ["name is required"])
        try expect(found(choice, ["cash": 1]), equals: ["count must be less than or equal to 0"])
    }

    @Test func `a schema may be inside of itself, but not ask itself`() throws {
        let tree = ##"""
            {"$defs": {"node": {"type": "object", "properties": {"value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["value"]}}, "$ref": "#/$defs/node"}
            """##
        try expect(
            found(tree, ["value": 1, "children": [["value": 2], ["children": []]]]),
            equals: [
                "children[1].value is required"
            ]
        )
        expect(refused(##"{"$ref": "#"}"##), equals: ["reference "])
        for index in ["01", "+0", "-0", "00"] {
            expect(
                refused(##"{"allOf": [{}], "$ref": "#/allOf/\##(index)"}"##),
                equals: ["reference /$ref"],
                "\(index)"
            )
        }
        expect(
            refused(
                ##"{"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}"##
            ),
            equals: ["reference /$defs/a"]
        )
        try expect(
            found(##"{"$defs": {"a b/c": {"type": "null"}}, "$ref": "#/$defs/a%20b~1c"}"##, 1),
            equals: [
                "must be null, not an integer"
            ]
        )
        try expect(
            found(##"{"$defs": {"x": {"$anchor": "n", "const": 1}}, "$ref": "#n"}"##, 2),
            equals: [
                "must be equal to 1"
            ]
        )
    }

    @Test func `what cannot be done is refused, all of it and by its place`() {
        let schema = ##"""
            {"$schema": "http://json-schema.org/draft-07/schema#", "type": "text",
             "properties": {"a~/b": {"pattern": "(?=a)"}, "c": {"$ref": "other.json#/x"},
                            "d": {"$ref": "#/$defs/d"}, "e": {"$dynamicRef": "#e"},
                            "f": {"unevaluatedProperties": false}, "g": {"minimum": "1"},
                            "h": {"maxLength": -1}, "i": 3, "j": {"allOf": []},
                            "k": {"multipleOf": 0}, "l": {"$id": "l"}, "m": {"required": [1]}}}
            """##
        expect(
            refused(schema),
            equals: [
                "unsupported /$schema", "pattern /properties/a~0~1b/pattern",
                "unsupported /properties/c/$ref", "reference /properties/d/$ref",
                "unsupported /properties/e/$dynamicRef",
                "unsupported /properties/f/unevaluatedProperties",
                "schema /properties/g/minimum", "schema /properties/h/maxLength",
                "schema /properties/i",
                "schema /properties/j/allOf", "schema /properties/k/multipleOf",
                "unsupported /properties/l/$id", "schema /properties/m/required", "schema /type",
            ]
        )
        expect(refused("{"), equals: ["json "])
        expect(refused("3"), equals: ["schema "])
        let error = #expect(throws: JSONSchemaError.self) {
            try Rule(jsonSchema: ["items": ["type": 3]])
        }
        expect(
            error?.description,
            equals: "#/items/type must be the name of a type or a list of them"
        )
        expect(refused(#"{"x-unknown": {"$dynamicRef": 3}, "minLenght": "a"}"#).isEmpty)
    }

    @Test func `numbers are compared as they are written`() throws {
        try expect(found(#"{"multipleOf": 0.01}"#, 19.99).isEmpty)
        try expect(found(#"{"multipleOf": 0.1}"#, 0.25), equals: ["must be a multiple of 0.1"])
        try expect(found(#"{"multipleOf": 0.3}"#, 1e300), equals: ["must be a multiple of 0.3"])
        try expect(found(#"{"multipleOf": 1e-300}"#, 1e300).isEmpty)
        try expect(found(#"{"multipleOf": 3}"#, .int(.min)), equals: ["must be a multiple of 3"])
        try expect(
            found(#"{"exclusiveMinimum": 9007199254740992}"#, .int(9_007_199_254_740_993))
                .isEmpty
        )
        try expect(
            found(#"{"maximum": 9007199254740992.0}"#, .int(9_007_199_254_740_993)).count,
            equals: 1
        )
        try expect(found(#"{"maximum": 1e300}"#, .int(.max)).isEmpty)
        try expect(found(#"{"minimum": 0}"#, .double(.nan)).count, equals: 1)
        try expect(found(#"{"const": 1}"#, 1.0).isEmpty)
        try expect(found(#"{"enum": [true]}"#, 1), equals: ["must be one of true"])
        try expect(
            found(#"{"uniqueItems": true}"#, [1, 1.0]),
            equals: ["must not contain duplicates"]
        )
        try expect(
            found(#"{"uniqueItems": true}"#, [["a": 1, "b": 2], ["b": 2.0, "a": 1]]).count,
            equals: 1
        )
    }

    @Test func `texts are compared by their scalars, dates and data as JSON has them`() throws {
        try expect(found(#"{"const": "é"}"#, "e\u{301}").count, equals: 1)
        try expect(found(#"{"required": ["é"]}"#, ["e\u{301}": 1]).count, equals: 1)
        try expect(found(#"{"uniqueItems": true}"#, ["é", "e\u{301}"]).isEmpty)
        try expect(
            found(
                #"{"type": "string", "const": "1970-01-01T00:00:00Z"}"#,
                .date(Date(timeIntervalSince1970: 0))
            ).isEmpty
        )
        try expect(found(#"{"type": "string", "maxLength": 4}"#, .data(Data([1, 2, 3]))).isEmpty)
    }

    @Test func `a format demands something only if it is to`() throws {
        let schema = ##"{"items": {"format": "date"}}"##
        try expect(rule(schema).issues(for: ["no"]).isEmpty)
        let issues = try rule(schema, .assertions).issues(for: ["no", "2024-02-29", 3])
        expect(issues.map(\.description), equals: ["[0] must be a valid date (yyyy-MM-dd)"])
        try expect(rule(#"{"format": "shoe-size"}"#, .assertions).issues(for: "x").isEmpty)
    }

    @Test func `a value may be deeper than the stack`() throws {
        let rule = try rule(
            ##"{"anyOf": [{"const": 1}, {"type": "array", "items": {"$ref": "#"}}]}"##
        )
        for (core, passes) in [(1 as AttributeValue, true), (2, false)] {
            let value = (0..<3_000).reduce(core) { value, _ in [value] }
            expect((!rule).issues(for: value).isEmpty, equals: !passes)
        }
    }

    @Test func `branches inside of branches are asked once`() throws {
        let rule = try rule(
            ##"{"not": {"$ref": "#/$defs/a"}, "$defs": {"a": {"anyOf": [{"const": 1}, {"items": {"$ref": "#/$defs/a"}, "type": "array"}]}}}"##
        )
        // Twice at every level would be forever.
        let value = (0..<100).reduce(2 as AttributeValue) { value, _ in [value] }
        expect(rule.issues(for: value).isEmpty)
    }

    @Test func `many elements are compared in no more time than they take to read`() throws {
        let rule = try rule(##"{"uniqueItems": true}"##)
        let members = (0..<5_000).map {
            ["a": .int($0), "b": [.double(Double($0))]] as AttributeValue
        }
        expect(rule.issues(for: .array(members)).isEmpty)
        expect(rule.issues(for: .array(members + [members[7]])).map(\.code), equals: ["unique"])
    }

    @Test func `it is a rule like any other`() throws {
        let rule = try rule(#"{"minLength": 2}"#)
        expect((!rule).issues(for: "abc").map(\.code), equals: ["not"])
        expect(rule.each().issues(for: ["a", "ab"]).map(\.path), equals: [[0]])
        let field = Field<AttributeValue>(value: "a").require(rule.message("is too short"))
        expect(field.validate(), equals: .invalid(["is too short"]))
    }

    /// The formats that the library has no rule for.
    private static let annotations: Set = [
        "idn-hostname.json", "iri.json", "iri-reference.json", "relative-json-pointer.json",
        "uri-template.json",
    ]

    /// Of a folder `tests/draft2020-12` of JSON-Schema-Test-Suite, or its `optional/format`.
    @Test func `the public suite of the draft passes`() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["MODELKIT_SCHEMA_SUITE"] else { return }
        let formats = folder.hasSuffix("format") ? JSONSchema.FormatUse.assertions : .annotations
        var (count, refused) = (0, 0)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where file.hasSuffix(".json") && !Self.annotations.contains(file) {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
            guard case .array(let groups) = try AttributeValue(json: data) else { continue }
            for case .dictionary(let group) in groups {
                guard let schema = group["schema"], case .array(let tests)? = group["tests"] else {
                    continue
                }
                let rule: Rule<AttributeValue>
                do throws(JSONSchemaError) {
                    rule = try Rule(jsonSchema: schema, formats: formats)
                } catch {
                    print("refused", file, group["description"] ?? "", error)
                    refused += 1
                    continue
                }
                for case .dictionary(let test) in tests {
                    guard let data = test["data"], let valid = test["valid"] else { continue }
                    count += 1
                    expect(
                        .bool(rule.issues(for: data).isEmpty),
                        equals: valid,
                        "\(file): \(group["description"] ?? ""): \(test["description"] ?? "")"
                    )
                }
            }
        }
        print(count, "cases,", refused, "schemas refused")
        expect(count > 300)
    }

    /// Families of values of which many would have one hash.
    enum Family: CaseIterable {
        case truths, blanks, spellings, names

        func value(_ index: Int) -> AttributeValue {
            let bits = (0..<11).map { index >> $0 & 1 == 1 }
            let text = bits.map { $0 ? "\u{E9}" : "e\u{301}" }.joined()
            switch self {
            case .truths: return .array(bits.map { .bool($0) })
            case .blanks: return .array(bits.map { $0 ? [] : [[]] })
            case .spellings: return .string(text)
            case .names: return .dictionary([text: 1])
            }
        }
    }

    @Test(arguments: Family.allCases)
    func `elements that are alike are compared in no more time`(_ family: Family) throws {
        let rule = try rule(##"{"uniqueItems": true}"##)
        func time(_ count: Int) -> Duration {
            let values = (0..<count).map(family.value)
            return ContinuousClock().measure {
                expect(rule.issues(for: .array(values)).isEmpty)
            }
        }
        // By the square, four times as many would take 16 times as long.
        let ratios = (0..<5).map { _ in time(2_000) / time(500) }
        expect(ratios.contains { $0 < 9 }, "\(ratios)")
    }

    @Test func `values that are the same in JSON are duplicates, however deep`() throws {
        let rule = try rule(##"{"uniqueItems": true}"##)
        let pairs: [(AttributeValue, AttributeValue)] = [
            ([1, [2]], [1.0, [2.0]]), (["a": 0], ["a": -0.0]), (.int(1 << 62), .double(0x1p62)),
            ([nil, true], [nil, true]),
        ]
        for (one, other) in pairs { expect(rule.issues(for: [one, other]).count, equals: 1) }
        expect(rule.issues(for: [nil, false, true, 0, 1, "", [], [:], [[]], [nil]]).isEmpty)
    }
}
