import Foundation
import ModelKit
import Testing

// In types it could be that of the tests, too.
import struct ModelKit.Issue

@Suite struct Transformers {
    @Test func `the examples of the article run`() throws {
        var api = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
        api.transform(Date.self, with: .epochSeconds)
        let song = Song()
        song.songID.value = 1
        song.color.value = 255
        song.released.value = Date(timeIntervalSince1970: 60)
        song.genre.value = nil
        print(song.dictionaryValue(in: api))  // ["song_id": 1, "color": "ff", "released": 60]
        let again = try Song(json: song.jsonData(in: api), in: api)
        #expect(song.dictionaryValue(in: api) == ["song_id": 1, "color": "ff", "released": 60])
        #expect(again.color.value == 255)

        let mobile = ValueTransformerContext(name: "mobile", parent: api)
        let released = Field<Date>().transform(with: .epochMilliseconds, in: mobile)
        #expect(released.value == nil)
        #expect(mobile.keyCase == .snake)
        let author = ModelField<Song>().transform(with: .fields(\.songID, \.color), in: api)
        #expect(author.value == nil)
        song.genre.value = .jazz
        song.tempo.value = try Tempo(attributeValue: 120)
        #expect(
            song.dictionaryValue(fields: [song.genre, song.tempo]) == [
                "genre": "jazz", "tempo": 120,
            ]
        )
    }
}

enum Genre: String, AttributeConvertible { case jazz, rock }

struct Tempo: AttributeConvertible, Equatable {
    var beats: Int
    init(attributeValue: AttributeValue) throws(Issue) {
        beats = try Int(attributeValue: attributeValue)
    }
    var attributeValue: AttributeValue { beats.attributeValue }
    static var attributeKind: AttributeKind { .int }
}

let hexadecimal = FieldTransformer<Int>(
    kind: .string,
    export: { .string(String($0, radix: 16)) },
    import: { value throws(Issue) in
        guard case .string(let text) = value, let number = Int(text, radix: 16) else {
            throw Issue(code: "type", message: "must be a hexadecimal number")
        }
        return number
    }
)

final class Song: Model {
    let songID = Field<Int>()
    let color = Field<Int>().transform(with: hexadecimal)
    let released = Field<Date>()
    let genre = Field<Genre>()
    let tempo = Field<Tempo>()
}

extension Transformers {
    struct Money: Codable, Equatable {
        var amount: Int
        var currency: String
    }

    final class Offer: Model {
        let price = Field<Decimal>().transform(with: .number)
        let stock = Field<Int>().transform(with: .text)
        let until = Field<Date>().transform(with: .rfc3339)
        let deposit = Field<Money>().transform(with: .codable)
    }

    @Test func `the further examples of the article run`() throws {
        let offer = Offer()
        offer.price.value = 12.5
        offer.stock.value = 42
        offer.until.value = Date(timeIntervalSince1970: 60)
        offer.deposit.value = Money(amount: 5, currency: "EUR")
        let json = String(decoding: try offer.jsonData(), as: UTF8.self)
        print(json)
        // {"deposit":{"amount":5,"currency":"EUR"},
        //  "price":12.5,"stock":"42","until":"1970-01-01T00:01:00Z"}

        #expect(json.hasPrefix(#"{"deposit":{"amount":5,"currency":"EUR"},"price":12.5,"#))
        #expect(json.hasSuffix(#""stock":"42","until":"1970-01-01T00:01:00Z"}"#))
    }
}
