import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import Testing

/// What the draft says of a keyword, asked of the rule that is exported as it.
struct SchemaKeywordTests {
    private func expect<Value>(
        _ rule: Rule<Value>,
        is keywords: AttributeDictionary,
        accepting accepted: [Value],
        refusing refused: [Value],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let schema = JSONSchema(rule)
        guard case .dictionary(let document) = schema.document else {
            Testing.Issue.record("\(schema)", sourceLocation: sourceLocation)
            return
        }
        for (keyword, value) in keywords {
            #expect(document[keyword] == value, sourceLocation: sourceLocation)
        }
        #expect(schema.notRepresented == [], sourceLocation: sourceLocation)
        for value in accepted {
            #expect(rule.isValid(value: value), sourceLocation: sourceLocation)
        }
        for value in refused {
            #expect(!rule.isValid(value: value), sourceLocation: sourceLocation)
        }
    }

    @Test func `lengths count code points`() {
        expect(
            Rule<String>.minLength(2, in: .scalars),
            is: ["minLength": 2],
            accepting: ["foo", "fo", "👍👍", "e\u{301}", "🇩🇪"],
            refusing: ["f", "", "👍"]
        )
        expect(
            Rule<String>.maxLength(2, in: .scalars),
            is: ["maxLength": 2],
            accepting: ["f", "", "👍👍", "e\u{301}"],
            refusing: ["foo", "👍👍👍", "👨‍👩‍👧"]
        )
    }

    @Test func `patterns are not anchored, and know Unicode`() throws {
        expect(
            try Rule<String>.pattern("^a*$"),
            is: ["pattern": "^a*$"],
            accepting: ["", "aaa"],
            refusing: ["abc", "a\n"]
        )
        expect(
            try Rule<String>.pattern("a+"),
            is: ["pattern": "a+"],
            accepting: ["xxaayy"],
            refusing: ["b"]
        )
        expect(
            try Rule<String>.pattern("^.{1}$"),
            is: ["pattern": "^.{1}$"],
            accepting: ["💩", "é"],
            refusing: ["e\u{301}", "\n"]
        )
        expect(
            try Rule<String>.pattern(#"^\d$"#),
            is: ["pattern": #"^\d$"#],
            accepting: ["0"],
            refusing: ["߀"]
        )
        expect(
            try Rule<String>.pattern(#"^\s$"#),
            is: ["pattern": #"^\s$"#],
            accepting: ["\u{A0}", "\u{FEFF}", "\u{2029}"],
            refusing: ["\u{1}", "\u{2013}"]
        )
    }

    @Test func `bounds take floats that are integers, and the other way round`() {
        expect(
            Rule<Double>.min(1.1),
            is: ["minimum": 1.1],
            accepting: [2.6, 1.1],
            refusing: [0.6, 1.099_999]
        )
        expect(Rule<Int>.min(-2), is: ["minimum": -2], accepting: [-1, 0, -2], refusing: [-3])
        expect(
            Rule<Double>.max(300),
            is: ["maximum": 300.0],
            accepting: [299.97, 300],
            refusing: [300.5]
        )
        expect(
            Rule<Double>.greaterThan(1.1),
            is: ["exclusiveMinimum": 1.1],
            accepting: [1.2],
            refusing: [1.1, 0.6]
        )
        expect(
            Rule<Double>.lessThan(3),
            is: ["exclusiveMaximum": 3.0],
            accepting: [2.2],
            refusing: [3, 3.5]
        )
        expect(
            Rule<Int>.multipleOf(2),
            is: ["multipleOf": 2],
            accepting: [10, 0, -4],
            refusing: [7]
        )
        expect(
            Rule<Int>.digits(integer: 2),
            is: ["multipleOf": 1, "exclusiveMaximum": 100],
            accepting: [99, -99, 0],
            refusing: [100, -100]
        )
    }

    @Test func `lists of values, and their negation`() {
        expect(
            Rule<Int>.oneOf([1, 2, 3]),
            is: ["enum": [1, 2, 3, nil]],
            accepting: [1],
            refusing: [4]
        )
        expect(
            Rule<String>.required && .oneOf(["a\u{0}b", "foo\nbar"]),
            is: ["enum": ["a\u{0}b", "foo\nbar"]],
            accepting: ["a\u{0}b", "foo\nbar"],
            refusing: ["ab", "foo\rbar", "a"]
        )
        expect(Rule<Bool>.accepted, is: ["const": true], accepting: [true], refusing: [false])
        expect(
            Rule<Int>.noneOf([1, 2]),
            is: ["not": ["enum": [1, 2]]],
            accepting: [3],
            refusing: [1, 2]
        )
    }

    @Test func `arrays`() {
        expect(
            Rule<[Int]>.minItems(1),
            is: ["minItems": 1],
            accepting: [[1, 2], [1]],
            refusing: [[]]
        )
        expect(
            Rule<[Int]>.maxItems(2),
            is: ["maxItems": 2],
            accepting: [[], [1, 2]],
            refusing: [[1, 2, 3]]
        )
        expect(
            Rule<[[Int]]>.unique,
            is: ["uniqueItems": true],
            accepting: [[[1], [2]], [], [[1, 2], [2, 1]]],
            refusing: [[[1], [1]], [[1], [2], [1]]]
        )
        expect(
            Rule<[Int]>.contains(.min(5)),
            is: ["contains": ["minimum": 5], "minContains": 1],
            accepting: [[3, 4, 5], [5]],
            refusing: [[], [2, 3]]
        )
        expect(
            Rule<[Int]>.contains(.equal(1), min: 1, max: 3),
            is: ["minContains": 1],
            accepting: [[1], [1, 1, 2]],
            refusing: [[], [1, 1, 1, 1]]
        )
        expect(
            Rule<Int>.max(3).each(),
            is: ["items": ["type": "integer", "maximum": 3]],
            accepting: [[], [1, 3]],
            refusing: [[1, 4]]
        )
    }

    @Test func `objects`() {
        expect(
            Rule<[String: Int]>.keys(.maxLength(3, in: .scalars)),
            is: ["propertyNames": ["maxLength": 3]],
            accepting: [[:], ["f": 0, "foo": 0]],
            refusing: [["foo": 0, "foobar": 0]]
        )
        expect(
            Rule<[String: Int]>.values(.min(3)),
            is: ["additionalProperties": ["type": "integer", "minimum": 3]],
            accepting: [[:], ["a": 3]],
            refusing: [["a": 3, "b": 2]]
        )
        expect(
            Rule<[String: Int]>.minItems(1) && .maxItems(1),
            is: ["minProperties": 1, "maxProperties": 1],
            accepting: [["": 1]],
            refusing: [[:], ["a": 1, "b": 1]]
        )
    }

    @Test func `compositions`() {
        expect(
            Rule<Int>.max(5) && .min(3),
            is: ["maximum": 5, "minimum": 3],
            accepting: [3, 5],
            refusing: [2, 6]
        )
        expect(
            Rule<Double>.integer || .min(2),
            is: ["anyOf": [["multipleOf": 1], ["minimum": 2.0]]],
            accepting: [1, 2.5, 3],
            refusing: [1.5]
        )
        expect(
            Rule<Double>.exactlyOne(of: [.integer, .min(2)]),
            is: [:],
            accepting: [1, 2.5],
            refusing: [3, 1.5]
        )
        expect(!Rule<Int>.min(3), is: [:], accepting: [2], refusing: [3])
    }
}
