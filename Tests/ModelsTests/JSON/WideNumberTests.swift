import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Account: Model {
    let number = Field<UInt64>()
    let small = Field<UInt>()
    let numbers = Field<UInt64>()*
    let named = Field<[String: UInt64]>()
    let deep = Field<UInt64>(key: ["deep", "number"])
    let balance = Field<Decimal>()
    let rates = Field<Decimal>()*
    let text = Field<String>()
    let signed = Field<Int64>()
    let double = Field<Double>()
    let parent = ModelField<Account>()
    let children = ModelField<Account>()*
}

private final class Team: Model {
    let id = Field<Int>()
    let members = ModelField<Player>(inverse: \.team)*

    init() { linkFields() }
}

private final class Player: Model {
    let id = Field<Int>()
    let weight = Field<Double>()
    let number = Field<UInt64>()
    let note = Field<AttributeValue>()
    let team = ModelField<Team>(foreignKey: true)

    init() { linkFields() }
}

/// Integers beyond `Int64`, and decimals of more digits than those of a double.
@Suite struct WideNumberTests {
    static let wide = "18446744073709551615"
    // Whose shortest digits as a double are these.
    static let round = "9223372036854776000"

    static let json = Data(
        #"""
        {"number": \#(wide), "small": \#(round), "numbers": [1, \#(wide), \#(round)],
        "named": {"a": \#(wide)}, "deep": {"number": \#(wide)},
        "balance": 12345678901234567890.123456789, "rates": [0.1, 1e-30, 1234567890123456789012345],
        "parent": {"number": \#(wide)}, "children": [{}, {"balance": -0.12345678901234567891}]}
        """#.utf8
    )

    enum Way: CaseIterable {
        case direct, withMap, array, stream, twice, foundation
    }

    private func read(_ way: Way) throws -> Account {
        switch way {
        case .direct: return try Account(json: Self.json)
        case .withMap: return try IdentityMap().use { try Account(json: Self.json) }
        case .array:
            let json = Data("[{\"text\": 1}, ".utf8) + Self.json + Data("]".utf8)
            return try #require(try [Account](json: json, policy: .skipInvalid()).last)
        case .stream:
            var reader = ModelArrayReader<Account>()
            let models = try reader.read(Data("[".utf8) + Self.json + Data("]".utf8))
            try reader.finish()
            return try #require(models.last)
        case .twice:
            // A key that comes twice is read by attribute values.
            return try Account(json: Data(#"{"text": "x", "#.utf8) + Self.json.dropFirst())
        case .foundation: return try JSONDecoder().decode(Account.self, from: Self.json)
        }
    }

    @Test(arguments: Way.allCases)
    func `a field of wide numbers reads every digit of a number in JSON`(way: Way) throws {
        let account = try read(way)
        expect(account.number.value, equals: .max)
        expect(account.small.value, equals: 9_223_372_036_854_776_000)
        expect(account.numbers.value, equals: [1, .max, 9_223_372_036_854_776_000])
        expect(account.named.value, equals: ["a": .max])
        expect(account.deep.value, equals: .max)
        expect(account.balance.value, equals: Decimal(string: "12345678901234567890.123456789"))
        expect(
            account.rates.value,
            equals: ["0.1", "1e-30", "1234567890123456789012345"].compactMap { Decimal(string: $0) }
        )
        expect(account.parent.value?.number.value, equals: .max)
        expect(
            account.children[1]?.balance.value,
            equals: Decimal(string: "-0.12345678901234567891")
        )
    }

    @Test func `what was read is written and read again, whatever the form`() throws {
        let account = try read(.direct)
        let dictionary = account.dictionaryValue()
        expect(dictionary["number"], equals: .string(Self.wide))
        let copies = [
            try Account(dictionaryValue: dictionary), try Account(json: account.jsonData()),
            try Account(dictionary: account.dictionary()), account.copy(),
            try JSONDecoder().decode(Account.self, from: try JSONEncoder().encode(account)),
            try PropertyListDecoder().decode(
                Account.self,
                from: try PropertyListEncoder().encode(account)
            ),
        ]
        for copy in copies { expect(copy.dictionaryValue(), equals: dictionary) }
    }

    @Test(arguments: [
        (#"{"number": 18446744073709551616}"#, "number"), (#"{"number": -1}"#, "number"),
        (#"{"number": 1.5}"#, "number"),
        (#"{"signed": 18446744073709551615}"#, nil), (#"{"text": 18446744073709551615}"#, nil),
        (#"{"numbers": [1, 18446744073709551616]}"#, "numbers[1]"),
        (#"{"balance": 1234567890123456789012345678901234567890123.5}"#, "balance"),
        (#"{"balance": 99.999999999999999999999999999999999999999999}"#, "balance"),
        (#"{"balance": 0.1000000000000000000000000000000000000000001}"#, "balance"),
        (#"{"balance": 1e400}"#, "balance"), (#"{"balance": 1e-400}"#, "balance"),
        (#"{"rates": [1, 1.0000000000000000000000000000000000000009]}"#, "rates[1]"),
    ])
    func `a number that no field of its place can have is refused with its place`(
        text: String,
        path: String?
    ) throws {
        for json in [text, "[\(text)]"] {
            do {
                if json == text {
                    _ = try Account(json: Data(json.utf8))
                } else {
                    _ = try [Account](json: Data(json.utf8))
                }
                Testing.Issue.record("nothing was thrown")
            } catch {
                expect(error.issues.count, equals: 1)
                expect(error.places.first??.byte != nil)
                if let path {
                    expect(error.issues[0].path.description.hasSuffix(path), "\(error)")
                } else {
                    expect(error.description.contains("neither 64 bits nor"), "\(error)")
                }
            }
        }
    }

    @Test func `an exact number of Foundation is read`() throws {
        let account = try Account(dictionary: [
            "number": UInt64.max, "numbers": [UInt64.max, 5],
            "balance": Decimal(string: "0.1") as Any,
        ])
        expect(account.number.value, equals: .max)
        expect(account.numbers.value, equals: [.max, 5])
        expect(account.balance.value, equals: Decimal(string: "0.1"))
        let number = NSNumber(value: UInt64.max)
        #expect(throws: ImportError.self) { try Account(dictionary: ["signed": number]) }
        try expect(Account(dictionary: ["number": number]).number.value, equals: .max)
    }

    @Test func `the models of the other side of a key read numbers as others do`() throws {
        func text(_ member: String) -> Data { Data(#"{"id": 1, "members": [\#(member)]}"#.utf8) }
        let long = "12345678901234567890"
        let wide = #"{"id": 2, "weight": \#(long), "number": \#(Self.wide)}"#
        let teams = [
            try Team(json: text(wide)),
            try JSONDecoder().decode(Team.self, from: text(wide)),
            try [Team](json: Data("[".utf8) + text(wide) + Data("]".utf8))[0],
        ]
        for team in teams {
            expect(team.members[0]?.weight.value, equals: 12_345_678_901_234_567_168)
            expect(team.members[0]?.number.value, equals: .max)
            #expect(team.members[0]?.team.value === team)
        }
        let error = #expect(throws: ImportError.self) {
            try Team(json: text(#"{"id": 2, "note": 1e400}"#))
        }
        expect(error?.places.map { $0?.byte }, equals: [40])
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(Team.self, from: text(#"{"id": 2, "note": 1e400}"#))
        }
    }
}
