import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Objects that are read through a class which others inherit from.
@Suite struct SubclassCodingTests {
    class Shape: ModelObject, @unchecked Sendable {
        let kind = Field<String>()
        let drawnAt = Field<Date>()
        let inner = ModelField<Shape>()

        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            dictionary["kind"] == "circle" ? Circle.self : self
        }
    }

    final class Circle: Shape, @unchecked Sendable {
        let area = Field<Decimal>()
        let number = Field<UInt64>()
        let radius = Field<Double>()
        let seenAt = Field<Date>(key: ["seen", "at"])
        let seal = Field<Data>()
        let parts = ModelField<Shape>()*
    }

    final class Drawing: Model {
        let shape = ModelField<Shape>()
        let shapes = ModelField<Shape>()*
    }

    @Test func `each object of a deep tree is decoded once`() throws {
        var json = "null"
        for _ in 0..<12 { json = #"{"kind": "circle", "drawnAt": 1, "inner": \#(json)}"# }
        let count = Collector<Int>()
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            count.add(1)
            let time = try decoder.singleValueContainer().decode(Double.self)
            return Date(timeIntervalSince1970: time)
        }
        let shape = try decoder.decode(Shape.self, from: Data(json.utf8))
        expect(shape.drawnAt.value, equals: Date(timeIntervalSince1970: 1))
        expect(shape.inner.value?.inner.value is Circle)
        expect(count.values.count, equals: 12)
    }

    @Test func `what only the subclass can read is no error of the class above`() throws {
        let circle = Circle()
        circle.kind.value = "circle"
        circle.drawnAt.value = Date(timeIntervalSince1970: 1)
        circle.seenAt.value = Date(timeIntervalSince1970: 2)
        circle.seal.value = Data([1, 2])
        let part = Circle()
        part.kind.value = "circle"
        part.seenAt.value = Date(timeIntervalSince1970: 3)
        circle.parts.value = [part]
        let list = try PropertyListEncoder().encode(circle)
        let listed = try PropertyListDecoder().decode(Shape.self, from: list)
        expect(listed is Circle)
        expect(listed.dictionaryValue(), equals: circle.dictionaryValue())
        circle.number.value = .max
        let json = try JSONEncoder().encode(circle)
        let read = try JSONDecoder().decode(Shape.self, from: json)
        expect(read.dictionaryValue(), equals: circle.dictionaryValue())
        for kind in ["circle", "square"] {
            let other = Data(#"{"kind": "\#(kind)", "other": 18446744073709551615}"#.utf8)
            try expect(JSONDecoder().decode(Shape.self, from: other).kind.value, equals: kind)
        }
    }

    final class Labelled: ModelObject, @unchecked Sendable {
        let id = Field<String>()

        required init() {
            super.init()
            self << Field<UInt64>(key: "serial")
            self << Field<Date>(key: "madeAt")
            self << Field<Decimal>(key: "price")
            self << ModelField<Labelled>(key: "base")
        }
    }

    @Test func `what a class adds to each of its objects is read as its own fields are`() throws {
        let base = Labelled()
        base["serial"] = UInt64.max
        let labelled = Labelled()
        labelled["madeAt"] = Date(timeIntervalSince1970: 5)
        labelled["base"] = base
        let list = try PropertyListEncoder().encode(labelled)
        let read = try PropertyListDecoder().decode(Labelled.self, from: list)
        expect(read.dictionaryValue(), equals: labelled.dictionaryValue())
        let json = #"{"serial": 18446744073709551615, "base": {"price": \#(Self.digits)}}"#
        for found in [
            try JSONDecoder().decode(Labelled.self, from: Data(json.utf8)),
            try Labelled(json: Data(json.utf8)),
        ] {
            expect(found["serial"] as? UInt64, equals: .max)
            let inner = try #require(found["base"] as? Labelled)
            expect(inner["price"] as? Decimal, equals: Decimal(string: Self.digits))
        }
        let wrong = Data(#"{"serial": "many"}"#.utf8)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(Labelled.self, from: wrong) }
    }

    private static let digits = "1.2345678901234567890123"
    private static let circle = #"""
        {"kind": "circle", "area": \#(digits), "number": 18446744073709551615,
        "radius": 18446744073709551616, "other": [0.12345678901234567890]}
        """#

    enum Way: CaseIterable {
        case object, array, stream, field, elements, inside, update, map, foundation
    }

    private func read(_ way: Way) throws -> Shape? {
        let json = Data(Self.circle.utf8)
        let array = Data("[\(Self.circle)]".utf8)
        switch way {
        case .object: return try Shape(json: json)
        case .array: return try [Shape](json: array).first
        case .stream:
            var reader = ModelArrayReader<Shape>()
            let shapes = try reader.read(array)
            try reader.finish()
            return shapes.first
        case .field: return try Drawing(json: Data(#"{"shape": \#(Self.circle)}"#.utf8)).shape.value
        case .elements:
            return try Drawing(json: Data(#"{"shapes": [{}, \#(Self.circle)]}"#.utf8)).shapes[1]
        case .inside:
            let text = #"{"kind": "circle", "parts": [{"inner": \#(Self.circle)}]}"#
            return (try Shape(json: Data(text.utf8)) as? Circle)?.parts[0]?.inner.value
        case .update:
            let circle: Shape = Circle()
            try circle.read(json: json)
            return circle
        case .map: return try IdentityMap().use { try Shape(json: json) }
        case .foundation: return try JSONDecoder().decode(Shape.self, from: json)
        }
    }

    @Test(arguments: Way.allCases)
    func `a field of a subclass reads every digit of a number`(way: Way) throws {
        let circle = try #require(try read(way) as? Circle)
        expect(circle.area.value, equals: Decimal(string: Self.digits))
        expect(circle.number.value, equals: .max)
        expect(circle.radius.value, equals: 0x1p64)
    }

    @Test(arguments: ["circle", "square"])
    func `an integer that no class has a field for is skipped as everywhere`(kind: String) throws {
        let json = #"{"kind": "\#(kind)", "other": 18446744073709551615}"#
        try expect(Shape(json: Data(json.utf8)).kind.value, equals: kind)
        try expect([Shape](json: Data("[\(json)]".utf8)).first?.kind.value, equals: kind)
    }
}
