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
