import Foundation
import ModelKit
import Testing

@Suite struct DictionariesAndJSON {
    @Test func `the examples of the article run`() async throws {
        let track = Track()
        track.id.value = 7
        track.title.value = nil
        track.album.value = "Blue"
        print(track.dictionaryValue())
        // ["id": 7, "title": null, "isLive": false, "tags": [], "album": ["name": "Blue"]]
        print(track.dictionaryValue(fields: [track.id]))  // ["id": 7]
        #expect(
            track.dictionaryValue() == [
                "id": 7, "title": nil, "isLive": false, "tags": [], "album": ["name": "Blue"],
            ]
        )
        #expect(track.dictionaryValue(fields: [track.id]) == ["id": 7])

        let copy = try Track(dictionaryValue: ["id": 8, "tags": ["jazz"]])
        try copy.read(dictionaryValue: ["title": "So What"])

        let json = try copy.jsonData()
        print(String(decoding: json, as: UTF8.self))
        // {"id":8,"isLive":false,"tags":["jazz"],"title":"So What"}
        let tracks = try [Track](json: Data(#"[{"id": 1}, {"id": 2}]"#.utf8))
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"id":8,"isLive":false,"tags":["jazz"],"title":"So What"}"#
        )
        #expect(tracks.map(\.id.value) == [1, 2])

        let visit = Visit()
        visit.at.value = Date(timeIntervalSince1970: 1_795_484_253.123_456_7)
        let back = try Visit(json: visit.jsonData())
        print(back.at.value == visit.at.value)  // false: 0.1234567 s are 0.123457 s in JSON
        let again = try Visit(json: back.jsonData())
        print(again.at.value == back.at.value)  // true
        #expect(back.at.value != visit.at.value)
        #expect(again.at.value == back.at.value)

        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        let coded = try encoder.encode(track)
        guard case .dictionary(let members) = try AttributeValue(json: coded) else { return }
        #expect(members["is_live"] == false)

        let wrong = ["id must be an integer, not 1.5", "tags[1] must be a string, not an integer"]
        do {
            _ = try Track(json: Data(#"{"id": 1.5, "tags": ["a", 2]}"#.utf8))
        } catch {
            print(error.issues.map(\.description))
            // ["id must be an integer, not 1.5", "tags[1] must be a string, not an integer"]
            print(error.places.compactMap { $0?.byte })  // [7, 26]
            #expect(error.issues.map(\.description) == wrong)
            #expect(error.places.compactMap { $0?.byte } == [7, 26])
        }

        let report = ImportReport()
        let some = try Track(
            dictionaryValue: ["id": "x", "tags": ["a", 2, "b"]],
            policy: .skipInvalid(report)
        )
        print(some.tags.value ?? [])  // ["a", "b"]
        print(report.issues.map(\.path.description))  // ["id", "tags[1]"]
        #expect(some.tags.value == ["a", "b"])
        #expect(report.issues.map(\.path.description) == ["id", "tags[1]"])
    }

    @Test func `the stream of the article runs`() async throws {
        let json = try [Track(), Track()].jsonData()
        for try await track in Track.stream(json: json, progress: { print($0.fraction ?? 0) }) {
            print(track.id.value ?? 0)
        }
        let count = try await Track.stream(json: json).reduce(0) { count, _ in count + 1 }
        #expect(count == 2)
    }
}

final class Track: Model {
    let id = Field<Int>()
    let title = Field<String>()
    let seconds = Field<Double>(key: "length")
    let isLive = Field<Bool>(value: false)
    let tags = Field<String>()*
    let album = Field<String>(key: ["album", "name"])
}

final class Visit: Model {
    let at = Field<Date>()
}

extension DictionariesAndJSON {
    @Test func `the further examples of the article run`() throws {
        let blue = try Track(dictionary: ["id": 9, "title": "Blue in Green"])
        try blue.read(dictionary: ["length": 337.5])
        print(blue.dictionary()["title"] ?? "")  // Blue in Green
        #expect(blue.dictionary()["title"] as? String == "Blue in Green")
        #expect(blue.seconds.value == 337.5)
        let album = try [Track](dictionaryValues: [["id": 1], ["id": 2]])
        print(album.dictionaryValues().count)  // 2
        #expect(album.dictionaryValues().map { $0["id"] } == [1, 2])

        try blue.read(json: Data(#"{"isLive": true}"#.utf8))
        print(blue.isLive.value ?? false, blue.title.value ?? "")  // true Blue in Green
        #expect(blue.isLive.value == true && blue.title.value == "Blue in Green")
    }
}
