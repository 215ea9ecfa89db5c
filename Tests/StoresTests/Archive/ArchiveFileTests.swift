import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import Testing

@Suite struct ArchiveFileTests {
    final class Note: Model {
        let id = Field<String>()
        let text = Field<String>()
        let day = Field<Date>()
        let bytes = Field<Data>()
        let marks = Field<Int>()*
    }

    /// The same with fields of another version of the app.
    final class LaterNote: Model {
        static var modelName: String { "Note" }
        let id = Field<String>()
        let text = Field<String>()
        let colour = Field<String>(value: "red")
    }

    /// The same with a field of another kind.
    final class OtherNote: Model {
        static var modelName: String { "Note" }
        let id = Field<String>()
        let text = Field<Int>()
    }

    private let file = "group-.archive"

    private func note(_ id: String, _ text: String) -> Note {
        let note = Note()
        (note.id.value, note.text.value) = (id, text)
        return note
    }

    /// Opens a store when the one before is gone.
    private func open(_ directory: Directory) async throws -> ArchiveModelStore {
        for _ in 0..<1000 {
            if let store = try? ArchiveModelStore(directory: directory.path) { return store }
            try await Task.sleep(for: .milliseconds(5))
        }
        return try ArchiveModelStore(directory: directory.path)
    }

    @Test func `every value comes back as it was`() async throws {
        let directory = try Directory()
        let text = "quotes \" ' \u{0} é e\u{301} 👩🏽‍🚀 \n $string"
        do {
            let store = try await open(directory)
            let note = note("'; DROP TABLE", text)
            note.day.value = Date(timeIntervalSince1970: -1.5)
            note.bytes.value = Data([0, 255, 10])
            note.marks.value = [.max, .min, 0]
            _ = try await store.create(note).value
        }
        let store = try await open(directory)
        let found = try await store.lookup(Note.self, identifier: "'; DROP TABLE").value
        #expect((found.text.value ?? "").utf8.elementsEqual(text.utf8))
        #expect(found.day.value == Date(timeIntervalSince1970: -1.5))
        #expect(found.bytes.value == Data([0, 255, 10]))
        #expect(found.marks.value == [.max, .min, 0])
    }

    @Test func `a flipped bit anywhere is corrupt, and the file stays as it is`() async throws {
        let directory = try Directory()
        do {
            let store = try await open(directory)
            _ = try await store.create(note("a", "text")).value
        }
        let whole = try directory.read(file)
        for (offset, bit) in whole.indices.flatMap({ offset in (0..<8).map { (offset, $0) } }) {
            var bytes = whole
            bytes[offset] ^= 1 << UInt8(bit)
            try directory.write(bytes, to: file)
            let store = try await open(directory)
            for attempt in [
                { _ = try await store.list(Note.self).value },
                { _ = try await store.create(note("b", "new")).value },
                { _ = try await store.deleteAll().value },
            ] {
                do {
                    try await attempt()
                    Issue.record("bit \(bit) of byte \(offset) may be changed")
                } catch StoreError.corrupt {
                    continue
                }
            }
            #expect(try directory.read(file) == bytes)
        }
    }

    @Test func `a file that is cut off anywhere is corrupt`() async throws {
        let directory = try Directory()
        do {
            let store = try await open(directory)
            _ = try await store.create(note("a", "text")).value
        }
        let whole = try directory.read(file)
        for count in 0..<whole.count {
            try directory.write(whole.prefix(count), to: file)
            let store = try await open(directory)
            await #expect {
                try await store.list(Note.self).value
            } throws: { error in
                if case StoreError.corrupt = error { true } else { false }
            }
        }
    }

    @Test func `the version before is kept, and can be restored`() async throws {
        let directory = try Directory()
        do {
            let store = try await open(directory)
            await #expect(throws: StoreError.self) {
                try await store.restorePreviousVersion().value
            }
            _ = try await store.create(note("a", "first")).value
            _ = try await store.create(note("b", "second")).value
        }
        try directory.write(Data("no archive".utf8), to: file)
        let store = try await open(directory)
        await #expect(throws: StoreError.self) { try await store.list(Note.self).value }
        try await store.restorePreviousVersion().value
        #expect(try await store.list(Note.self).value.map(\.text.value) == ["first"])
        _ = try await store.create(note("c", "third")).value
        #expect(try await store.list(Note.self).value.count == 2)
    }

    @Test func `a transaction that only reads leaves the file and the version before alone`()
        async throws
    {
        let directory = try Directory()
        let store = try await open(directory)
        _ = try await store.create(note("a", "first")).value
        _ = try await store.create(note("b", "second")).value
        let (whole, previous) = (
            try directory.read(file), try directory.read(file + ".previous")
        )
        // Nothing could be written.
        let obstacle = "\(directory.path)/\(file).new"
        try FileManager.default.createDirectory(
            atPath: obstacle,
            withIntermediateDirectories: false
        )
        let count = try await store.transaction { try $0.list(Note.self).count }.value
        #expect(count == 2)
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try directory.read(file) == whole)
        #expect(try directory.read(file + ".previous") == previous)
        try await store.restorePreviousVersion().value
        #expect(try await store.list(Note.self).value.map(\.text.value) == ["first"])
    }

    @Test func `fields of a newer version of the app stay where a list is saved`() async throws {
        let directory = try Directory()
        do {
            let store = try await open(directory)
            let later = LaterNote()
            (later.id.value, later.text.value, later.colour.value) = ("a", "first", "blue")
            _ = try await store.create(later).value
        }
        do {
            let store = try await open(directory)
            let notes = try await store.list(Note.self).value
            notes.first?.text.value = "second"
            _ = try await store.saveList(Note.self, notes + [note("b", "new")]).value
        }
        let store = try await open(directory)
        let found = try await store.list(LaterNote.self).value
        #expect(found.map(\.text.value) == ["second", "new"])
        #expect(found.map(\.colour.value) == ["blue", nil])
    }

    @Test func `a newer version is refused, and left alone`() async throws {
        let directory = try Directory()
        let newer = Data("ModelKit archive 3\nwhatever\n{}".utf8)
        try directory.write(newer, to: file)
        let store = try await open(directory)
        let error = StoreError.schema(
            "\(directory.path)/\(file) has version 3 of the format, "
                + "but this library knows only those up to 2"
        )
        await #expect(throws: error) { try await store.list(Note.self).value }
        await #expect(throws: error) { try await store.create(note("a", "b")).value }
        #expect(try directory.read(file) == newer)
    }

    @Test func `the first version is read, and written as the second`() async throws {
        let directory = try Directory()
        let old =
            #"{"Note": [{"id": "b", "text": "B", "marks": [1]}, {"id": "a"}], "Gone": [{"x": 1}]}"#
        try directory.write(Data(old.utf8), to: file)
        do {
            let store = try await open(directory)
            #expect(try await store.list(Note.self).value.map(\.id.value) == ["b", "a"])
            _ = try await store.create(note("c", "C")).value
        }
        let text = String(decoding: try directory.read(file), as: UTF8.self)
        #expect(text.hasPrefix("ModelKit archive 2\n"))
        let store = try await open(directory)
        let notes = try await store.list(Note.self).value
        #expect(notes.map(\.text.value) == ["B", nil, "C"])
        #expect(notes.first?.marks.value == [1])
        // What is not known is kept as it was.
        #expect(text.contains(#""x""#))
    }

    @Test func `fields that were added have their default values, and old ones stay in the file`()
        async throws
    {
        let directory = try Directory()
        do {
            let store = try await open(directory)
            let note = note("a", "text")
            note.marks.value = [7]
            _ = try await store.create(note).value
        }
        do {
            let store = try await open(directory)
            let later = try await store.lookup(LaterNote.self, identifier: "a").value
            #expect(later.colour.value == "red")
            later.text.value = "new"
            later.colour.value = "blue"
            _ = try await store.update(later).value
        }
        let store = try await open(directory)
        let note = try await store.lookup(Note.self, identifier: "a").value
        #expect(note.text.value == "new")
        #expect(note.marks.value == [7])
    }

    @Test func `a field of another kind is an error that names it`() async throws {
        let directory = try Directory()
        do {
            let store = try await open(directory)
            _ = try await store.create(note("a", "text")).value
        }
        let store = try await open(directory)
        let error = StoreError.schema(
            "Note.text is declared as int, but its value is a string"
        )
        await #expect(throws: error) { try await store.list(OtherNote.self).value }
    }

    @Test func `a directory that cannot be written is an error, and nothing is lost`() async throws
    {
        let directory = try Directory()
        let store = try await open(directory)
        _ = try await store.create(note("a", "text")).value
        // A directory in the place of the new file, as nobody is refused anything as root.
        let obstacle = "\(directory.path)/\(file).new"
        try FileManager.default.createDirectory(
            atPath: obstacle,
            withIntermediateDirectories: false
        )
        await #expect {
            try await store.create(note("b", "text")).value
        } throws: { error in
            guard case StoreError.unavailable(let reason, .notApplied) = error else { return false }
            return reason.contains(obstacle)
        }
        #expect(try await store.list(Note.self).value.map(\.id.value) == ["a"])
        try FileManager.default.removeItem(atPath: obstacle)
        _ = try await store.create(note("b", "text")).value
        #expect(try await store.list(Note.self).value.map(\.id.value) == ["a", "b"])
    }
}
