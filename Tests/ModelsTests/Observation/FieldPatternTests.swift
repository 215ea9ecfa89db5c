import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct FieldPatternTests {
    @Test(
        arguments: [
            ("employees.*.name", [.key("employees"), .each, .key("name")]),
            ("employees[2].name", ["employees", 2, "name"]),
            ("**", [.all]), ("*", ["*"]), ("*.**", [.each, .all]), ("a[0]", ["a", 0]),
        ] as [(String, FieldPattern)]
    )
    func `a pattern is read as it is written`(text: String, pattern: FieldPattern) throws {
        try expect(FieldPattern(parsing: text), equals: pattern)
        expect(FieldPattern(stringLiteral: text), equals: pattern)
        expect(pattern.description, equals: text)
    }

    @Test(arguments: ["a..b", "a[", ".a", "a[x]", "a[0]b"])
    func `a text that is no pattern is refused`(text: String) {
        #expect(throws: FieldPathError.self) { try FieldPattern(parsing: text) }
        expect(FieldPattern(stringLiteral: text), equals: FieldPattern([.key(text)]))
    }
}
