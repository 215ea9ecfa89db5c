import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

private final class Note: Model {
    let id = Field<Int>()
    let text = Field<String>()
    let owner = ModelField<Note>()
}

private final class Holder<Content: Sendable>: Model {
    let value = Field<Int>()
}

/// What the quick ways through JSON could get wrong that the others do not.
@Suite struct JSONFastPathTests {
    @Test(arguments: [
        "0", "-0", "7", "-7", "100200300400500600", "-999999999999999999", "1000000000000000000",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e2", "1.0", "1.5",
        "01", "-", "--1", "1x", "-01", "\"1\"",
    ])
    func `an integer is read as through attribute values`(number: String) {
        let json = Data("{\"id\": \(number)}".utf8)
        let direct = Result { try Note(json: json).id.value }
        let other = Result {
            guard case .dictionary(let dictionary) = try AttributeValue(json: json) else {
                return Int?.none
            }
            return try Note(dictionaryValue: dictionary).id.value
        }
        expect((try? direct.get()), equals: (try? other.get()))
        expect((try? Note(json: Data("[\(number)]".utf8))), equals: nil)
    }

    @Test func `keys may come in any order, and in another one each time`() throws {
        let members = [#""id": 1"#, #""text":"a""#, #""owner" : {"id":2}"#, #""x":[{"id":3}]"#]
        for shift in [0, 1, 0, 3, 2, 2, 1] {
            let order = members[shift...] + members[..<shift]
            for text in [order.joined(separator: ","), order.reversed().joined(separator: " , ")] {
                let note = try Note(json: Data("{\(text)}".utf8))
                expect(note.id.value == 1 && note.text.value == "a")
                expect(note.owner.value?.id.value == 2 && note.owner.value?.text.value == nil)
            }
        }
        let started = try Note(
            json: Data(#"{"id": 1, "idx": 5, "text": "b", "textual": "c"}"#.utf8)
        )
        expect(
            started.id.value == 1 && started.text.value == "b",
            "a key that starts like another"
        )
    }

    @Test(arguments: ["\"", "\\", "\n", "\u{1}", "é", "🙂"])
    func `a special character is written and read at any place of any text`(special: String) throws
    {
        for length in 0...26 {
            for place in 0...length {
                var text = String(repeating: "a", count: length)
                text.insert(contentsOf: special, at: text.index(text.startIndex, offsetBy: place))
                let note = Note()
                note.text.value = text
                let json = try note.jsonData()
                try expect(Note(json: json).text.value, equals: text)
                let read = try JSONSerialization.jsonObject(with: json) as? [String: Any]
                expect(read?["text"] as? String, equals: text)
            }
        }
    }

    @Test func `a text that Foundation has made is written`() throws {
        let note = Note()
        note.text.value = NSString(string: "grüß \"dich\"").replacingOccurrences(of: "x", with: "y")
        try expect(note.jsonData(), equals: Data(#"{"text":"grüß \"dich\""}"#.utf8))
    }

    @Test func `a value that was unloaded is in no text, and a nil that was set is null`() throws {
        let note = try Note(json: Data(#"{"id": 1, "text": "a", "owner": {"id": 2}}"#.utf8))
        note.unload()
        try expect(note.jsonData(), equals: Data(#"{"id":1}"#.utf8))
        expect(note.dictionaryValue(), equals: ["id": 1])
        note.owner.value = nil
        note.text.value = nil
        try expect(note.jsonData(), equals: Data(#"{"id":1,"owner":null,"text":null}"#.utf8))
        expect(note.dictionaryValue(), equals: ["id": 1, "owner": .null, "text": .null])
    }

    @Test func `a computed text of a model follows its fields and those of models in them`() throws
    {
        let note = try Note(json: Data(#"{"id": 1, "owner": {"id": 2}}"#.utf8))
        let owner = try #require(note.owner.value)
        let text = Computed { (try? note.jsonData()).map { String(decoding: $0, as: UTF8.self) } }
        expect(text.value, equals: #"{"id":1,"owner":{"id":2}}"#)
        owner.text.value = "b"
        expect(text.value, equals: #"{"id":1,"owner":{"id":2,"text":"b"}}"#)
        note.owner.value = nil
        expect(text.value, equals: #"{"id":1,"owner":null}"#)
    }

    @Test func `what is read is set like any other value`() throws {
        let before = Date()
        let note = try Note(json: Data(#"{"id": 1, "text": "a", "owner": {"id": 2}}"#.utf8))
        let fields: [AnyField] = [note.id, note.text, note.owner]
        let times = try fields.map { try #require($0.updatedAt) }
        expect(fields.allSatisfy { $0.loadState == .loaded && $0.updatedAt == $0.changedAt })
        expect(times == times.sorted() && Set(times).count == 3)
        // The clock of the system moves in steps.
        expect(times[0] > before.addingTimeInterval(-0.1))
        let stamped = try FieldClock.withCurrent(FieldClock { Date(timeIntervalSince1970: 0) }) {
            try Note(json: Data(#"{"id": 1}"#.utf8))
        }
        expect(stamped.id.updatedAt, equals: Date(timeIntervalSince1970: 0))
    }

    @Test func `a large array of models is written whole after a small first one`() throws {
        let notes = (0..<300).map { index in
            let note = Note()
            note.id.value = index
            if index > 0 { note.text.value = String(repeating: "x", count: index * 7) }
            return note
        }
        let read = try [Note](json: notes.jsonData())
        expect(read.map(\.text.value), equals: notes.map(\.text.value))
        try expect([Note]().jsonData(), equals: Data("[]".utf8))
    }

    @Test func `the schemas of many types are found, each the same on all threads`() async {
        func schemas<Content: Sendable>(_ type: Content.Type, _ count: Int) -> [ModelSchema] {
            if count == 0 { return [] }
            return [Holder<Content>.schema] + schemas([Content].self, count - 1)
        }
        let found = await withTaskGroup(of: [ObjectIdentifier].self) { group in
            for _ in 0..<4 { group.addTask { schemas(Int.self, 150).map { ObjectIdentifier($0) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        expect(Set(found[0]).count, equals: 150)
        expect(found.allSatisfy { $0 == found[0] })
    }
}
