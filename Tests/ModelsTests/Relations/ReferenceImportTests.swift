import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// What an export has written as a reference, an import reads as the model that it is of.
@Suite struct ReferenceImportTests {
    final class Office: Model {
        let id = Field<Int>()
        let desks = ModelField<Desk>(inverse: \.office)*
        init() { linkFields() }
    }

    final class Desk: Model {
        let id = Field<Int>()
        let label = Field<String>()
        let office = ModelField<Office>()
        init() { linkFields() }
    }

    final class Student: Model {
        let id = Field<String>()
        let courses = ModelField<Course>(inverse: \.students)*
        init() { linkFields() }
    }

    final class Course: Model {
        let id = Field<String>()
        let students = ModelField<Student>()*
        init() { linkFields() }
    }

    /// Has no inverse, and its fields in another order than their keys.
    final class Person: Model {
        let spouse = ModelField<Person>()
        let friend = ModelField<Person>()
        let name = Field<String>()
        let personID = Field<Int>(key: ["meta", "personID"]).identifier()
    }

    enum Way: CaseIterable {
        case dictionary, native, json, codable, array, jsonArray, stream, update, updateByJSON, map

        func read<M: Model>(_ model: M) throws -> M {
            let dictionary = model.dictionaryValue()
            let json = try model.jsonData()
            switch self {
            case .dictionary: return try M(dictionaryValue: dictionary)
            case .native: return try M(dictionary: model.dictionary())
            case .json: return try M(json: json)
            case .codable:
                return try JSONDecoder().decode(M.self, from: try JSONEncoder().encode(model))
            case .array: return try [M](dictionaryValues: [[:], dictionary])[1]
            case .jsonArray: return try [M](json: Data("[{},".utf8) + json + Data("]".utf8))[1]
            case .stream:
                var reader = ModelArrayReader<M>()
                let models = try reader.read(Data("[{},".utf8) + json + Data("]".utf8))
                return models[1]
            case .update:
                let read = M()
                try read.read(dictionaryValue: dictionary)
                return read
            case .updateByJSON:
                let read = M()
                try read.read(json: json)
                return read
            case .map: return try IdentityMap().use { try M(json: json) }
            }
        }
    }

    private static func text(_ model: some Model) throws -> String {
        String(decoding: try model.jsonData(), as: UTF8.self)
    }

    @Test(arguments: Way.allCases)
    func `from either side of a relation the same models are read`(way: Way) throws {
        let office = Office(), desks = [Desk(), Desk(), Desk()]
        office.id.value = 7
        for (index, desk) in desks.enumerated() { desk.id.value = index + 1 }
        office.desks.value = desks
        for desk in desks {
            let read = try way.read(desk)
            let around = try #require(read.office.value)
            expect(around.desks.value?.map(\.id.value), equals: [1, 2, 3])
            expect(around.desks.value?.contains { $0 === read }, equals: true)
            expect(around.desks.value?.allSatisfy { $0.office.value === around }, equals: true)
            try expect(Self.text(read), equals: Self.text(desk))
            around.unlink()
        }
        let read = try way.read(office)
        expect(read.desks.value?.map(\.id.value), equals: [1, 2, 3])
        try expect(Self.text(read), equals: Self.text(office))
        read.unlink()
        office.unlink()
    }

    @Test(arguments: Way.allCases)
    func `many to many each model is read once`(way: Way) throws {
        let (one, two) = (Student(), Student())
        let (first, second) = (Course(), Course())
        (one.id.value, two.id.value) = ("s1", "s2")
        (first.id.value, second.id.value) = ("c1", "c2")
        one.courses.value = [first, second]
        two.courses.value = [first]
        let read = try way.read(one)
        expect(read.courses.value?.map(\.id.value), equals: ["c1", "c2"])
        let course = try #require(read.courses[0])
        expect(course.students.value?.map(\.id.value), equals: ["s1", "s2"])
        expect(course.students[0] === read)
        expect(course.students[1]?.courses.value, equals: [course])
        expect(read.courses[1]?.students.value, equals: [read])
        try expect(Self.text(read), equals: Self.text(one))
        for model in [course, try #require(read.courses[1]), first, second] { model.unlink() }
    }

    @Test(arguments: Way.allCases)
    func `without an inverse a model is that which was read, whatever the order of the fields`(
        way: Way
    ) throws {
        let (one, other) = (Person(), Person())
        (one.personID.value, other.personID.value) = (1, 2)
        (one.friend.value, one.spouse.value, other.friend.value) = (other, other, one)
        other.name.value = "Ada"
        expect(one.dictionaryValue()["spouse"], equals: ["meta": ["personID": 2]])
        let read = try way.read(one)
        expect(read.spouse.value === read.friend.value)
        expect(read.spouse.value?.name.value, equals: "Ada")
        expect(read.friend.value?.friend.value === read)
        for person in [one, read] { (person.friend.value, person.spouse.value) = (nil, nil) }
    }

    @Test func `in a context references are found by their keys there`() throws {
        let snake = ValueTransformerContext(name: "snake", keyCase: .snake)
        let one = Person()
        one.personID.value = 1
        one.friend.value = one
        let dictionary = one.dictionaryValue(in: snake)
        expect(dictionary["friend"], equals: ["meta": ["person_id": 1]])
        let read = try Person(dictionaryValue: dictionary, in: snake)
        expect(read.friend.value === read)
        let again = try Person(json: one.jsonData(in: snake), in: snake)
        expect(again.friend.value === again)
        var typed = snake
        // Objects in another form than the standard one are read through attribute values.
        typed.transform(Int.self, with: .text)
        let other = try Person(json: one.jsonData(in: typed), in: typed)
        expect(other.friend.value === other)
        for person in [one, read, again, other] { person.friend.value = nil }
    }

    @Test func `what has more than the identifier, or is of nothing that was read, is a new model`()
        throws
    {
        let text = #"{"id": 1, "office": {"id": 7, "desks": [{"id": 1, "label": "x"}, {"id": 9}]}}"#
        let desk = try Desk(json: Data(text.utf8))
        let office = try #require(desk.office.value)
        expect(office.desks.value?.map(\.id.value), equals: [1, 9, 1])
        expect(office.desks[0]?.label.value, equals: "x")
        office.unlink()
        // Each model of an array is read by itself.
        let people = try [Person](
            dictionaryValues: [
                ["meta": ["personID": 1]],
                ["meta": ["personID": 2], "friend": ["meta": ["personID": 1]]],
            ]
        )
        expect(people[1].friend.value !== people[0])
        expect(people[1].friend.value?.personID.value, equals: 1)
    }

    @Test func `of copies of a model the one that was read last is referred to`() throws {
        // c and d have each other, and each is written for a and for b.
        let people = (0..<4).map { _ in Person() }
        for (index, person) in people.enumerated() { person.personID.value = index }
        (people[0].friend.value, people[0].spouse.value) = (people[2], people[1])
        people[1].friend.value = people[2]
        (people[2].friend.value, people[3].friend.value) = (people[3], people[2])
        let read = try Person(dictionaryValue: people[0].dictionaryValue())
        let left = try #require(read.friend.value)
        let right = try #require(read.spouse.value?.friend.value)
        expect(left !== right)
        expect(left.friend.value?.friend.value === left)
        expect(right.friend.value?.friend.value === right)
        for person in [people[3], left, right] { person.friend.value = nil }
    }

    @Test func `what was left out is not referred to`() throws {
        let person = Person()
        let inner: AttributeDictionary = ["meta": ["personID": 2], "name": 5]
        #expect(throws: ImportError.self) {
            try person.read(dictionaryValue: [
                "meta": ["personID": 1],
                "friend": ["meta": ["personID": 3], "spouse": .dictionary(inner)],
                "spouse": ["friend": ["meta": ["personID": 2]]],
            ])
        }
        expect(person.friend.value, equals: nil)
        expect(person.spouse.value?.friend.value?.personID.value, equals: 2)
        expect(person.spouse.value?.friend.value?.name.loadState, equals: .notLoaded)
    }

    class Node: ModelObject, @unchecked Sendable {
        let id = Field<Int>()
        let isFolder = Field<Bool>()
        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            dictionary["isFolder"] == true ? Folder.self : self
        }
    }

    final class Folder: Node, @unchecked Sendable {
        let content = ModelField<Node>()*
        let parent = ModelField<Folder>()
    }

    @Test(arguments: Way.allCases)
    func `an object of a subclass is referred to by its class and those above it`(way: Way) throws {
        let (root, folder, file) = (Folder(), Folder(), Node())
        (root.id.value, folder.id.value, file.id.value) = (1, 2, 3)
        (root.isFolder.value, folder.isFolder.value) = (true, true)
        root.content.value = [folder, file]
        folder.parent.value = root
        folder.content.value = [root]
        let read = try way.read(root)
        let inner = try #require(read.content[0] as? Folder)
        expect(inner.parent.value === read)
        expect(inner.content[0] === read)
        expect(read.content[1]?.id.value, equals: 3)
        for folder in [root, read] { folder.content.value = [] }
    }

    @Test func `an import that fails keeps none of the models that refer to each other`() throws {
        final class Link: Model {
            let id = Field<Int>()
            let next = ModelField<Link>()
            let size = Field<Int>()
            init() { FailedImportTests.Watch.current?.add(self) }
        }
        // The models that the schema is made of live on.
        _ = Link.schema
        let good: AttributeDictionary = ["id": 1, "next": ["id": 2, "next": ["id": 1]]]
        let bad = good.merging(["size": "x"]) { $1 }
        let json = try AttributeValue.dictionary(bad).jsonData()
        for way in 0..<4 {
            let watch = FailedImportTests.watching {
                #expect(throws: ImportError.self) {
                    switch way {
                    case 0: _ = try Link(dictionaryValue: bad)
                    case 1: _ = try Link(json: json)
                    case 2: _ = try [Link](dictionaryValues: [good, bad])
                    default: try Link().read(dictionaryValue: ["id": 3, "next": .dictionary(bad)])
                    }
                }
            }
            expect(watch.made >= 2)
            expect(watch.count, equals: 0, "way \(way)")
        }
    }

    @Test func `any graph of models that have each other is read as it was written`() throws {
        for seed in 0..<60 {
            var random = SplitMix(seed: UInt64(seed))
            let artists = (0..<Int.random(in: 2...7, using: &random)).map { _ in Artist() }
            let studios = [Studio(), Studio()], films = [Film(), Film()]
            for (index, artist) in artists.enumerated() { artist.id.value = "a\(index)" }
            for (index, studio) in studios.enumerated() { studio.id.value = "s\(index)" }
            for (index, film) in films.enumerated() { film.id.value = "f\(index)" }
            func any() -> Artist { artists[Int.random(in: 0..<artists.count, using: &random)] }
            for artist in artists {
                artist.studio.value = studios.randomElement(using: &random)
                artist.films.value = films.filter { _ in Bool.random(using: &random) }
                if Bool.random(using: &random) { artist.boss.value = any() }
                if Bool.random(using: &random) { artist.spouse.value = any() }
                artist.friends.append(any())
            }
            let way = Way.allCases[seed % Way.allCases.count]
            let read = try way.read(artists[0])
            try expect(Self.text(read), equals: Self.text(artists[0]), "seed \(seed)")
            expect(Self.reached(from: read), equals: Self.reached(from: artists[0]), "seed \(seed)")
            for model in Self.models(from: read) + Self.models(from: artists[0]) { model.unlink() }
        }
    }

    /// The names of all models that one leads to, each as often as there are objects of it.
    private static func reached(from artist: Artist) -> [String] {
        models(from: artist).map { "\(type(of: $0)) \($0.identifier?.description ?? "-")" }.sorted()
    }

    private static func models(from artist: Artist) -> [any Model] {
        var found: [any Model] = [artist]
        var next = 0
        while next < found.count {
            var others: [any Model] = []
            switch found[next] {
            case let artist as Artist:
                others += [artist.boss.value, artist.spouse.value].compactMap(\.self)
                others += artist.reports.value ?? []
                others += artist.friends.value ?? []
                others += artist.films.value ?? []
                if let studio = artist.studio.value { others.append(studio) }
            case let studio as Studio: others += studio.artists.value ?? []
            case let film as Film: others += film.cast.value ?? []
            default: break
            }
            for other in others where !found.contains(where: { $0 === other }) {
                found.append(other)
            }
            next += 1
        }
        return found
    }
}
