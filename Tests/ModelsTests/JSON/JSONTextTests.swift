import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONTextTests {
    @Test func `a model is read from a text and written to one`() throws {
        let note = try Note(json: #"{"id": 1, "text": "ä"}"#)
        expect(note.text.value, equals: "ä")
        try expect(note.jsonString(), equals: #"{"id":1,"text":"ä"}"#)
        try expect(note.jsonString(fields: [note.text]), equals: #"{"text":"ä"}"#)
        try expect(note.jsonData(fields: [note.id]), equals: Data(#"{"id":1}"#.utf8))
        try expect(
            note.jsonString(isPretty: true),
            equals: """
                {
                  "id": 1,
                  "text": "ä"
                }
                """
        )
        let notes = try [Note](json: #"[{"id": 1}, {"id": 2}]"#)
        expect(notes.map(\.id.value), equals: [1, 2])
        try expect(notes.jsonString(), equals: #"[{"id":1},{"id":2}]"#)
        try expect(notes.jsonString(isPretty: true).contains("\n    \"id\": 2\n"))
    }

    @Test func `a model takes what a text has, and keeps the rest`() throws {
        let note = Note()
        note.id.value = 1
        note.text.value = "old"
        let log = Collector<String?>()
        note.text.observe(when: .changes) { log.add($0) }
        try note.read(json: #"{"text": "new"}"#)
        expect(note.id.value, equals: 1)
        expect(log.values, equals: ["new"])
    }

    @Test(arguments: [
        (#"{"id": 2, "text": "new""#, "json", FieldPath()), ("[]", "type", FieldPath()),
        (#"{"id": 2, "text": 3}"#, "type", ["text"] as FieldPath),
    ])
    func `of what does not fit nothing is taken`(
        text: String,
        code: String,
        path: FieldPath
    ) throws {
        let note = Note()
        note.text.value = "old"
        let error = try #require(throws: ImportError.self) { try note.read(json: text) }
        expect(error.issues.map(\.code), equals: [code])
        expect(error.issues.map(\.path), equals: [path])
        expect(note.text.value, equals: "old")
        // What fits beside it is set, as from a dictionary.
        expect(note.id.value, equals: (path.isEmpty ? nil : 2))
    }
}

private final class Note: Model {
    let id = Field<Int>()
    let text = Field<String>()
}
