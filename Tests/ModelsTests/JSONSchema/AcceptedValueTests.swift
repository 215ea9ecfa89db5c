import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import Testing

/// A schema refuses nothing that the rules accept.
struct AcceptedValueTests {
    private enum Level: Int, CaseIterable, AttributeConvertible {
        case low = 1
        case high

        init(attributeValue: AttributeValue) throws(ModelKitFields.Issue) {
            self = attributeValue == "low" ? .low : .high
        }

        var attributeValue: AttributeValue { .string("\(self)") }
        static var attributeKind: AttributeKind { .string }
    }

    private struct Setting: Sendable { let level: Level }

    private final class Gauge: Model {
        let level = Field<Level>().require(.oneOf([.low]))
        let number = EnumField<Level>(key: "raw").require(.equal(.high))
        let marks = Field<AttributeValue>()*
    }

    private func missing<Value>(_ rule: Rule<Value>) -> [String] {
        JSONSchema(rule).notRepresented.map { "\($0.code): \($0.description)" }
    }

    private func accepts(_ schema: JSONSchema, _ value: AttributeValue) throws -> Bool {
        try Rule(jsonSchema: schema.document).isValid(value: value)
    }

    @Test func `an enum that has another form than its raw values is not compared to these`() throws
    {
        for rule in [Rule<Level>.equal(.low), .oneOf([.low]), !.equal(.high)] {
            #expect(rule.isValid(value: .low))
            try #expect(accepts(JSONSchema(rule), "low"))
            #expect(!missing(rule).isEmpty)
        }
        try #expect(accepts(JSONSchema(Rule<[Level]>.unique), ["low", "high"]))
        let rule = Rule<Level>.equal(.low).at(\Setting.level, "level")
        try #expect(accepts(JSONSchema(rule), ["level": "low"]))

        let gauge = Gauge()
        (gauge.level.value, gauge.number.value) = (.low, .high)
        let dictionary = gauge.dictionaryValue()
        #expect(gauge.validate() == .valid)
        #expect(dictionary["level"] == "low" && dictionary["raw"] == 2)
        try #expect(accepts(JSONSchema(Gauge.self), .dictionary(dictionary)))
    }

    @Test func `values that only JSON takes for the same may both be there`() throws {
        let message = "notRepresented: has elements that only their code compares"
        #expect(Rule<[AttributeValue]>.unique.isValid(value: [1, 1.0]))
        try #expect(accepts(JSONSchema(Rule<[AttributeValue]>.unique), [1, 1.0]))
        #expect(missing(Rule<[AttributeValue]>.unique) == [message])
        try #expect(accepts(JSONSchema(Rule<[[AttributeValue]]>.unique), [[1], [1.0]]))
        try #expect(
            accepts(JSONSchema(Rule<[[String: AttributeValue]]>.unique), [["a": 1], ["a": 1.0]])
        )
    }

    @Test func `a set may be written with an element twice`() throws {
        let rules: [Rule<Set<Int>>] = [
            .maxItems(1), .unique, !.minItems(2), .contains(.min(1), min: 0, max: 1),
            !.contains(.min(1), min: 2),
        ]
        for rule in rules {
            #expect(rule.isValid(value: [1]))
            try #expect(accepts(JSONSchema(rule), [1, 1]))
            #expect(!missing(rule).isEmpty)
        }
        try #expect(!accepts(JSONSchema(Rule<Set<Int>>.required && .minItems(2)), [1]))
        try #expect(!accepts(JSONSchema(Rule<Set<Int>>.required && !.maxItems(1)), [1]))
        #expect(missing(Rule<Set<Int>>.minItems(2) && !.maxItems(1)).isEmpty)
    }
}
