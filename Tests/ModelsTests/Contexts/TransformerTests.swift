import Foundation
import ModelKitFields
import ModelKitJSONSchema
import ModelKitModels
import TestSupport
import Testing

@Suite struct TransformerTests {
    final class Values: Model {
        let seconds = Field<Date>().transform(with: .epochSeconds)
        let milliseconds = Field<Date>().transform(with: .epochMilliseconds)
        let text = Field<Date>().transform(with: .rfc3339)
        let count = Field<Int>().transform(with: .text)
        let isOn = Field<Bool>().transform(with: .text)
        let price = Field<Decimal>()
        let cost = Field<Decimal>().transform(with: .number)
        let size = Field<UInt64>()
        let scores = Field<[String: Int]>()
        let uuid = Field<UUID>()
        let url = Field<URL>()
        let data = Field<Data>()
        let small = Field<Int8>()
        let float = Field<Float>()
    }

    /// What a field is given, its value's form after that, or what is wrong.
    struct Case: Sendable, CustomTestStringConvertible {
        let field: String
        let given: AttributeValue
        let form: AttributeValue?
        let message: String?

        init(_ field: String, _ given: AttributeValue, _ form: AttributeValue) {
            (self.field, self.given, self.form, message) = (field, given, form, nil)
        }

        init(_ field: String, _ given: AttributeValue, wrong message: String) {
            (self.field, self.given, form, self.message) = (field, given, nil, message)
        }

        var testDescription: String { "\(field) of \(given)" }
    }

    @Test func `times as numbers are of any kind, as whole ones are integers`() {
        let kinds = Values.schema.fields.prefix(2).map(\.kind)
        expect(kinds, equals: [.any, .any])
        guard case .dictionary(let root) = JSONSchema(Values.self).document,
            case .dictionary(let properties)? = root["properties"]
        else {
            Testing.Issue.record("there are no properties")
            return
        }
        expect(properties["seconds"], equals: ["type": ["number", "null"]])
        expect(properties["milliseconds"], equals: ["type": ["number", "null"]])
    }

    static let cases: [Case] = [
        Case("seconds", 0, 0),
        Case("seconds", -1.5, -1.5),
        Case("seconds", 1_000_000.0, 1_000_000),
        Case("seconds", .date(Date(timeIntervalSince1970: 3)), 3),
        Case("seconds", .double(1e300), wrong: "1e+300 is out of the range of Date"),
        Case("seconds", .double(.nan), wrong: "nan is out of the range of Date"),
        Case("seconds", .int(.max), wrong: "9223372036854775807 is out of the range of Date"),
        Case("seconds", "0", wrong: "must be a number, not a string"),
        Case("milliseconds", 1_500, 1_500),
        Case("milliseconds", 1_500.25, 1_500.25),
        Case("milliseconds", .int(.min), wrong: "-9223372036854775808 is out of the range of Date"),
        Case("text", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        Case("text", "1970-01-01", wrong: "is not a date and time: \"1970-01-01\""),
        Case("count", "42", "42"),
        Case("count", -42, "-42"),
        Case("count", "4.2", wrong: "must be a text of Int, not \"4.2\""),
        Case(
            "count",
            "9223372036854775808",
            wrong: "must be a text of Int, not \"9223372036854775808\""
        ),
        Case("isOn", "true", "true"),
        Case("isOn", false, "false"),
        Case("isOn", "yes", wrong: "must be a text of Bool, not \"yes\""),
        Case("price", "0.1", "0.1"),
        Case("price", "-12345678901234567890.123456789", "-12345678901234567890.123456789"),
        Case("price", 0.1, "0.1"),
        Case("price", 7, "7"),
        Case("price", "1e3", "1000"),
        Case("price", "1.50", "1.5"),
        Case(
            "price",
            "0.1000000000000000000000000000000000000000000001",
            wrong:
                "\"0.1000000000000000000000000000000000000000000001\" is out of the range of Decimal"
        ),
        Case("price", "1e999", wrong: "\"1e999\" is out of the range of Decimal"),
        Case("price", "12abc", wrong: "must be a decimal number, not \"12abc\""),
        Case("price", "", wrong: "must be a decimal number, not \"\""),
        Case(
            "price",
            0.12345678901234568,
            wrong: "has more digits than a number keeps; it must be a text"
        ),
        Case("price", .double(.infinity), wrong: "must be a number, not a number"),
        Case("price", true, wrong: "must be a decimal number, not a boolean"),
        Case("cost", "0.5", 0.5),
        Case("cost", "5", 5),
        Case("cost", "0.1234567890123456789", "0.1234567890123456789"),
        Case("size", 7, 7),
        Case("size", "18446744073709551615", "18446744073709551615"),
        Case("size", -1, wrong: "-1 is out of the range of UInt64"),
        Case(
            "size",
            "18446744073709551616",
            wrong: "\"18446744073709551616\" is out of the range of UInt64"
        ),
        Case("size", "", wrong: "must be an integer, not a string"),
        Case("scores", ["a": 1], ["a": 1]),
        Case("scores", ["a": "x"], wrong: "a must be an integer, not a string"),
        Case("uuid", "x", wrong: "must be a UUID, not \"x\""),
        Case("url", "https://example.com/a?b=c", "https://example.com/a?b=c"),
        Case("url", 1, wrong: "must be a URL, not 1"),
        Case("data", "AQI=", .data(Data([1, 2]))),
        Case("data", "AQI", wrong: "is not data in Base64"),
        Case("small", 127, 127),
        Case("small", 128, wrong: "128 is out of the range of Int8"),
        Case("float", 1e39, wrong: "1e+39 is out of the range of Float"),
        Case("float", 16_777_217, 16_777_216.0),
    ]

    @Test(arguments: cases)
    func `a value has its form, or an issue says why not`(_ test: Case) {
        let values = Values()
        do {
            try values.read(dictionaryValue: [test.field: test.given])
            expect(test.message, equals: nil)
            expect(values.dictionaryValue()[test.field], equals: test.form)
        } catch {
            let message = error.description
            let wanted = test.message.map { wanted in
                wanted.hasPrefix("a ") ? "\(test.field).\(wanted)" : "\(test.field) \(wanted)"
            }
            expect(message, equals: wanted)
            expect(values.dictionaryValue()[test.field], equals: nil)
        }
    }

    @Test func `dates are exact to the microsecond in every form`() throws {
        try withSeed { random in
            for _ in 0..<2_000 {
                let microseconds = Int64.random(
                    in: -3_700_000_000_000_000...4_200_000_000_000_000,
                    using: &random
                )
                let date = Timestamp.date(microseconds: microseconds)
                let values = Values()
                for field in [values.seconds, values.milliseconds, values.text] {
                    field.value = date
                }
                let copy = try Values(dictionaryValue: values.dictionaryValue())
                for field in [copy.seconds, copy.milliseconds, copy.text] {
                    let read = try #require(field.value)
                    expect(Timestamp.exactMicroseconds(of: read), equals: microseconds)
                }
            }
        }
    }

    final class Bags: Model {
        let scores = Field<[String: Int]>()
        let lists = Field<[String: [Int]]>()
        let nested = Field<[[String: Int]]>()
        let any = Field<AttributeValue>()
        let anys = Field<AttributeValue>()*
        let all = Field<[AttributeValue]>()
        let named = Field<[String: AttributeValue]>()
    }

    @Test func `all that is wrong in a dictionary is reported, in the order of the keys`() {
        let bags = Bags()
        #expect {
            try bags.read(dictionaryValue: [
                "scores": ["d": 1, "c": "x", "a": nil, "b": 1.5],
                "lists": ["b": [1, "x", nil], "a": 7],
                "nested": [["a": 1], ["a": "x", "b": "y"]],
            ])
        } throws: { error in
            (error as? ImportError)?.issues.map(\.path.description) == [
                "scores.a", "scores.b", "scores.c", "lists.a", "lists.b[1]", "lists.b[2]",
                "nested[1].a", "nested[1].b",
            ]
        }
        expect(bags.scores.value, equals: nil)
    }

    @Test func `a lenient import takes what fits of a dictionary`() throws {
        let report = ImportReport()
        let bags = try Bags(
            dictionaryValue: ["scores": ["a": 1, "b": "x"], "lists": ["a": [1, "x"], "b": 2]],
            policy: .skipInvalid(report)
        )
        expect(bags.scores.value, equals: ["a": 1])
        expect(bags.lists.value, equals: ["a": [1]])
        expect(
            report.issues.map(\.path.description),
            equals: ["scores.b", "lists.a[1]", "lists.b"]
        )
    }

    @Test func `null is read where it is a value`() throws {
        let bags = Bags()
        bags.any.value = .null
        bags.anys.value = [1, .null, ["a": nil]]
        bags.all.value = [.null]
        bags.named.value = ["a": .null, "b": [nil]]
        let dictionary = bags.dictionaryValue()
        expect(dictionary["any"], equals: .some(.null))
        for copy in [try Bags(dictionaryValue: dictionary), try Bags(json: bags.jsonData())] {
            expect(copy.any.value, equals: .some(.null))
            expect(copy.anys.value, equals: [1, .null, ["a": nil]])
            expect(copy.all.value, equals: [.null])
            expect(copy.named.value, equals: ["a": .null, "b": [nil]])
            expect(copy.scores.value, equals: nil)
        }
        let read = try Bags(dictionaryValue: ["scores": nil, "anys": nil, "all": nil])
        expect(read.scores.value == nil && read.anys.value == nil && read.all.value == nil)
    }

    /// A type that would take anything.
    struct Whatever: AttributeConvertible, Equatable {
        let attributeValue: AttributeValue
        static var attributeKind: AttributeKind { .any }
        init(attributeValue: AttributeValue) { self.attributeValue = attributeValue }
    }

    final class Boxes: Model {
        let member = Field<[String: Whatever]>()
        let list = Field<[Whatever]>()
        let lists = Field<[String: [Whatever]]>()
        let members = Field<[String: Whatever]>()*
        let deep = Field<[String: [String: Whatever]]>()
        let number = Field<[String: Int]>()
    }

    @Test func `null in a dictionary is refused as in an array, from wherever it is read`() throws {
        let dictionary: AttributeDictionary = [
            "member": ["a": 1, "b": nil], "list": [1, nil], "lists": ["a": [nil]],
            "members": [["a": nil]], "deep": ["a": nil, "b": ["c": nil]], "number": ["a": nil],
        ]
        let json = try AttributeValue.dictionary(dictionary).jsonData()
        let imports: [() throws -> Boxes] = [
            { try Boxes(dictionaryValue: dictionary) },
            { try Boxes(dictionary: dictionary.anyDictionary) },
            { try Boxes(json: json) },
            { try JSONDecoder().decode(Boxes.self, from: json) },
        ]
        for make in imports {
            #expect {
                try make()
            } throws: { error in
                (error as? ImportError)?.issues.map(\.description) == [
                    "member.b must not be null", "list[1] must not be null",
                    "lists.a[0] must not be null", "members[0].a must not be null",
                    "deep.a must not be null", "deep.b.c must not be null",
                    "number.a must not be null",
                ]
            }
        }
        let report = ImportReport()
        let boxes = try Boxes(dictionaryValue: dictionary, policy: .skipInvalid(report))
        expect(report.issues.count, equals: 7)
        expect(boxes.member.value, equals: ["a": Whatever(attributeValue: 1)])
        expect(boxes.deep.value == ["b": [:]] && boxes.number.value == [:])
    }

    @Test func `null is given to no element, whoever asks`() {
        let refused = ModelKitFields.Issue.self
        #expect(throws: refused) { try [Whatever](attributeValue: [1, nil]) }
        #expect(throws: refused) { try [String: Whatever](attributeValue: ["a": nil]) }
        #expect(throws: refused) { try [[String: Whatever]](attributeValue: [["a": nil]]) }
        #expect(throws: Never.self) {
            let values = try [AttributeValue](attributeValue: [nil, ["a": nil]])
            expect(values, equals: [.null, ["a": .null]])
            let members = try [String: AttributeValue](attributeValue: ["a": nil])
            expect(members, equals: ["a": .null])
        }
    }

    struct Money: Codable, Equatable, Sendable {
        var amount: Double
        var parts: [Int]
        var at: Date?
    }

    final class Priced: Model {
        let money = Field<Money>().transform(with: .codable)
        let all = Field<Money>().transform(with: .codable)*
    }

    @Test func `a type that is Codable has the form that it codes itself in`() throws {
        let priced = Priced()
        let money = Money(amount: 1.5, parts: [1, 2], at: Date(timeIntervalSince1970: 5))
        priced.money.value = money
        priced.all.value = [money, Money(amount: 2, parts: [])]
        let dictionary = priced.dictionaryValue()
        expect(
            dictionary["money"],
            equals: ["amount": 1.5, "parts": [1, 2], "at": -978_307_195]
        )
        let copy = try Priced(json: priced.jsonData())
        expect(copy.money.value, equals: money)
        expect(copy.all.value, equals: priced.all.value)
    }

    @Test func `what a decoder refuses is an issue with its path`() {
        #expect {
            try Priced(dictionaryValue: [
                "money": ["amount": 1, "parts": [1, "x"]], "all": [["amount": 1]],
            ])
        } throws: { error in
            (error as? ImportError)?.issues.map(\.path.description) == [
                "money.parts[1]", "all[0].parts",
            ]
        }
    }

    @Test func `what an encoder refuses is null, and a diagnostic`() {
        let messages = Collector<Diagnostic>()
        let priced = Priced()
        priced.money.value = Money(amount: .nan, parts: [])
        let dictionary = ModelKitDiagnostics.withHandler({ messages.add($0) }) {
            priced.dictionaryValue()
        }
        expect(dictionary["money"], equals: .null)
        expect(messages.values.map(\.code), equals: [.unencodedValue])
    }

    @Test func `what is no number is not written as JSON`() {
        let values = Values()
        values.price.value = .nan
        values.seconds.value = Date(timeIntervalSince1970: .nan)
        #expect {
            try values.jsonData()
        } throws: { error in
            (error as? ImportError)?.issues.map(\.path) == [["price"], ["seconds"]]
        }
    }

    struct Amount: Codable, Equatable, Sendable {
        var total: Decimal
        var id: UInt64 = 0
        var note: String?
    }

    /// A value of any kind, as some types for JSON are.
    enum Scalar: Codable, Equatable, Sendable {
        case text(String)
        case number(Decimal)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .number(try container.decode(Decimal.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    final class Amounts: Model {
        let amount = Field<Amount>().transform(with: .codable)
        let number = Field<Double>().transform(with: .codable)
        let scalars = Field<Scalar>().transform(with: .codable)*
    }

    @Test(arguments: [
        Amount(total: Decimal(sign: .plus, exponent: -3, significand: 1_234_567_890_123_456_789)),
        Amount(total: 1, id: .max), Amount(total: 2, id: 1 << 63, note: #"a\"1.5"#),
    ])
    func `a type that is Codable keeps every digit of its numbers`(_ amount: Amount) throws {
        let amounts = Amounts()
        let scalars = [Scalar.number(amount.total), .number(Decimal(amount.id)), .text("1.50")]
        amounts.amount.value = amount
        amounts.scalars.value = scalars
        let copies = [
            try Amounts(dictionaryValue: amounts.dictionaryValue()),
            try Amounts(json: amounts.jsonData()),
        ]
        for copy in copies {
            expect(copy.amount.value, equals: amount)
            expect(copy.scalars.value, equals: scalars)
        }
    }

    @Test func `numbers that a double or an integer keeps stay numbers`() throws {
        let amounts = Amounts()
        let note = #"12345678901234567.8 "\"#
        let total = Decimal(sign: .plus, exponent: -5, significand: 123_456_789_012_345)
        amounts.amount.value = Amount(total: total, id: UInt64(Int64.max), note: note)
        amounts.number.value = 0.1 + 0.2
        let zeros = Decimal(sign: .plus, exponent: 23, significand: 1)
        amounts.scalars.value = [.number(zeros), .text("12345678901234567.8"), .number(-2)]
        let dictionary = amounts.dictionaryValue()
        expect(
            dictionary,
            equals: [
                "amount": ["total": 1234567890.12345, "id": .int(.max), "note": .string(note)],
                "number": .double(0.1 + 0.2), "scalars": [1e23, "12345678901234567.8", -2],
            ]
        )
        let copy = try Amounts(dictionaryValue: dictionary)
        expect(copy.amount.value, equals: amounts.amount.value)
        expect(copy.scalars.value, equals: amounts.scalars.value)
    }

    final class Notes: Model {
        let texts = Field<[String: String]>().transform(with: .codable)
    }

    @Test(arguments: ["{}", #"{"$json":"{}"}"#, "1.2345678901234567890", "x"])
    func `a value that has the form of a JSON text is none`(_ text: String) throws {
        let notes = Notes()
        notes.texts.value = ["$json": text]
        let copies = [
            try Notes(dictionaryValue: notes.dictionaryValue()), try Notes(json: notes.jsonData()),
        ]
        expect(copies.map(\.texts.value), equals: [["$json": text], ["$json": text]])
    }

    @Test func `a value in the form of a JSON text is read as it was written before`() throws {
        let notes = try Notes(dictionaryValue: ["texts": ["$json": "{}"]])
        expect(notes.texts.value, equals: ["$json": "{}"])
        let amounts = try Amounts(dictionaryValue: [
            "amount": ["$json": #"{"total":1,"id":18446744073709551615}"#]
        ])
        expect(amounts.amount.value, equals: Amount(total: 1, id: .max))
    }
}
