import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// Cases of what is a reference and what is none, in every way of reading.
@Suite struct ReferenceCaseTests {
    class Item: ModelObject, @unchecked Sendable {
        let id = Field<Int>()
        let kind = Field<String>()

        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            dictionary["kind"] == "twin" ? Twin.self : self
        }
    }

    final class Twin: Item, @unchecked Sendable {
        let second = ModelField<Item>()
        let first = ModelField<Item>()
    }

    @Test(arguments: ReferenceImportTests.Way.allCases)
    func `a reference that is declared before its model is read as that`(
        way: ReferenceImportTests.Way
    ) throws {
        let (root, twin) = (Twin(), Twin())
        (root.id.value, twin.id.value) = (1, 2)
        (root.kind.value, twin.kind.value) = ("twin", "twin")
        (root.first.value, root.second.value, twin.first.value) = (twin, twin, root)
        let read = try way.read(root)
        expect(read.first.value === read.second.value)
        expect((read.first.value as? Twin)?.first.value === read)
        for item in [root, read] { (item.first.value, item.second.value) = (nil, nil) }
    }

    @Test func `a member that no field has makes more than a reference in every way`() throws {
        let json = Data(
            #"{"id":1,"office":{"id":7,"desks":[{"id":1,"unknown":true}]}}"#.utf8
        )
        typealias Desk = ReferenceImportTests.Desk
        for desk in [try Desk(json: json), try JSONDecoder().decode(Desk.self, from: json)] {
            let office = try #require(desk.office.value)
            expect(office.desks.count, equals: 2)
            office.unlink()
        }
        typealias Person = ReferenceImportTests.Person
        let nested = Data(
            #"{"meta":{"personID":1},"friend":{"meta":{"personID":1,"unknown":true}}}"#.utf8
        )
        for person in [
            try Person(json: nested), try JSONDecoder().decode(Person.self, from: nested),
        ] {
            expect(person.friend.value !== person)
            person.friend.value = nil
        }
    }

    final class Ring: Model {
        private let more = More()
        let id = Field<Int>()
        var next: ModelField<Ring> { more.next }
        var dynamicFields: [AnyField] { [more.next] }
    }

    final class More: Sendable { let next = ModelField<Ring>(key: "next") }

    @Test(arguments: ReferenceImportTests.Way.allCases)
    func `a field that a model adds itself refers, too`(way: ReferenceImportTests.Way) throws {
        let ring = Ring()
        ring.id.value = 1
        ring.next.value = ring
        let read = try way.read(ring)
        expect(read.next.value === read)
        (ring.next.value, read.next.value) = (nil, nil)
    }

    final class Link: Model {
        let id = Field<Int>()
        let size = Field<Int>()
        let next = ModelField<Link>()
        init() { FailedImportTests.Watch.current?.add(self) }
    }

    @Test func `an object with one member that is no identifier is read once`() throws {
        _ = Link.schema
        let watch = try FailedImportTests.watching {
            let link = try Link(json: Data(#"{"id":1,"next":{"size":2}}"#.utf8))
            expect(link.next.value?.size.value, equals: 2)
        }
        expect(watch.made, equals: 2)
    }
}
