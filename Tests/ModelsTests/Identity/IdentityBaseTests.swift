import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Objects of subclasses in an identity map.
@Suite struct IdentityBaseTests {
    class Shape: ModelObject, @unchecked Sendable {
        let id = Field<Int>()
        let kind = Field<String>()
        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            switch dictionary["kind"] {
            case "circle": Circle.self
            case "ring": Ring.self
            default: self
            }
        }
    }

    class Circle: Shape, @unchecked Sendable {
        let radius = Field<Int>()
    }

    final class Ring: Circle, @unchecked Sendable {}

    final class Square: Shape, @unchecked Sendable {}

    final class Sheet: Model {
        let shape = ModelField<Shape>(foreignKey: true)
        let circle = ModelField<Circle>(foreignKey: true)
    }

    let map = IdentityMap()

    @Test func `an object is found by its class and by those above, however it was read`() throws {
        for (id, read) in [
            (1, { try map.read(Shape.self, ["id": 1, "kind": "ring"]) }),
            (2, { try map.read(Circle.self, ["id": 2, "kind": "ring"]) as Shape }),
            (3, { try map.read(Ring.self, ["id": 3, "kind": "ring"]) as Shape }),
            (4, { map.canonical(Ring.self, identifier: 4) as Shape }),
            (5, { map.insert(try Ring(dictionaryValue: ["id": 5])) as Shape }),
        ] as [(Int, () throws -> Shape)] {
            let ring = try read()
            expect(ring is Ring)
            expect(map.model(Shape.self, identifier: id) === ring)
            expect(map.model(Circle.self, identifier: id) === ring)
            expect(map.model(Ring.self, identifier: id) === ring)
            expect(map.model(Square.self, identifier: id), equals: nil)
            try expect(map.read(Shape.self, ["id": .int(Int64(id)), "kind": "ring"]) === ring)
            try expect(map.read(Ring.self, ["id": .int(Int64(id)), "radius": 7]) === ring)
            expect((ring as? Ring)?.radius.value, equals: 7)
            let sheet = try map.use {
                try Sheet(dictionaryValue: ["shape": .int(Int64(id)), "circle": .int(Int64(id))])
            }
            expect(sheet.shape.value === ring && sheet.circle.value === ring)
            map.remove(ring)
            expect(map.model(Shape.self, identifier: id), equals: nil)
            expect(map.model(Circle.self, identifier: id), equals: nil)
        }
        expect(map.count, equals: 0)
    }

    @Test func `two subclasses may have the same identifiers, and each is found by its own`() throws
    {
        let circle = try map.read(Circle.self, ["id": 1])
        let square = try map.read(Square.self, ["id": 1])
        expect(map.model(Circle.self, identifier: 1) === circle)
        expect(map.model(Square.self, identifier: 1) === square)
        expect(map.model(Shape.self, identifier: 1) === circle, "it came first")
        try expect(map.read(Square.self, ["id": 1]) === square)
    }

    @Test func `an object of a subclass that is gone leaves its place to others`() throws {
        do { _ = try map.read(Circle.self, ["id": 1]) }
        expect(map.model(Shape.self, identifier: 1), equals: nil)
        let square = try map.read(Square.self, ["id": 1])
        expect(map.model(Shape.self, identifier: 1) === square)
        for id in 0..<1_000 as Range<Int64> { _ = try map.read(Ring.self, ["id": .int(id)]) }
        expect(map.count < 200)
    }

    @Test func `what an import has given up is not found by a class above`() throws {
        #expect(throws: ImportError.self) {
            try map.read(Shape.self, ["id": 1, "kind": "circle", "radius": "x"])
        }
        expect(map.model(Shape.self, identifier: 1), equals: nil)
    }

    class Media: ModelObject, @unchecked Sendable {
        let id = Field<String>(key: ["meta", "id"])
        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            guard case .dictionary(let meta)? = dictionary["meta"],
                case .string(let id)? = meta["id"]
            else { return self }
            return id.hasPrefix("film-") ? Movie.self : id.hasPrefix("no-") ? Circle.self : self
        }
    }

    final class Movie: Media, @unchecked Sendable { let title = Field<String>() }

    final class Shelf: Model {
        let media = ModelField<Media>(foreignKey: true)*
    }

    @Test func `a shell is of the class that its identifier says`() throws {
        let shelf = try map.use { try Shelf(dictionaryValue: ["media": ["film-1", "2", "no-3"]]) }
        expect(shelf.media[0] is Movie)
        expect(shelf.media.value?.map(\.id.value), equals: ["film-1", "2", "no-3"])
        expect(
            shelf.media.value?.map(\.loadState),
            equals: [.incomplete, .incomplete, .incomplete]
        )
        expect(shelf.media[1].map { type(of: $0) == Media.self }, equals: true)
        expect(shelf.media[2].map { type(of: $0) == Media.self }, equals: true, "which is no Media")
        let film = try map.read(Media.self, ["meta": ["id": "film-1"], "title": "Alien"])
        expect(film === shelf.media[0])
        expect((film as? Movie)?.title.value, equals: "Alien")
        expect(map.canonical(Media.self, identifier: "film-9") is Movie)
    }
}
