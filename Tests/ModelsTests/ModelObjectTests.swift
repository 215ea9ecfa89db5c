import Foundation
import ModelKitFields
import ModelKitModels
import Testing

@Suite struct ModelObjectTests {
    class Shape: ModelObject, @unchecked Sendable {
        let id = Field<String>()
        let kind = Field<String>()

        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            switch dictionary["kind"] {
            case "circle": Circle.self
            case "other": Other.self
            default: self
            }
        }
    }

    final class Circle: Shape, @unchecked Sendable {
        let radius = Field<Double>().require("must be positive") { $0 > 0 }
    }

    final class Other: ModelObject, @unchecked Sendable {}

    class Stay: ModelObject, @unchecked Sendable {
        let from = Field<Int>(), to = Field<Int>()
        override class var modelName: String { "stays" }

        override func check(_ report: inout ModelReport) {
            super.check(&report)
            report.require(to, "must not be before the start") {
                (from.value ?? 0) <= (to.value ?? .max)
            }
            super.check(&report)
        }
    }

    final class ShortStay: Stay, @unchecked Sendable {
        override func check(_ report: inout ModelReport) {
            super.check(&report)
            report.require("is too long") { (to.value ?? 0) - (from.value ?? 0) < 3 }
        }
    }

    final class Drawing: Model {
        let shapes = ModelField<Shape>()*
        let frame = ModelField<Shape>().requireValid()
    }

    @Test func `a dictionary makes a model of the class that it says`() throws {
        let shape = try Shape.make(of: ["kind": "circle", "radius": 2.0])
        #expect((shape as? Circle)?.radius.value == 2)
        #expect(shape.dictionaryValue() == ["kind": "circle", "radius": 2.0])
        #expect(shape.description == #"Circle(kind: "circle", radius: 2.0)"#)
        #expect(type(of: try Shape.make(of: ["kind": "square"])) == Shape.self)
        #expect(shape.copy() is Circle)
        #expect((shape.copy() as? Circle)?.radius.value == 2)
    }

    @Test func `a subclass checks itself, and what it inherits`() throws {
        let stay = ShortStay()
        stay.from.value = 9
        stay.to.value = 2
        #expect(stay.validate() == .invalid(["to must not be before the start"]))
        stay.to.value = 12
        #expect(stay.validate() == .invalid(["is too long"]))
        #expect((stay as Stay).validationIssues().count == 1)
        #expect(Shape().validate() == .valid)
    }

    @Test func `a subclass has the name that it or the class above says`() {
        #expect(Stay.modelName == "stays")
        #expect(ShortStay.modelName == "stays")
        #expect(Stay.schema.name == "stays")
        #expect(Circle.modelName == "Circle")
        #expect(Circle.schema.name == "Circle")
    }

    @Test func `a JSON Schema tells of the check of a subclass`() {
        let note = "has checks of its fields that only its code knows"
        #expect(JSONSchema(ShortStay.self).notRepresented.map(\.message).contains(note))
        #expect(!JSONSchema(Circle.self).notRepresented.map(\.message).contains(note))
    }

    @Test func `an initialiser makes a model of the class that a dictionary says`() throws {
        let dictionary: AttributeDictionary = ["kind": "circle", "radius": 2.0]
        #expect(try Shape(dictionaryValue: dictionary) is Circle)
        #expect(try Shape(dictionary: ["kind": "circle", "radius": 2.0]) is Circle)
        let json = try AttributeValue.dictionary(dictionary).jsonData()
        #expect(try Shape(json: json) is Circle)
        #expect(try JSONDecoder().decode(Shape.self, from: json) is Circle)
        #expect {
            try Circle(dictionaryValue: ["kind": "other"])
        } throws: { error in
            (error as? ImportError)?.description == "is of Other, which is no Circle"
        }
    }

    @Test func `an initialiser gives the object that an identity map has`() throws {
        let map = IdentityMap()
        let dictionary: AttributeDictionary = ["id": "1", "kind": "circle", "radius": 1.0]
        let circle = try map.read(Shape.self, dictionary)
        try map.use {
            #expect(try Shape(dictionaryValue: dictionary) === circle)
            #expect(try Shape(dictionary: ["id": "1"]) === circle)
            let json = try AttributeValue.dictionary(["id": "1"]).jsonData()
            #expect(try JSONDecoder().decode(Shape.self, from: json) === circle)
        }
    }

    @Test func `a field of models has each of its class`() throws {
        let drawing = try Drawing(dictionaryValue: [
            "shapes": [["kind": "circle", "radius": 1.0], ["kind": "x"]],
            "frame": ["kind": "circle", "radius": -1.0],
        ])
        #expect(drawing.shapes[0] is Circle)
        #expect(!(drawing.shapes[1] is Circle))
        #expect(drawing.validationIssues().map(\.description) == ["frame.radius must be positive"])
        let shapes = try [Shape](json: try #require(drawing.shapes.value).jsonData())
        #expect(shapes[0] is Circle)
    }

    @Test func `a class that is none of the field's is an issue`() {
        #expect {
            try Drawing(dictionaryValue: ["frame": ["kind": "other"]])
        } throws: { error in
            (error as? ImportError)?.description == "frame is of Other, which is no Shape"
        }
    }

    @Test func `an identity map has models of subclasses under the type that was asked for`() throws
    {
        let map = IdentityMap()
        let circle = try map.read(Shape.self, ["id": "1", "kind": "circle", "radius": 1.0])
        #expect(circle is Circle)
        #expect(map.model(Shape.self, identifier: "1") === circle)
        #expect(try map.read(Shape.self, ["id": "1", "radius": 3.0]) === circle)
        #expect((circle as? Circle)?.radius.value == 3)
    }

    @Test func `a field can be added to one object`() throws {
        let shape = Shape(), other = Shape()
        shape.id.value = "1"
        shape << Field<String>(key: "nick")
        shape << Field<Int>(priority: 1, key: ["size", "width"])
        shape["nick"] = "Dot"
        shape["size.width"] = 3
        #expect(
            shape.dictionaryValue() == ["id": "1", "nick": "Dot", "size": ["width": 3]]
        )
        #expect(shape.dynamicFields.map(\.key) == [["size", "width"], "nick"])
        try shape.read(dictionaryValue: ["nick": "Spot"])
        #expect(shape["nick"] as? String == "Spot")
        #expect(shape.description == #"Shape(id: "1", size.width: 3, nick: "Spot")"#)
        #expect(other.dynamicFields.isEmpty)
        let copy = shape.copy()
        shape["nick"] = nil
        #expect(copy["nick"] as? String == "Spot")
        #expect(copy.merge(from: shape) == [["nick"]])
        var count = 0
        shape.visitAllFields { _ in count += 1 }
        #expect(count == 4)
        shape.add(Field<String>(key: "note").require(.required))
        #expect(shape.validate() == .invalid(["note is required"]))
        shape.unload()
        #expect(shape.dictionaryValue() == ["id": "1"])
    }

    @Test func `a field without a key, or with one that is taken, is refused`() {
        let shape = Shape()
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            #expect(!shape.add(Field<String>()))
            #expect(!shape.add(Field<String>(key: "kind")))
            #expect(!shape.add(Field<String>(key: ["kind", "a"])))
            #expect(shape.add(Field<String>(key: "a.b")))
            #expect(!shape.add(Field<String>(key: "a.b")))
        }
        #expect(messages.values.count == 4)
        shape[FieldPath(key: "a.b")] = "x"
        #expect(shape.dictionaryValue() == ["a.b": "x"])
    }
}
