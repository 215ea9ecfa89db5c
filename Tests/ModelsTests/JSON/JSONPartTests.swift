import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite struct JSONPartTests {
    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    @Test func `a model is written in part, and laid out for people`() throws {
        let note = try Note(json: Data(#"{"id": 1, "text": "ä"}"#.utf8))
        try expect(text(note.jsonData(fields: [note.text])), equals: #"{"text":"ä"}"#)
        try expect(
            text(note.jsonData(isPretty: true)),
            equals: """
                {
                  "id": 1,
                  "text": "ä"
                }
                """
        )
        let notes = try [Note](json: Data(#"[{"id": 1}, {"id": 2}]"#.utf8))
        try expect(text(notes.jsonData()), equals: #"[{"id":1},{"id":2}]"#)
        try expect(text(notes.jsonData(isPretty: true)).contains("\n    \"id\": 2\n"))
    }

    @Test func `a model takes what a text has, and keeps the rest`() throws {
        let note = Note()
        note.id.value = 1
        note.text.value = "old"
        let log = Collector<String?>()
        note.text.observe(when: .changes) { log.add($0) }
        try note.read(json: Data(#"{"text": "new"}"#.utf8))
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
        let error = try #require(throws: ImportError.self) { try note.read(json: Data(text.utf8)) }
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
