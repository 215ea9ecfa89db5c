import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
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
        expect((shape as? Circle)?.radius.value, equals: 2)
        expect(shape.dictionaryValue(), equals: ["kind": "circle", "radius": 2.0])
        expect(shape.description, equals: #"Circle(kind: "circle", radius: 2.0)"#)
        expect(type(of: try Shape.make(of: ["kind": "square"])) == Shape.self)
        expect(shape.copy() is Circle)
        expect((shape.copy() as? Circle)?.radius.value, equals: 2)
    }

    @Test func `a subclass checks itself, and what it inherits`() throws {
        let stay = ShortStay()
        stay.from.value = 9
        stay.to.value = 2
        expect(stay.validate(), equals: .invalid(["to must not be before the start"]))
        stay.to.value = 12
        expect(stay.validate(), equals: .invalid(["is too long"]))
        expect((stay as Stay).validationIssues().count, equals: 1)
        expect(Shape().validate(), equals: .valid)
    }

    @Test func `a subclass has the name that it or the class above says`() {
        expect(Stay.modelName, equals: "stays")
        expect(ShortStay.modelName, equals: "stays")
        expect(Stay.schema.name, equals: "stays")
        expect(Circle.modelName, equals: "Circle")
        expect(Circle.schema.name, equals: "Circle")
    }

    @Test func `a JSON Schema reports the check of a subclass`() {
        let note = "has checks of its fields that only its code knows"
        expect(JSONSchema(ShortStay.self).notRepresented.map(\.message).contains(note))
        expect(!JSONSchema(Circle.self).notRepresented.map(\.message).contains(note))
    }

    @Test func `an initialiser makes a model of the class that a dictionary says`() throws {
        let dictionary: AttributeDictionary = ["kind": "circle", "radius": 2.0]
        try expect(Shape(dictionaryValue: dictionary) is Circle)
        try expect(Shape(dictionary: ["kind": "circle", "radius": 2.0]) is Circle)
        let json = try AttributeValue.dictionary(dictionary).jsonData()
        try expect(Shape(json: json) is Circle)
        try expect(JSONDecoder().decode(Shape.self, from: json) is Circle)
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
            try expect(Shape(dictionaryValue: dictionary) === circle)
            try expect(Shape(dictionary: ["id": "1"]) === circle)
            let json = try AttributeValue.dictionary(["id": "1"]).jsonData()
            try expect(JSONDecoder().decode(Shape.self, from: json) === circle)
        }
    }

    @Test func `a field of models has each of its class`() throws {
        let drawing = try Drawing(dictionaryValue: [
            "shapes": [["kind": "circle", "radius": 1.0], ["kind": "x"]],
            "frame": ["kind": "circle", "radius": -1.0],
        ])
        expect(drawing.shapes[0] is Circle)
        expect(!(drawing.shapes[1] is Circle))
        expect(
            drawing.validationIssues().map(\.description),
            equals: ["frame.radius must be positive"]
        )
        let shapes = try [Shape](json: try #require(drawing.shapes.value).jsonData())
        expect(shapes[0] is Circle)
    }

    @Test func `a class that is none of the field's is an issue`() {
        #expect {
            try Drawing(dictionaryValue: ["frame": ["kind": "other"]])
        } throws: { error in
            (error as? ImportError)?.description == "frame is of Other, which is no Shape"
        }
    }

    @Test func `what is of a wrong class is left out where that is asked for`() throws {
        let report = ImportReport()
        let drawing = try Drawing(
            dictionaryValue: [
                "shapes": [["kind": "other"], ["kind": "circle"]], "frame": ["kind": "other"],
            ],
            policy: .skipInvalid(report)
        )
        expect(drawing.shapes.count, equals: 1)
        expect(drawing.shapes[0] is Circle)
        expect(drawing.frame.value, equals: nil)
        expect(report.issues.map(\.path.description), equals: ["shapes[0]", "frame"])
        let dictionaries: [AttributeDictionary] = [["kind": "x"], ["kind": "other"]]
        try expect(
            [Shape](dictionaryValues: dictionaries, policy: .skipInvalid()).count,
            equals: 1
        )
        let json = Data(#"[{"kind": "other"}, {"kind": "circle"}]"#.utf8)
        try expect([Shape](json: json, policy: .skipInvalid()).count, equals: 1)
    }

    @Test func `a whole model of a wrong class is thrown all the same`() {
        func message(_ body: () throws -> Shape) -> String? {
            do {
                _ = try body()
                return nil
            } catch {
                return (error as? ImportError)?.description
            }
        }
        let expected = "is of Other, which is no Shape"
        expect(
            message { try Shape.make(of: ["kind": "other"], policy: .skipInvalid()) },
            equals: expected
        )
        expect(
            message { try Shape(dictionaryValue: ["kind": "other"], policy: .skipInvalid()) },
            equals: expected
        )
        let json = Data(#"{"kind": "other"}"#.utf8)
        let found = message { try Shape(json: json, policy: .skipInvalid()) }
        expect(found?.hasPrefix(expected), equals: true)
    }

    @Test func `an object of a class that cannot hold what came is an issue`() throws {
        let map = IdentityMap()
        let shape = map.canonical(Shape.self, identifier: "1")
        #expect {
            try map.read(Shape.self, ["id": "1", "kind": "circle", "radius": 1.0])
        } throws: { error in
            (error as? ImportError)?.description
                == "is of Circle, but the object in use for 1 is of Shape"
        }
        expect(map.model(Shape.self, identifier: "1") === shape)
        try expect(map.read(Shape.self, ["id": "1", "kind": "x"]) === shape)
    }

    @Test(arguments: ["dictionary", "Codable", "JSON", "native"])
    func `every way to read makes a model of the class that is said, and the one in use`(
        way: String
    ) throws {
        let dictionary: AttributeDictionary = ["id": "1", "kind": "circle", "radius": 2.5]
        let json = try AttributeValue.dictionary(dictionary).jsonData()
        func read() throws -> Shape {
            switch way {
            case "dictionary": try Shape(dictionaryValue: dictionary)
            case "Codable": try JSONDecoder().decode(Shape.self, from: json)
            case "JSON": try Shape(json: json)
            default: try Shape(dictionary: ["id": "1", "kind": "circle", "radius": 2.5])
            }
        }
        expect((try read() as? Circle)?.radius.value, equals: 2.5)
        let map = IdentityMap()
        let shape = try map.use { try read() }
        try expect(map.use { try read() } === shape)
        expect(map.model(Shape.self, identifier: "1") === shape)
    }

    @Test func `an identity map has models of subclasses under the type that was asked for`() throws
    {
        let map = IdentityMap()
        let circle = try map.read(Shape.self, ["id": "1", "kind": "circle", "radius": 1.0])
        expect(circle is Circle)
        expect(map.model(Shape.self, identifier: "1") === circle)
        try expect(map.read(Shape.self, ["id": "1", "radius": 3.0]) === circle)
        expect((circle as? Circle)?.radius.value, equals: 3)
    }

    @Test func `a field can be added to one object`() throws {
        let shape = Shape(), other = Shape()
        shape.id.value = "1"
        shape << Field<String>(key: "nick")
        shape << Field<Int>(priority: 1, key: ["size", "width"])
        shape["nick"] = "Dot"
        shape["size.width"] = 3
        expect(
            shape.dictionaryValue(),
            equals: ["id": "1", "nick": "Dot", "size": ["width": 3]]
        )
        expect(shape.dynamicFields.map(\.key), equals: [["size", "width"], "nick"])
        try shape.read(dictionaryValue: ["nick": "Spot"])
        expect(shape["nick"] as? String, equals: "Spot")
        expect(shape.description, equals: #"Shape(id: "1", size.width: 3, nick: "Spot")"#)
        expect(other.dynamicFields.isEmpty)
        let copy = shape.copy()
        shape["nick"] = nil
        expect(copy["nick"] as? String, equals: "Spot")
        expect(copy.merge(from: shape), equals: [["nick"]])
        var count = 0
        shape.visitAllFields { _ in count += 1 }
        expect(count, equals: 4)
        shape.add(Field<String>(key: "note").require(.required))
        expect(shape.validate(), equals: .invalid(["note is required"]))
        shape.unload()
        expect(shape.dictionaryValue(), equals: ["id": "1"])
    }

    class Styled: ModelObject, @unchecked Sendable {
        let id = Field<String>()

        required init() {
            super.init()
            add(Field<String>(value: "black", key: "color"))
            self << Field<Int>(priority: 1, key: "width")
            add(ModelField<Styled>(key: "base"))
        }
    }

    final class Dotted: Styled, @unchecked Sendable {
        let gap = Field<Int>()

        required init() {
            super.init()
            add(Field<Int>(key: "gap"))
        }
    }

    @Test func `a class can add fields to each of its objects`() throws {
        let messages = Collector<Diagnostic>()
        try ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let styled = try Styled(dictionaryValue: [
                "id": "1", "width": 2, "base": ["id": "2", "color": "red"],
            ])
            expect(
                styled.dictionaryValue(),
                equals: [
                    "id": "1", "width": 2, "color": "black", "base": ["id": "2", "color": "red"],
                ]
            )
            expect(Styled.schema.fields.map(\.name), equals: ["id"])
            expect(messages.values.count, equals: 0)
            let dotted = Dotted()
            expect(dotted.dynamicFields.map(\.key), equals: ["width", "color", "base"])
            let message = "Dotted has a field with the key gap already"
            expect(messages.values.map(\.message), equals: [message])
        }
    }

    @Test func `a copy has the fields of its class and those of the object, by their keys`() {
        let styled = Styled()
        styled << Field<Int>(priority: 0, key: "depth")
        styled["depth"] = 5
        styled["width"] = 7
        styled["color"] = "blue"
        styled["base"] = styled
        let copy = styled.copy()
        expect(copy.dynamicFields.map(\.key), equals: styled.dynamicFields.map(\.key))
        expect(copy["depth"] as? Int, equals: 5)
        expect(copy["width"] as? Int, equals: 7)
        expect(copy["color"] as? String, equals: "blue")
        expect(copy["base"] as? Styled === copy)
        copy["width"] = 8
        expect(styled["width"] as? Int, equals: 7)
        styled["base"] = nil
        copy["base"] = nil
    }

    @Test func `keys that are one in a context stay as declared, or are left out`() throws {
        let context = ValueTransformerContext(name: "snake", keyCase: .snake)
        let shape = Shape()
        for key: FieldKey in ["homeTown", "home_town", "Kind", "nickName"] {
            shape << Field<String>(key: key)
        }
        shape["homeTown"] = "a"
        shape["home_town"] = "b"
        shape["Kind"] = "c"
        shape["nickName"] = "d"
        let messages = Collector<Diagnostic>()
        try ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            let dictionary = shape.dictionaryValue(in: context)
            expect(
                dictionary,
                equals: ["homeTown": "a", "home_town": "b", "Kind": "c", "nick_name": "d"]
            )
            try shape.read(
                dictionaryValue: ["homeTown": "A", "home_town": "B", "Kind": "C"],
                in: context
            )
        }
        expect(shape["homeTown"] as? String, equals: "A")
        expect(shape["home_town"] as? String, equals: "B")
        expect(shape["Kind"] as? String, equals: "C")
        expect(messages.values.map(\.field), equals: ["homeTown", "Kind"])

        final class Place: ModelObject, @unchecked Sendable { let homeTown = Field<String>() }
        let place = Place()
        place.homeTown.value = "a"
        place << Field<String>(key: "home_town")
        place["home_town"] = "b"
        let others = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ others.add($0) }) {
            expect(place.dictionaryValue(), equals: ["homeTown": "a", "home_town": "b"])
            expect(place.dictionaryValue(in: context), equals: ["home_town": "a"])
            expect(place.dictionaryValue(in: context), equals: ["home_town": "a"])
        }
        expect(others.values.map(\.field), equals: ["home_town"])
    }

    @Test func `a field without a key, or with one that is taken, is refused`() {
        let shape = Shape()
        let messages = Collector<Diagnostic>()
        ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            expect(!shape.add(Field<String>()))
            expect(!shape.add(Field<String>(key: "kind")))
            expect(!shape.add(Field<String>(key: ["kind", "a"])))
            expect(shape.add(Field<String>(key: "a.b")))
            expect(!shape.add(Field<String>(key: "a.b")))
        }
        expect(messages.values.count, equals: 4)
        shape[FieldPath(key: "a.b")] = "x"
        expect(shape.dictionaryValue(), equals: ["a.b": "x"])
    }
}
