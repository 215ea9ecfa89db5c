import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

/// Writes what this library says of 2 000 values, for another validator of JSON Schema to be asked
/// the same: `.ci/schema-judge` compares the two.
@Suite struct SchemaJudgeTests {
    @Test func `two thousand values for another validator`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MODELKIT_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("seed:", seed)
        let cases = Self.cases(seed)
        let count = cases.map(\.verdicts.count).reduce(0, +)
        expect(count >= 2_000, "seed \(seed)")
        let valid = cases.flatMap(\.verdicts).count { $0.issues.isBlocking == false }
        // Otherwise hardly anything is compared.
        expect(valid > count / 10 && valid < count * 9 / 10, "seed \(seed)")
        expect(cases.count { $0.schema.notRepresented.isEmpty } > cases.count / 3, "seed \(seed)")
        let lines = try cases.map { try $0.line() }
        guard let path = environment["MODELKIT_SCHEMA_CASES"] else { return }
        var text = Data()
        for line in [["seed": .string("\(seed)")]] + lines {
            text += try line.jsonData() + Data("\n".utf8)
        }
        try text.write(to: URL(fileURLWithPath: path))
    }

    private static func cases(_ seed: UInt64) -> [JudgeCase] {
        var rules = RandomRules(random: SeededGenerator(seed: seed))
        var cases: [JudgeCase] = []
        func add<Value>(
            _ name: String,
            _ rule: Rule<Value>,
            form: (Value) -> AttributeValue,
            value: (inout RandomRules) -> Value
        ) {
            var random = rules.random
            cases.append(
                JudgeCase(name, rule, count: 10, &random, form: form) { random in
                    var rules = RandomRules(random: random)
                    defer { random = rules.random }
                    return value(&rules)
                }
            )
            rules.random = random
        }
        for depth in 0..<32 {
            let depth = depth % 4
            add("integer", rules.integerRule(depth), form: \.attributeValue) { $0.integer() }
            add("number", rules.doubleRule(depth), form: \.attributeValue) { $0.double() }
            add("text", rules.textRule(depth), form: \.attributeValue) { $0.text() }
            add("list", rules.listRule(depth), form: \.attributeValue) { $0.list() }
            add(
                "table",
                rules.tableRule(depth),
                form: { .dictionary($0.mapValues(\.attributeValue)) }
            ) {
                $0.table()
            }
            add("nested", rules.nestedRule(depth), form: \.attributeValue) { $0.nested() }
            add("record", rules.placeRule(depth), form: \.form) { $0.place() }
            let choice = rules.choice { $0.integerRule(1) }
            add("choice", choice, form: \.attributeValue) { $0.integer() }
            cases[cases.count - 1].hasSamePaths = false
            add("choice", rules.choice { $0.placeRule(1) }, form: \.form) { $0.place() }
            cases[cases.count - 1].hasSamePaths = false
        }
        cases.append(.hands(500, &rules.random))
        cases.append(.signups(200, &rules.random))
        return cases
    }
}
