import ModelKitFields
import TestSupport
import Testing

@Suite struct ErasedFieldTests {
    @Test func `a field of whatever type gives its type and value`() {
        let fields: [AnyField] = [
            Field<Int>(value: 3), Field<String>(), Field<String>(value: "a")*,
        ]
        let types = fields.map { ObjectIdentifier($0.valueType) }
        expect(
            types,
            equals: ([Int.self, String.self, [String].self] as [Any.Type]).map {
                ObjectIdentifier($0)
            }
        )
        expect(fields[0].anyValue as? Int, equals: 3)
        expect(fields[1].anyValue == nil)
        expect(fields[2].anyValue as? [String], equals: ["a"])
    }

    @Test func `it takes a value of its type, and nil, also out of optionals`() throws {
        let field = Field<Int>(value: 3)
        let erased: AnyField = field
        try erased.setAnyValue(4)
        expect(field.value, equals: 4)
        let nested: Int??? = 5
        try erased.setAnyValue(nested as Any)
        expect(field.value, equals: 5)
        let none: Int??? = .some(.some(nil))
        try erased.setAnyValue(none as Any)
        expect(field.value, equals: nil)
        try erased.setAnyValue(6)
        try erased.setAnyValue(nil)
        expect(field.value, equals: nil)
        let optional = Field<Int?>(value: 1)
        try optional.setAnyValue(7)
        expect(optional.value, equals: .some(.some(7)))
        try optional.setAnyValue(nil)
        expect(optional.value, equals: .none)
    }

    @Test func `a value of another type is an issue, and the old value stays`() {
        let field = Field<Int>(value: 3)
        #expect(
            throws: Issue(
                code: "type",
                message: "must be Int, not String",
                parameters: ["found": "String"]
            )
        ) { try (field as AnyField).setAnyValue("4") }
        #expect(throws: Issue.self) { try field.setAnyValue(4.0) }
        #expect(throws: Issue.self) { try field.setAnyValue([4]) }
        expect(field.value, equals: 3)
        expect(field.updatedAt, equals: nil)
    }
}
