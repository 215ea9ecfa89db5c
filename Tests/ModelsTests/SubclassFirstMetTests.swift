import Foundation
import ModelKitFields
import ModelKitForms
import ModelKitModels
import TestSupport
import Testing

/// A class of objects, of which there is one for each way to meet a subclass first as its superclass: what is
/// found out of a class is kept for the whole process.
private class Shape<Way>: ModelObject, @unchecked Sendable {
    let id = Field<Int>()
    let kind = Field<String>()

    override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
        dictionary["kind"] == "circle" ? Circle<Way>.self : Shape<Way>.self
    }

    override class var subclasses: [ModelObject.Type] {
        self == Shape<Way>.self ? [Circle<Way>.self] : []
    }

    /// A circle, of which nothing is said but that it is a shape.
    @inline(never)
    static func circle(_ radius: Double? = 2) -> Shape<Way> {
        let circle = Circle<Way>()
        circle.id.value = 1
        circle.kind.value = "circle"
        circle.radius.value = radius
        return circle
    }

    var known: Double? { (self as? Circle<Way>)?.radius.value }
}

private final class Circle<Way>: Shape<Way>, @unchecked Sendable {
    let radius = Field<Double>().require(.min(0))
}

private final class ShapeHolder<Way>: Model {
    let shapes = ModelField<Shape<Way>>()*
    let frame = ModelField<Shape<Way>>()
}

@Suite struct SubclassFirstMetTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let radius: @Sendable () throws -> Double?

        init(_ name: String, _ radius: @escaping @Sendable () throws -> Double?) {
            testDescription = name
            self.radius = radius
        }
    }

    private static let json = Data(#"{"id": 1, "kind": "circle", "radius": 2}"#.utf8)

    private static func radius(_ dictionary: AttributeDictionary) -> Double? {
        if case .double(let radius)? = dictionary["radius"] { radius } else { nil }
    }

    private static func radius(_ json: Data) throws -> Double? {
        guard case .dictionary(let dictionary) = try AttributeValue(json: json) else { return nil }
        return dictionary["radius"].flatMap { try? Double(attributeValue: $0) }
    }

    // Each has types of its own.
    static let cases = [
        Case("dictionaryValue") { radius(Shape<Int>.circle().dictionaryValue()) },
        Case("jsonData") { try radius(Shape<Int8>.circle().jsonData()) },
        Case("read(dictionaryValue:)") {
            let shape = Shape<Int16>.circle(nil)
            try shape.read(dictionaryValue: ["radius": 2])
            return shape.known
        },
        Case("read(json:)") {
            let shape = Shape<Int32>.circle(nil)
            try shape.read(json: json)
            return shape.known
        },
        Case("copy") { Shape<Int64>.circle().copy().known },
        Case("draft") { Shape<UInt>.circle().draft().scratch.known },
        Case("merge") {
            let shape = Shape<UInt8>.circle(nil)
            shape.merge(from: Shape<UInt8>.circle())
            return shape.known
        },
        Case("validate") { Shape<UInt16>.circle(-1).validate() == .valid ? nil : 2 },
        Case("description") {
            Shape<UInt32>.circle().description.contains("radius: 2.0") ? 2 : nil
        },
        Case("encode") { try radius(JSONEncoder().encode(Shape<UInt64>.circle())) },
        Case("decode") { try JSONDecoder().decode(Shape<Float>.self, from: json).known },
        Case("make(of:)") { try Shape<Double>.make(of: ["kind": "circle", "radius": 2]).known },
        Case("an array of JSON") {
            try [Shape<Bool>](json: Data("[".utf8) + json + Data("]".utf8)).first?.known
        },
        Case("a field") {
            let drawing = try ShapeHolder<Character>(
                json: Data(#"{"frame": "#.utf8) + json + Data("}".utf8)
            )
            return drawing.frame.value?.known
        },
        Case("an array in a field") {
            let drawing = ShapeHolder<String>()
            drawing.shapes.value = [.circle()]
            return try ShapeHolder<String>(dictionaryValue: drawing.dictionaryValue()).shapes[0]?
                .known
        },
        Case("an identity map") {
            try IdentityMap().read(Shape<Substring>.self, ["id": 1, "kind": "circle", "radius": 2])
                .known
        },
        Case("the schema of a metatype") {
            func schema<Known: Model>(of model: Known) -> ModelSchema { type(of: model).schema }
            return schema(of: Shape<Data>.circle()).entry(named: "radius") == nil ? nil : 2
        },
        Case("the name of a metatype") {
            func name<Known: Model>(of model: Known) -> String { type(of: model).modelName }
            return name(of: Shape<Date>.circle()).hasPrefix("Circle") ? 2 : nil
        },
        Case("a path") { Shape<URL>.circle()["radius"] as? Double },
    ]

    @Test(arguments: cases)
    func `a subclass that is first met as its superclass keeps its own fields`(_ test: Case) throws
    {
        try expect(test.radius(), equals: 2)
    }

    @Test func `a class that another names as its subclass is known before anybody uses it`() {
        let names = Shape<Never>.schema.subclasses.map(\.name)
        expect(names, equals: [Circle<Never>.modelName])
    }
}
