import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Which class an object is of, where the keys are spelled in another way.
@Suite struct KeyCaseClassTests {
    class Shape: ModelObject, @unchecked Sendable {
        let shapeKind = Field<String>()
        let detail = Field<String>(key: ["meta", "subKind"])

        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            if case .dictionary(let meta)? = dictionary["meta"], meta["subKind"] == "ring" {
                return Ring.self
            }
            return dictionary["shapeKind"] == "circle" ? Circle.self : self
        }
    }

    final class Circle: Shape, @unchecked Sendable {
        let radius = Field<Double>()
        let area = Field<Decimal>()
        let seenAt = Field<Date>()
    }

    final class Ring: Shape, @unchecked Sendable { let gap = Field<Double>() }

    final class Drawing: Model {
        let shape = ModelField<Shape>()
        let shapes = ModelField<Shape>()*
    }

    enum Way: CaseIterable {
        case make, initialiser, json, array, jsonArray, stream, field, elements, map, codable
    }

    private static func read(
        _ shape: Shape,
        _ way: Way,
        in context: ValueTransformerContext
    ) throws -> Shape? {
        let dictionary = shape.dictionaryValue(in: context)
        let json = try shape.jsonData(in: context)
        let drawing = Drawing()
        drawing.shape.value = shape
        drawing.shapes.value = [shape]
        switch way {
        case .make: return try Shape.make(of: dictionary, in: context)
        case .initialiser: return try Shape(dictionaryValue: dictionary, in: context)
        case .json: return try Shape(json: json, in: context)
        case .array: return try [Shape](dictionaryValues: [dictionary], in: context).first
        case .jsonArray: return try [Shape](json: [shape].jsonData(in: context), in: context).first
        case .stream:
            var reader = ModelArrayReader<Shape>(in: context)
            return try reader.read([shape].jsonData(in: context)).first
        case .field:
            return try Drawing(json: drawing.jsonData(in: context), in: context).shape.value
        case .elements:
            return try Drawing(dictionaryValue: drawing.dictionaryValue(in: context), in: context)
                .shapes[0]
        case .map: return try IdentityMap().read(Shape.self, dictionary, in: context)
        case .codable:
            let encoder = PropertyListEncoder(), decoder = PropertyListDecoder()
            encoder.userInfo[.valueTransformerContext] = context
            decoder.userInfo[.valueTransformerContext] = context
            return try decoder.decode(Shape.self, from: try encoder.encode(shape))
        }
    }

    @Test(arguments: Way.allCases, [KeyCase.snake, .upperCamel, .kebab, .upper])
    func `a class is asked with the keys as they are declared`(way: Way, keyCase: KeyCase) throws {
        let context = ValueTransformerContext(name: "other", keyCase: keyCase)
        let circle = Circle(), ring = Ring()
        circle.shapeKind.value = "circle"
        circle.radius.value = 2
        circle.area.value = Decimal(string: "12345678901234567890.5")
        circle.seenAt.value = Date(timeIntervalSince1970: 5)
        ring.detail.value = "ring"
        ring.gap.value = 0.5
        let read = try #require(try Self.read(circle, way, in: context) as? Circle)
        expect(read.dictionaryValue(), equals: circle.dictionaryValue())
        let other = try #require(try Self.read(ring, way, in: context) as? Ring)
        expect(other.dictionaryValue(), equals: ring.dictionaryValue())
    }

    class Gauge: ModelObject, @unchecked Sendable {
        let gaugeKind = Field<String>()
        let inner = ModelField<Gauge>()
        static let calls = Setting(0)

        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            calls.value += 1
            return self
        }
    }

    @Test func `the class of an object is found once for many numbers in it`() throws {
        let context = ValueTransformerContext(name: "digits", keyCase: .snake)
        let numbers = (0..<100).map { #""n\#($0)":18446744073709551615"# }.joined(separator: ",")
        let text = #"{"gauge_kind":"a","inner":{"gauge_kind":"b",\#(numbers)},\#(numbers)}"#
        let gauge = try Gauge(json: Data(text.utf8), in: context)
        expect(gauge.inner.value?.gaugeKind.value, equals: "b")
        expect(Gauge.calls.value < 20, "\(Gauge.calls.value)")
    }

    @Test func `each of several objects takes the digits that its own class has a field for`()
        throws
    {
        let context = ValueTransformerContext(name: "digits", keyCase: .snake)
        let wide = "0.12345678901234567890"
        let texts = ["circle", "ring", "circle"].map {
            $0 == "ring"
                ? #"{"meta":{"sub_kind":"ring"},"gap":\#(wide),"area":\#(wide)}"#
                : #"{"area":\#(wide),"shape_kind":"circle","radius":\#(wide)}"#
        }
        let json = Data(#"{"shape":\#(texts[1]),"shapes":[\#(texts.joined(separator: ","))]}"#.utf8)
        let drawing = try Drawing(json: json, in: context)
        expect((drawing.shape.value as? Ring)?.gap.value, equals: 0.12345678901234568)
        expect(drawing.shapes.value?.map { $0 is Ring }, equals: [false, true, false])
        for case let circle as Circle in drawing.shapes.value ?? [] {
            expect(circle.area.value, equals: Decimal(string: "0.1234567890123456789"))
            expect(circle.radius.value, equals: 0.12345678901234568)
        }
    }
}
