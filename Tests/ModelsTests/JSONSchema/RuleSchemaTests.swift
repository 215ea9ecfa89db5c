import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

/// What a schema says, without its dialect.
private func keywords(_ schema: JSONSchema) -> AttributeValue {
    guard case .dictionary(var keywords) = schema.document else { return schema.document }
    expect(keywords["$schema"], equals: "https://json-schema.org/draft/2020-12/schema")
    keywords["$schema"] = nil
    return .dictionary(keywords)
}

private func keywords<Value>(_ rule: Rule<Value>) -> AttributeValue { keywords(JSONSchema(rule)) }

/// What a schema of a rule does not say.
private func missing<Value>(_ rule: Rule<Value>) -> [String] {
    JSONSchema(rule).notRepresented.map { "\($0.code): \($0.description)" }
}

struct RuleSchemaTests {
    private enum Color: String, CaseIterable { case red, green }

    // MARK: Types and null

    @Test func `an address of HTML passes the schema of its own rule`() throws {
        let document = JSONSchema(Rule<String>.email).document
        let again = try Rule(jsonSchema: document, formats: .assertions)
        for (text, isValid) in [("a@b", true), (".a@b", true), ("a", false), (#""a"@b"#, false)] {
            #expect(again.isValid(value: .string(text)) == isValid, "\(text)")
        }
        let schema: AttributeValue = ["format": "email"]
        let plain = try Rule(jsonSchema: schema, formats: .assertions)
        #expect(!plain.isValid(value: ".a@b"))
    }

    @Test func `a value may be null unless it is required`() {
        #expect(keywords(Rule<Int>.min(3)) == ["type": ["integer", "null"], "minimum": 3])
        #expect(keywords(Rule<Int>.required && .min(3)) == ["type": "integer", "minimum": 3])
        #expect(
            keywords(Rule<Int>.required || .min(3)) == [
                "type": ["integer", "null"], "anyOf": [["not": ["type": "null"]], ["minimum": 3]],
            ]
        )
        #expect(keywords(Rule<Int>.absent) == ["type": "null"])
        #expect(keywords(Rule<Int?>.required) == ["type": "integer"])
        #expect(keywords(Rule<Int>("even", allowNil: false) { $0 % 2 == 0 }) == ["type": "integer"])
    }

    @Test func `the type is that of the values`() {
        func type<Value: Sendable>(_ type: Value.Type) -> AttributeValue {
            keywords(Rule<Value>.required)
        }
        #expect(type(String.self) == ["type": "string"])
        #expect(type(Double.self) == ["type": "number"])
        #expect(type(Bool.self) == ["type": "boolean"])
        #expect(type(UInt8.self) == ["type": "integer", "minimum": 0, "maximum": 255])
        #expect(type(Date.self) == ["type": "string", "format": "date-time"])
        #expect(type(UUID.self) == ["type": "string", "format": "uuid"])
        #expect(type(Data.self) == ["type": "string", "contentEncoding": "base64"])
        #expect(
            type([[Int]].self) == [
                "type": "array", "items": ["type": "array", "items": ["type": "integer"]],
            ]
        )
        #expect(
            type([Int?].self) == [
                "type": "array", "items": ["type": ["integer", "null"]],
            ]
        )
        #expect(
            type([String: Bool].self) == [
                "type": "object", "additionalProperties": ["type": "boolean"],
            ]
        )
        #expect(type(Color.self) == ["type": "string", "enum": ["red", "green"]])
        #expect(type(AttributeValue.self) == ["not": ["type": "null"]])
    }

    // MARK: Keywords

    @Test func `the built-in rules have their keywords`() throws {
        let samples: [(AttributeValue, AttributeDictionary)] = [
            (keywords(Rule<Int>.max(6)), ["maximum": 6]),
            (keywords(Rule<Int>.greaterThan(6)), ["exclusiveMinimum": 6]),
            (keywords(Rule<Int>.lessThan(6)), ["exclusiveMaximum": 6]),
            (keywords(Rule<Int>.range(1..<6)), ["minimum": 1, "exclusiveMaximum": 6]),
            (keywords(Rule<Int>.multipleOf(-5)), ["multipleOf": 5]),
            (keywords(Rule<Int>.multipleOf(0)), ["enum": [0, nil]]),
            (
                keywords(Rule<Int>.min(1) && .min(3) && .max(9) && .max(7)),
                ["minimum": 3, "maximum": 7]
            ),
            (
                keywords(Rule<Int>.digits(integer: 2)),
                ["exclusiveMinimum": -100, "exclusiveMaximum": 100, "multipleOf": 1]
            ),
            (keywords(Rule<Int>.equal(3)), ["enum": [3, nil]]),
            (keywords(Rule<Int>.oneOf([3, 4, 3])), ["enum": [3, 4, nil]]),
            (keywords(Rule<Int>.oneOf([3, 4]) && .oneOf([4, 5, 3])), ["enum": [3, 4, nil]]),
            (keywords(Rule<Int>.notEqual(3)), ["not": ["const": 3]]),
        ]
        for (index, (schema, keywords)) in samples.enumerated() {
            var expected = keywords
            expected["type"] = ["integer", "null"]
            #expect(schema == .dictionary(expected), "sample \(index)")
        }
    }

    @Test func `numbers with a fraction have theirs`() {
        #expect(
            keywords(Rule<Double>.required && .digits(integer: 3, fraction: 2)) == [
                "type": "number", "exclusiveMinimum": -1000, "exclusiveMaximum": 1000,
                "multipleOf": 0.01,
            ]
        )
        let rounding = ["partlyRepresented: forgives the rounding of multiples, a schema does not"]
        #expect(missing(Rule<Double>.digits(integer: 3, fraction: 2)) == rounding)
        #expect(missing(Rule<Double>.digits(integer: 3, fraction: 0)) == [])
        #expect(keywords(Rule<Double>.required && .integer) == ["type": "number", "multipleOf": 1])
        #expect(keywords(Rule<Double>.required && .finite) == ["type": "number"])
        #expect(missing(Rule<Double>.finite) == [])
        #expect(keywords(Rule<Double>.required && .max(.infinity)) == ["type": "number"])
        #expect(keywords(Rule<Double>.required && .min(.infinity)) == ["not": [:]])
        #expect(keywords(Rule<Double>.required && .min(.nan)) == ["not": [:]])
        #expect(
            keywords(Rule<Double>.required && .multipleOf(0.1)) == [
                "type": "number", "multipleOf": 0.1,
            ]
        )
        #expect(missing(Rule<Double>.multipleOf(0.1)) == rounding)
        #expect(
            keywords(Rule<Double>.digits(integer: 400, fraction: 0)) == [
                "type": ["number", "null"], "multipleOf": 1,
            ]
        )
    }

    @Test func `numbers that JSON has with other digits are only known to the code`() {
        let unknown = ["notRepresented: has a rule that only its code knows"]
        #expect(keywords(Rule<Float>.required && .min(0.1)) == ["type": "number", "minimum": 0.1])
        #expect(missing(Rule<Float>.min(0.1)) == [])
        #expect(missing(Rule<Decimal>.multipleOf(0.1)).last == unknown[0])
        #expect(
            keywords(Rule<Float>.required && .multipleOf(0.25)) == [
                "type": "number", "multipleOf": 0.25,
            ]
        )
        let large = UInt64(Int64.max) + 1
        #expect(missing(Rule<UInt64>.max(large)) == unknown)
        #expect(missing(Rule<UInt64>.multipleOf(large)) == unknown)
        #expect(missing(Rule<UInt64>.oneOf([1, .max])) == unknown)
        #expect(
            keywords(Rule<UInt64>.required && .max(large - 1)) == [
                "type": "integer", "minimum": 0, "maximum": .int(.max),
            ]
        )
    }

    @Test func `what is said of text follows from the rule, and what is left is reported`() {
        expect(.minLength(3, in: .scalars), says: ["minLength": 3], reports: 0)
        expect(.maxLength(3, in: .scalars), says: ["maxLength": 3], reports: 0)
        expect(.minLength(3), says: ["minLength": 3], reports: 1)
        expect(.minLength(1), says: ["minLength": 1], reports: 0)
        expect(.maxLength(3), says: [:], reports: 1)
        expect(.maxLength(0), says: ["maxLength": 0], reports: 0)
        expect(.minLength(5, in: .utf16), says: ["minLength": 3], reports: 1)
        expect(.maxLength(5, in: .utf16), says: ["maxLength": 5], reports: 1)
        expect(.minLength(5, in: .utf8), says: ["minLength": 2], reports: 1)
        expect(.maxLength(5, in: .utf8), says: ["maxLength": 5], reports: 1)
        expect(!.maxLength(3), says: ["not": ["type": "string", "maxLength": 3]], reports: 1)
        expect(!.minLength(3), says: [:], reports: 1)
        expect(
            !.minLength(5, in: .utf8),
            says: ["not": ["type": "string", "minLength": 5]],
            reports: 1
        )
        expect(
            !.maxLength(5, in: .utf8),
            says: ["not": ["type": "string", "maxLength": 1]],
            reports: 1
        )
        expect(.digits, says: ["pattern": "^[0-9]*$"], reports: 0)
        expect(.characters(in: "a-z^]"), says: ["pattern": #"^[a\-z\^\]]*$"#], reports: 0)
        expect(
            .email,
            says: ["format": "email", "pattern": .string(Constraint.emailPattern)],
            reports: 0
        )
        expect(.email(.rfc5321), says: ["format": "email"], reports: 0)
        expect(!.email, says: [:], reports: 1)
        expect(.hasPrefix("+4"), says: ["pattern": #"^\+4"#], reports: 1)
        expect(.hasSuffix(".x"), says: ["pattern": #"\.x$"#], reports: 1)
        expect(.contains("@"), says: ["pattern": "@"], reports: 1)
        expect(.contains("K;`"), says: ["pattern": #"[K\u212A][;\u037E][`\u1FEF]"#], reports: 1)
        expect(.hasPrefix("K"), says: ["pattern": #"^[K\u212A]"#], reports: 1)
        expect(.hasSuffix("K"), says: ["pattern": #"[K\u212A]$"#], reports: 1)
        expect(.characters(in: "K-"), says: ["pattern": #"^[K\-\u212A]*$"#], reports: 0)
        expect(.contains("é"), says: [:], reports: 1)
        expect(.contains(""), says: [:], reports: 0)
        expect(!.hasPrefix("+4"), says: [:], reports: 1)
        expect(.lowercase, says: [:], reports: 1)
        expect(.equal("é"), says: ["enum": ["é", nil]], reports: 1)
        expect(.equal("L"), says: ["enum": ["L", nil]], reports: 0)
        for text in ["K", ";", "`"] {
            expect(.equal(text), says: ["enum": [.string(text), nil]], reports: 1)
        }
        expect(
            .digits && .alpha,
            says: ["pattern": "^[0-9]*$", "allOf": [["pattern": "^[A-Za-z]*$"]]],
            reports: 0
        )
        expect(
            .digits || .length(2, in: .scalars),
            says: ["anyOf": [["pattern": "^[0-9]*$"], ["minLength": 2, "maxLength": 2]]],
            reports: 0
        )
        expect(.digits || .lowercase, says: [:], reports: 1)
        expect(.digits.severity(.warning), says: [:], reports: 0)
        expect(.digits.when { $0 != "" }, says: [:], reports: 1)
        expect(.digits.severity(.warning).severity(.error), says: [:], reports: 1)
        expect(
            (.ascii && .digits.severity(.warning)).severity(.error),
            says: ["pattern": #"^[\0-\x7F]*$"#],
            reports: 1
        )
        expect(.digits.severity(.error), says: ["pattern": "^[0-9]*$"], reports: 0)
    }

    private func expect(_ rule: Rule<String>, says said: AttributeDictionary, reports: Int) {
        let expected = said.merging(["type": ["string", "null"]]) { $1 }
        #expect(keywords(rule) == .dictionary(expected))
        #expect(missing(rule).count == reports, "\(said)")
    }

    @Test func `elements of one spelling are unique in a schema, others in part`() {
        #expect(missing(Rule<[Int]>.unique).isEmpty)
        #expect(missing(Rule<[[Double?]]>.unique).isEmpty)
        #expect(missing(Rule<[Color]>.unique).isEmpty)
        // Two spellings of "é" are two texts of a schema, and one of Swift.
        let said = "partlyRepresented: has elements of which several forms may be equal"
        #expect(missing(Rule<[String]>.unique) == [said])
        #expect(missing(Rule<[[String]]>.unique) == [said])
        #expect(missing(Rule<[[String: Int]]>.unique) == [said])
        #expect(missing(Rule<[Date]>.unique) == [said])
    }

    @Test func `collections, their elements, keys and values`() {
        #expect(
            keywords(Rule<[String]>.notEmpty && .maxItems(3) && .unique && Rule.digits.each()) == [
                "type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": true,
                "items": ["type": "string", "pattern": "^[0-9]*$"],
            ]
        )
        #expect(
            keywords(
                Rule<[String: Int]>.required && .minItems(1) && .keys(.digits) && .values(.min(3))
            )
                == [
                    "type": "object", "minProperties": 1,
                    "propertyNames": ["pattern": "^[0-9]*$"],
                    "additionalProperties": ["type": "integer", "minimum": 3],
                ]
        )
        #expect(
            keywords(Rule<[Int]>.required && .contains(.min(3), min: 2)) == [
                "type": "array", "items": ["type": "integer"], "minContains": 2,
                "contains": ["minimum": 3],
            ]
        )
        #expect(
            keywords(Rule<[Int]>.required && .contains(.min(3), min: 0, max: 2)) == [
                "type": "array", "items": ["type": "integer"], "minContains": 0, "maxContains": 2,
                "contains": ["type": "number", "minimum": 3],
            ]
        )
        #expect(
            missing(Rule<[Int: Int]>.keys(.min(3))) == [
                "notRepresented: * has a bound, which a schema has for numbers alone"
            ]
        )
        #expect(
            keywords(Rule<[Int]>.notBlank) == [
                "type": "array", "items": ["type": "integer"], "minItems": 1,
            ]
        )
        #expect(
            missing(Rule<[[String]]>.required && Rule<String>.lowercase.each().each()) == [
                "notRepresented: *.* has a rule that only its code knows"
            ]
        )
    }

    @Test func `what accepts no element accepts what has none`() {
        // Elements are never null, so an array passes the inner rule if it is empty.
        let rule: Rule<[Int]> = !(Rule<Int>.absent.each())
        #expect(rule.issues(for: []).count == 1 && rule.issues(for: [1]).isEmpty)
        #expect(
            keywords(rule) == [
                "type": ["array", "null"], "items": ["type": "integer"],
                "not": ["type": "array", "items": ["not": [:]]],
            ]
        )
        #expect(missing(rule).isEmpty)
    }

    @Test func `null is refused among elements where the rule of optionals refuses it`() {
        #expect(
            keywords(Rule<[Int?]>.required && Rule<Int?>.oneOf([1, 2]).each()) == [
                "type": "array", "items": ["type": "integer", "enum": [1, 2]],
            ]
        )
        #expect(
            keywords(Rule<[Int?]>.required && (!(!Rule<Int?>.equal(1))).each()) == [
                "type": "array",
                "items": ["type": "integer", "not": ["type": "integer", "not": ["const": 1]]],
            ]
        )
        for rule in [Rule<Int?>.notEqual(1), .all([]), Rule { _ in false }] {
            guard case .dictionary(let all) = keywords(rule.each()),
                case .dictionary(let items)? = all["items"]
            else {
                Testing.Issue.record("\(rule)")
                continue
            }
            #expect(items["type"] == ["integer", "null"])
        }
        #expect(
            keywords(Rule<[String: Int?]>.required && .values(Rule<Int?>.equal(1))) == [
                "type": "object",
                "additionalProperties": [
                    "type": ["integer", "null"], "enum": [1, nil], "not": ["type": "null"],
                ],
            ]
        )
        #expect(
            keywords(Rule<[Int?]>.required && .contains(.equal(1))) == [
                "type": "array", "items": ["type": ["integer", "null"]], "minContains": 1,
                "contains": ["enum": [1, nil], "not": ["type": "null"]],
            ]
        )
    }

    @Test func `a dictionary whose keys are no names has a form that only its code knows`() {
        let rule = Rule<[UUID: Int]>.required && .maxItems(2)
        #expect(keywords(rule) == ["not": ["type": "null"]])
        #expect(
            missing(rule) == [
                "notRepresented: has a form that only its code knows",
                "notRepresented: has a rule for what its form is made of",
            ]
        )
        #expect(missing(Rule<[Int: Int]>.maxItems(2)) == [])
    }

    @Test func `elements that JSON does not show are reported`() {
        let message = "notRepresented: has a rule for elements that JSON does not show"
        #expect(
            keywords(Rule<String>.required && .minItems(2)) == ["type": "string", "minLength": 2]
        )
        #expect(missing(Rule<String>.unique) == [message])
        #expect(missing(Rule<Data>.minItems(2)) == [message])
        #expect(missing(!Rule<Data>.maxItems(2)) == [message])
        #expect(
            missing(!Rule<[Int]>.unique)
                == ["notRepresented: has elements that only their code compares"]
        )
    }

    @Test func `properties are required where nil is refused`() {
        struct Address: Sendable {
            var street = ""
            var zip: String?
        }
        let rule =
            Rule<String>.notBlank.at(\Address.street, "street")
            && Rule<String>.digits.at(\Address.zip, "zip")
        let blank = #"[^\t-\r \x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]"#
        #expect(
            keywords(Rule<Address>.required && rule) == [
                "not": ["type": "null"], "required": ["street"],
                "properties": [
                    "street": ["not": ["type": "null"], "pattern": .string(blank), "minItems": 1],
                    "zip": ["pattern": "^[0-9]*$"],
                ],
            ]
        )
        #expect(missing(rule) == [])
        #expect(
            keywords(!Rule<String>.digits.at(\Address.zip, "zip")) == [
                "not": [
                    "type": "object",
                    "properties": [
                        "zip": [
                            "anyOf": [
                                ["type": "null"], ["type": "string", "pattern": "^[0-9]*$"],
                            ]
                        ]
                    ],
                ]
            ]
        )
        let hidden = Rule<String>.lowercase.at(\Address.street, "street")
        #expect(
            missing(hidden) == ["notRepresented: street has a rule that only its code knows"]
        )
    }

    @Test func `dates have no bounds in a schema`() {
        let rule = Rule<Date>.before(Date(timeIntervalSince1970: 0))
        #expect(keywords(rule) == ["type": ["string", "null"], "format": "date-time"])
        #expect(
            missing(rule) == ["notRepresented: has a bound, which a schema has for numbers alone"]
        )
        #expect(missing(Rule<Date>.past) == ["notRepresented: has a rule that only its code knows"])
        #expect(missing(Rule<UUID>.equal(UUID())).count == 1)
    }

    @Test func `not within not, and of what passes always`() {
        #expect(
            keywords(!(!Rule<Int>.min(3))) == [
                "type": ["integer", "null"],
                "not": ["type": "integer", "not": ["minimum": 3]],
            ]
        )
        #expect(keywords(!Rule<Int>.all([])) == ["type": "null"])
        #expect(keywords(!Rule<Int>.required) == ["type": "null"])
        #expect(keywords(.required && !Rule<Int>.required) == ["not": [:]])
        #expect(keywords(!Rule<Int>.oneOf([])) == ["type": ["integer", "null"]])
    }

    @Test func `equal rules are equal texts`() throws {
        let rule: Rule<Int> = .required && .range(1...6) && .multipleOf(2)
        let text = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "maximum": 6,
              "minimum": 1,
              "multipleOf": 2,
              "type": "integer"
            }
            """
        #expect(JSONSchema(rule).description == text)
        #expect(try JSONSchema(rule).jsonData() == Data(text.utf8))
        #expect(JSONSchema(rule) == JSONSchema(.required && .range(1...6) && .multipleOf(2)))
    }
}
