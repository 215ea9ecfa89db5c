import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private typealias Issue = ModelKitFields.Issue

private final class Letter: Model {
    let letterCode = Field<String>().identifier()
    let firstLine = Field<String>(key: ["fullText", "firstLine"])
    let lastLine = Field<String>(key: ["fullText", "lastLine"])
    let pageCount = Field<Int>()
    let weightKilos = Field<Double>()
    let isOpen = Field<Bool>()
    let sentAt = Field<Date>()
    let readAt = Field<Date>()*
    let sealImage = Field<Data>()
    let pageScores = Field<[String: Int]>()
    let stampDates = Field<[String: Date]>()
    let color = Field<Color>()
    let homePage = Field<URL>()
    let priceTag = Field<Decimal>()
    let serialNumber = Field<UInt64>()
    let answerTo = ModelField<Letter>()
    let moreLetters = ModelField<Letter>()*
    let firstSender = ModelField<Sender>(foreignKey: true)
    let otherSenders = ModelField<Sender>(foreignKey: true)*
    let anyValue = Field<AttributeValue>()

    static func full() -> Letter {
        let letter = Letter()
        letter.letterCode.value = "a"
        letter.firstLine.value = "Dear Ada"
        letter.lastLine.value = nil
        letter.pageCount.value = .max
        letter.weightKilos.value = 0.25
        letter.isOpen.value = true
        letter.sentAt.value = Date(timeIntervalSince1970: 86_400)
        letter.readAt.value = [Date(timeIntervalSince1970: 60), Date(timeIntervalSince1970: 120)]
        letter.sealImage.value = Data([1, 2, 255])
        letter.pageScores.value = ["frontPage": 1, "back_page": 2]
        letter.stampDates.value = ["firstStamp": Date(timeIntervalSince1970: 180)]
        letter.color.value = .blue
        letter.homePage.value = URL(string: "https://example.org/a?b=c")
        letter.priceTag.value = Decimal(string: "12345678901234567890.123456789")
        letter.serialNumber.value = .max
        letter.answerTo.value = Letter()
        letter.answerTo.value?.sentAt.value = Date(timeIntervalSince1970: 240)
        letter.moreLetters.value = [Letter(), Letter()]
        letter.moreLetters.value?[1].sealImage.value = Data([7])
        letter.firstSender.value = Sender("s1")
        letter.otherSenders.value = [Sender("s2"), Sender("s3")]
        return letter
    }
}

private final class Sender: Model {
    let senderID = Field<String>().identifier()

    convenience init(_ id: String) {
        self.init()
        senderID.value = id
    }
}

/// Models, and coders of Foundation and others with strategies for keys, dates and data.
@Suite struct CodableTests {
    enum Dates: CaseIterable {
        case deferred, seconds, milliseconds, iso8601, custom

        var strategies: (JSONEncoder.DateEncodingStrategy, JSONDecoder.DateDecodingStrategy) {
            switch self {
            case .deferred: (.deferredToDate, .deferredToDate)
            case .seconds: (.secondsSince1970, .secondsSince1970)
            case .milliseconds: (.millisecondsSince1970, .millisecondsSince1970)
            case .iso8601: (.iso8601, .iso8601)
            case .custom:
                (
                    .custom { date, encoder in
                        var container = encoder.singleValueContainer()
                        try container.encode("at \(date.timeIntervalSince1970)")
                    },
                    .custom { decoder in
                        let text = try decoder.singleValueContainer().decode(String.self)
                        guard let time = Double(text.dropFirst(3)) else {
                            throw Issue(message: "is no date")
                        }
                        return Date(timeIntervalSince1970: time)
                    }
                )
            }
        }

        var written: String {
            switch self {
            case .deferred: "-978220800"
            case .seconds: "86400"
            case .milliseconds: "86400000"
            case .iso8601: #""1970-01-02T00:00:00Z""#
            case .custom: #""at 86400.0""#
            }
        }
    }

    @Test(arguments: Dates.allCases)
    func `a coder's dates, data and keys are as it was set up`(dates: Dates) throws {
        let letter = Letter.full()
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = dates.strategies
        encoder.dataEncodingStrategy = .deferredToData
        decoder.dataDecodingStrategy = .deferredToData
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(letter)
        let text = String(decoding: json, as: UTF8.self)
        expect(text.contains(#""sent_at":\#(dates.written)"#), "\(text)")
        expect(text.contains(#""seal_image":[1,2,255]"#), "\(text)")
        expect(text.contains(#""full_text":{"first_line":"Dear Ada","last_line":null}"#))
        expect(text.contains(#""page_scores":{"back_page":2,"frontPage":1}"#))
        expect(text.contains(#""serial_number":18446744073709551615"#))
        let copy = try decoder.decode(Letter.self, from: json)
        expect(copy.dictionaryValue(), equals: letter.dictionaryValue())
        let several = try decoder.decode([Letter].self, from: try encoder.encode([letter, letter]))
        expect(
            several.map { $0.dictionaryValue() },
            equals: [copy, copy].map { $0.dictionaryValue() }
        )
    }

    @Test func `what the writer of JSON has written is decoded too`() throws {
        let letter = Letter.full()
        let copy = try JSONDecoder().decode(Letter.self, from: letter.jsonData())
        expect(copy.dictionaryValue(), equals: letter.dictionaryValue())
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `a property list has dates and data`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let letter = Letter.full()
        letter.serialNumber.value = 1 << 62
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data = try encoder.encode(letter)
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        let dictionary = try #require(list as? [String: Any])
        expect(dictionary["sentAt"] is Date)
        expect(dictionary["sealImage"] is Data)
        let copy = try PropertyListDecoder().decode(Letter.self, from: data)
        expect(copy.dictionaryValue(), equals: letter.dictionaryValue())
        expect(copy.lastLine.value == nil && copy.lastLine.loadState == .loaded)
    }

    @Test func `a coder whose data do not describe themselves is asked for the type of each field`()
        throws
    {
        let letter = Letter.full()
        let node = RawNode()
        try node.encode(letter)
        let copy = try node.decode(Letter.self)
        expect(copy.dictionaryValue(), equals: letter.dictionaryValue())
        let list = RawNode()
        try list.encode([letter, Letter()])
        let other = try #require(try list.decode([Letter].self).last)
        expect(other.dictionaryValue(), equals: Letter().dictionaryValue())
    }

    @Test func `the context of a coder is in its userInfo`() throws {
        var api = ValueTransformerContext(name: "api", keyCase: .snake, explicitNull: false)
        api.transform(Date.self, with: .epochSeconds)
        let letter = Letter.full()
        letter.serialNumber.value = 1 << 62
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.userInfo[.valueTransformerContext] = api
        decoder.userInfo[.valueTransformerContext] = api
        let json = try encoder.encode(letter)
        let value = try AttributeValue(json: json)
        guard case .dictionary(let dictionary) = value else { return }
        expect(dictionary["sent_at"], equals: 86_400)
        expect(dictionary["read_at"], equals: [60, 120])
        expect(dictionary["stamp_dates"], equals: ["firstStamp": 180])
        expect(dictionary["full_text"], equals: ["first_line": "Dear Ada"])
        let copy = try decoder.decode(Letter.self, from: json)
        expect(copy.dictionaryValue(in: api), equals: letter.dictionaryValue(in: api))
    }

    @Test func `what does not fit is an issue with its path, as from a dictionary`() throws {
        let json = Data(
            #"""
            {"pageCount": 1.5, "weightKilos": "heavy", "sentAt": "x", "readAt": [true],
            "sealImage": "?", "pageScores": {"a": "b"}, "serialNumber": -1, "moreLetters": [{}, 3],
            "fullText": 4, "answerTo": {"isOpen": 0}, "firstSender": 8, "priceTag": "y"}
            """#.utf8
        )
        func paths(_ body: () throws -> Letter) -> [String] {
            do {
                _ = try body()
                return []
            } catch {
                return (error as? ImportError)?.issues.map(\.path.description) ?? ["\(error)"]
            }
        }
        let found = paths { try JSONDecoder().decode(Letter.self, from: json) }
        expect(found.count, equals: 12)
        expect(found, equals: paths { try Letter(json: json) })
    }

    @Test func `unknown keys are of no interest, whatever stands there`() throws {
        let json = Data(#"{"letterCode": "a", "other": 18446744073709551615}"#.utf8)
        try expect(JSONDecoder().decode(Letter.self, from: json).letterCode.value, equals: "a")
    }

    class Animal: ModelObject, @unchecked Sendable {
        let kind = Field<String>()
        override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type {
            dictionary["kind"] == "dog" ? Dog.self : self
        }
    }

    final class Dog: Animal, @unchecked Sendable {
        let bornAt = Field<Date>()
        let barkVolume = Field<Int>()
    }

    final class Zoo: Model {
        let allAnimals = ModelField<Animal>()*
    }

    @Test func `fields of subclasses and of one object are coded as the others`() throws {
        let dog = Dog()
        dog.kind.value = "dog"
        dog.bornAt.value = Date(timeIntervalSince1970: 5)
        dog.barkVolume.value = 3
        let other = Animal()
        other << Field<String>(value: "x", key: "extraName")
        let zoo = Zoo()
        zoo.allAnimals.value = [dog, other]
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(zoo)
        expect(
            String(decoding: json, as: UTF8.self),
            equals:
                #"{"all_animals":[{"bark_volume":3,"born_at":5,"kind":"dog"},{"extra_name":"x"}]}"#
        )
        let copy = try decoder.decode(Zoo.self, from: json)
        expect(copy.allAnimals[0]?.dictionaryValue(), equals: dog.dictionaryValue())
        let single = try decoder.decode(Animal.self, from: try encoder.encode(dog as Animal))
        expect(single.dictionaryValue(), equals: dog.dictionaryValue())
    }

    @Test(arguments: [Double.nan, .infinity, 1e300])
    func `a date that is none is an error of the encoder`(time: Double) {
        let letter = Letter()
        letter.sentAt.value = Date(timeIntervalSinceReferenceDate: time)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        #expect(throws: EncodingError.self) { try encoder.encode(letter) }
    }

    @Test func `what is nested deep is coded on a small stack`() {
        let depth = 400
        let ends = Collector<String?>()
        onSmallStack {
            let letter = Letter()
            letter.letterCode.value = "end"
            var outer = letter
            for _ in 0..<depth {
                let next = Letter()
                next.answerTo.value = outer
                outer = next
            }
            var value: AttributeValue = "end"
            for _ in 0..<depth { value = [value] }
            do {
                let copy = try JSONDecoder().decode(
                    Letter.self,
                    from: try JSONEncoder().encode(outer)
                )
                var last = copy
                while let next = last.answerTo.value { last = next }
                ends.add(last.letterCode.value)
                let other = try JSONDecoder().decode(
                    AttributeValue.self,
                    from: try JSONEncoder().encode(value)
                )
                ends.add(other == value ? "end" : nil)
            } catch {
                ends.add("\(error)")
            }
        }
        expect(ends.values, equals: ["end", "end"])
    }
}
