import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// What observers of models in use see of an import.
@Suite struct ImportObservationTests {
    final class Gallery: Model {
        let id = Field<String>()
        let main = ModelField<Studio>()
        let note = Field<String>()
    }

    final class Named: Model {
        let first = Field<String>(value: "Ada")
        let last = Field<String>(value: "Lovelace")
        let full: Computed<String>
        init() {
            full = Computed { [first, last] in "\(first.value ?? "") \(last.value ?? "")" }
        }
    }

    final class Hall: Model {
        let id = Field<String>()
        let guide = ModelField<Guide>()
        let note = Field<String>()
    }

    final class Guide: Model {
        let id = Field<String>()
        let hall = ModelField<Hall>()
    }

    private static let whole: AttributeDictionary = [
        "main": ["id": "s", "artists": [["id": "1"], ["id": "2"]]]
    ]

    private func observed(_ gallery: Gallery) -> Collector<[Bool]> {
        let received = Collector<[Bool]>()
        gallery.main.observe(when: .changes) { studio in
            received.add(studio?.artists.value?.map { $0.studio.value === studio } ?? [])
        }
        return received
    }

    @Test func `an observer of a model that is read sees the inverses of what is new`() throws {
        let gallery = Gallery()
        let received = observed(gallery)
        try gallery.read(dictionaryValue: Self.whole)
        expect(received.values, equals: [[true, true]])
        gallery.main.value?.artists.removeAll()
    }

    @Test func `so does one of a model that is read with an identity map`() throws {
        let map = IdentityMap()
        let gallery = try map.read(Gallery.self, ["id": "g"])
        let received = observed(gallery)
        var again = Self.whole
        again["id"] = "g"
        _ = try map.use { try [Gallery](dictionaryValues: [again, ["id": "h"]]) }
        expect(received.values, equals: [[true, true]])
        gallery.main.value?.artists.removeAll()
    }

    @Test func `a text is read by the same order`() throws {
        let gallery = Gallery()
        let received = observed(gallery)
        let json = Data(#"{"main": {"id": "s", "artists": [{"id": "1"}, {"id": "2"}]}}"#.utf8)
        try gallery.read(json: json)
        expect(received.values, equals: [[true, true]])
        gallery.main.value?.artists.removeAll()
    }

    @Test func `what is computed of several fields is reported once they are all read`() throws {
        let person = Named()
        let received = Collector<String?>()
        person.full.observe(when: .changes) { received.add($0) }
        try person.read(dictionaryValue: ["first": "Eve", "last": "Stone"])
        expect(received.values, equals: ["Eve Stone"])
    }

    @Test func `what fits is reported also where something else does not`() {
        let person = Named()
        let received = Collector<String?>()
        person.full.observe(when: .changes) { received.add($0) }
        #expect(throws: ImportError.self) {
            try person.read(dictionaryValue: ["first": "Eve", "last": 3])
        }
        expect(received.values, equals: ["Eve Lovelace"])
    }

    @Test func `a model in use that gets one around it is reported when that is read whole`() throws
    {
        let map = IdentityMap()
        let guide = try map.read(Guide.self, ["id": "a"])
        let received = Collector<String?>()
        guide.hall.observe(when: .changes) { received.add($0?.note.value) }
        let hall = try map.use {
            try Hall(dictionaryValue: [
                "id": "h", "guide": ["id": "a", "hall": ["id": "h"]], "note": "closed",
            ])
        }
        expect(guide.hall.value === hall)
        expect(received.values, equals: ["closed"])
        guide.hall.value = nil
    }
}
