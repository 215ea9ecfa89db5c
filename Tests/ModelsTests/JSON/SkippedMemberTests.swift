import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Members of JSON objects that no field of the class has.
@Suite struct SkippedMemberTests {
    final class Item: Model {
        let name = Field<String>()
        let id = Field<Int>()
        let child = ModelField<Item>()
    }

    class Shape: ModelObject, @unchecked Sendable { let name = Field<String>() }

    static let numbers = [
        "123456789012345678901234567890", "18446744073709551615", "1e400", "-1e400", "1E99999",
        "1.5e400", "123456789012345678901e300", "0.12345678901234567890123",
        String(repeating: "9", count: 400), "[1e400, {\"a\": 18446744073709551615}]",
    ]

    enum Way: CaseIterable { case object, array, stream, twice, map, update, shape, inside }

    private func name(_ number: String, _ way: Way) throws -> String? {
        let text = #"{"trace": \#(number), "name": "A", "other": {"trace": \#(number)}}"#
        let json = Data(text.utf8)
        switch way {
        case .object: return try Item(json: json).name.value
        case .array: return try [Item](json: Data("[\(text)]".utf8))[0].name.value
        case .stream:
            var reader = ModelArrayReader<Item>()
            let items = try reader.read(Data("[\(text)]".utf8))
            try reader.finish()
            return items.first?.name.value
        case .twice:
            // A key that comes twice is read by attribute values.
            return try Item(json: Data(#"{"name": "B", "#.utf8) + json.dropFirst()).name.value
        case .map: return try IdentityMap().use { try Item(json: json) }.name.value
        case .update:
            let item = Item()
            try item.read(json: json)
            return item.name.value
        case .shape: return try Shape(json: json).name.value
        case .inside:
            let outer = #"{"child": {"name": "x", "child": \#(text)}}"#
            return try Item(json: Data(outer.utf8)).child.value?.child.value?.name.value
        }
    }

    @Test(arguments: Way.allCases)
    func `a number of any size is skipped under a key that no field has`(way: Way) throws {
        for number in Self.numbers {
            try expect(name(number, way), equals: "A", "\(number)")
        }
    }

    @Test func `what is no JSON is none under such a key either`() {
        for number in ["01", "1e", "-", "1.", ".5", "1e+", "+1", "0x1", "1e400e", "[1e400"] {
            for way in Way.allCases {
                #expect(throws: (any Error).self, "\(number)") { try name(number, way) }
            }
        }
    }

    @Test func `what is wrong elsewhere has its place behind such a number`() {
        let text = #"{"trace": 1e400, "id": "x"}"#
        let error = #expect(throws: ImportError.self) { try Item(json: Data(text.utf8)) }
        expect(error?.places.map { $0?.byte }, equals: [23])
        expect(error?.issues.map(\.path.description), equals: ["id"])
    }

    @Test func `under the key of a field, and in a value of any kind, it is an error as before`() {
        for number in ["1e400", "123456789012345678901234567890"] {
            #expect(throws: ImportError.self) {
                try Item(json: Data(#"{"id": \#(number)}"#.utf8))
            }
            #expect(throws: ImportError.self) {
                try AttributeValue(json: Data(#"{"a": \#(number)}"#.utf8))
            }
        }
    }

    /// Has a field that reflection does not find.
    final class Growing: Model {
        private let growth = Growth()
        let name = Field<String>()
        var extra: Field<Int> { growth.field }
        var dynamicFields: [AnyField] { [growth.field] }
    }

    // Safe: its property is a constant of a type that guards itself.
    final class Growth: @unchecked Sendable { let field = Field<Int>(key: "extra") }

    final class Farm: Model { let crops = ModelField<Growing>()* }

    @Test func `fields that a model says it has are read by every way`() throws {
        let text = #"{"name": "a", "extra": 1}"#
        let (json, list) = (Data(text.utf8), Data("[\(text)]".utf8))
        try expect(Growing(dictionaryValue: ["extra": 1]).extra.value, equals: 1)
        let growing = try Growing(json: json)
        expect(growing.extra.value, equals: 1)
        expect(growing.name.value, equals: "a")
        try expect(growing.jsonData(), equals: Data(#"{"extra":1,"name":"a"}"#.utf8))
        try expect([Growing](json: list)[0].extra.value, equals: 1)
        var reader = ModelArrayReader<Growing>()
        try expect(reader.read(list).first?.extra.value, equals: 1)
        try expect(
            Farm(json: Data(#"{"crops": \#("[\(text)]")}"#.utf8)).crops[0]?.extra.value,
            equals: 1
        )
        #expect(throws: ImportError.self) { try Growing(json: Data(#"{"extra": "x"}"#.utf8)) }
    }
}
