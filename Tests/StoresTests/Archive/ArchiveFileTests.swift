import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
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

    /// The same with a field that knows fewer values.
    final class PickyNote: Model {
        enum Text: String, CaseIterable { case first }

        static var modelName: String { "Note" }
        let id = Field<String>()
        let text = EnumField<Text>()
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

    final class Item: Model { let id = Field<Int>() }

    @Test(arguments: [Int64.max, Int64.max - 1] as [Int64])
    func `a file whose numbers an earlier version has used up goes on`(last: Int64) async throws {
        let directory = try Directory()
        let records = #"[[2,1,1,[2]],[\#(last),1,2,[\#(last)]]]"#
        let type =
            #"{"name":"Item","last":\#(last),"place":2,"keys":[["id"]],"records":\#(records)}"#
        try write(type, to: directory)
        do {
            let store = try await open(directory)
            let made = try await store.create([Item(), Item()]).value
            expect(made.map(\.id.value), equals: [3, 4])
            _ = try await store.delete(made[1]).value
        }
        let next = try await open(directory).create(Item()).value
        expect(next.id.value, equals: 5)
    }

    private func write(_ type: String, to directory: Directory) throws {
        let body = Data(#"{"types":[\#(type)]}"#.utf8)
        let checksum = String(crc32c(body), radix: 16)
        let proof = String(repeating: "0", count: 8 - checksum.count) + checksum
        let header = "ModelKit archive 2\ncrc32c \(proof) length \(body.count)\n"
        try directory.write(Data(header.utf8) + body, to: file)
    }

    @Test(
        arguments: [(1, Int64.max, Int64(1)), (1, 1, .max), (.max, 1, 1)] as [(Int64, Int64, Int64)]
    )
    func `a file with places or revisions that leave no room is damaged`(
        _ last: Int64,
        _ place: Int64,
        _ revision: Int64
    ) async throws {
        let directory = try Directory()
        let record = "[1,\(revision),\(place),[1]]"
        let type =
            #"{"name":"Item","last":1,"place":\#(last),"keys":[["id"]],"records":[\#(record)]}"#
        try write(type, to: directory)
        let error = await #expect(throws: StoreError.self) {
            _ = try await open(directory).create(Item()).value
        }
        expect(error?.code, equals: "corrupt")
    }

    /// CRC-32C, bit by bit.
    private func crc32c(_ data: Data) -> UInt32 {
        ~data.reduce(~0 as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
                sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0)
            }
        }
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
        expect((found.text.value ?? "").utf8.elementsEqual(text.utf8))
        expect(found.day.value, equals: Date(timeIntervalSince1970: -1.5))
        expect(found.bytes.value, equals: Data([0, 255, 10]))
        expect(found.marks.value, equals: [.max, .min, 0])
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
            try expect(directory.read(file), equals: bytes)
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
        try await expect(store.list(Note.self).value.map(\.text.value), equals: ["first"])
        _ = try await store.create(note("c", "third")).value
        try await expect(store.list(Note.self).value.count, equals: 2)
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
        expect(count, equals: 2)
        try FileManager.default.removeItem(atPath: obstacle)
        try expect(directory.read(file), equals: whole)
        try expect(directory.read(file + ".previous"), equals: previous)
        try await store.restorePreviousVersion().value
        try await expect(store.list(Note.self).value.map(\.text.value), equals: ["first"])
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
        expect(found.map(\.text.value), equals: ["second", "new"])
        expect(found.map(\.colour.value), equals: ["blue", nil])
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
        try expect(directory.read(file), equals: newer)
    }

    @Test func `the first version is read, and written as the second`() async throws {
        let directory = try Directory()
        let old =
            #"{"Note": [{"id": "b", "text": "B", "marks": [1]}, {"id": "a"}], "Gone": [{"x": 1}]}"#
        try directory.write(Data(old.utf8), to: file)
        do {
            let store = try await open(directory)
            try await expect(store.list(Note.self).value.map(\.id.value), equals: ["b", "a"])
            _ = try await store.create(note("c", "C")).value
        }
        let text = String(decoding: try directory.read(file), as: UTF8.self)
        expect(text.hasPrefix("ModelKit archive 2\n"))
        let store = try await open(directory)
        let notes = try await store.list(Note.self).value
        expect(notes.map(\.text.value), equals: ["B", nil, "C"])
        expect(notes.first?.marks.value, equals: [1])
        // What is not known is kept as it was.
        expect(text.contains(#""x""#))
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
            expect(later.colour.value, equals: "red")
            later.text.value = "new"
            later.colour.value = "blue"
            _ = try await store.update(later).value
        }
        let store = try await open(directory)
        let note = try await store.lookup(Note.self, identifier: "a").value
        expect(note.text.value, equals: "new")
        expect(note.marks.value, equals: [7])
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
        try await expect(store.list(Note.self).value.map(\.id.value), equals: ["a"])
        try FileManager.default.removeItem(atPath: obstacle)
        _ = try await store.create(note("b", "text")).value
        try await expect(store.list(Note.self).value.map(\.id.value), equals: ["a", "b"])
    }

    @Test(arguments: [false, true])
    func `a file behind links is replaced where it is`(_ isThere: Bool) async throws {
        let (directory, elsewhere) = (try Directory(), try Directory())
        let files = FileManager.default
        let target = "\(elsewhere.path)/data.archive"
        if isThere {
            try await withStore(elsewhere) { _ = try await $0.create(note("a", "first")).value }
            try files.moveItem(atPath: "\(elsewhere.path)/\(file)", toPath: target)
        }
        let links = [("\(directory.path)/\(file)", "middle"), ("\(directory.path)/middle", target)]
        for (link, target) in links {
            try files.createSymbolicLink(atPath: link, withDestinationPath: target)
        }
        try await withStore(directory) { store in
            let found = try await store.list(Note.self).value.map(\.text.value)
            expect(found, equals: (isThere ? ["first"] : []))
            for text in ["second", "third"] { _ = try await store.create(note(text, text)).value }
        }
        for (link, target) in links {
            try expect(files.destinationOfSymbolicLink(atPath: link), equals: target)
        }
        try await withStore(directory) { store in
            try await expect(store.list(Note.self).value.last?.text.value, equals: "third")
            try await store.restorePreviousVersion().value
            try await expect(store.list(Note.self).value.last?.text.value, equals: "second")
        }
        try expect(elsewhere.read("data.archive").count > 0)
        let names = try files.contentsOfDirectory(atPath: directory.path)
        expect(names.sorted(), equals: [".lock", file, "middle"])
    }

    @Test func `links that lead to each other are an error`() throws {
        let directory = try Directory()
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory.path)/\(file)",
            withDestinationPath: file
        )
        let error = #expect(throws: StoreError.self) {
            try ArchiveModelStore(directory: directory.path)
        }
        guard case .unavailable(let reason, .notApplied)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expect(reason.hasPrefix("\(directory.path)/\(file) cannot be followed: "))
    }

    @Test func `a file that is lost is no empty group while the version before it is there`()
        async throws
    {
        let directory = try Directory()
        try await withStore(directory) { store in
            try await expect(store.list(Note.self).value.isEmpty, "the first use")
            for text in ["first", "second"] { _ = try await store.create(note(text, text)).value }
        }
        let path = "\(directory.path)/\(file)"
        try FileManager.default.removeItem(atPath: path)
        try await withStore(directory) { store in
            let lost = StoreError.corrupt(
                "\(path) is missing, but its version before the last write is there: "
                    + "restorePreviousVersion() goes back to it"
            )
            await #expect(throws: lost) { try await store.list(Note.self).value }
            await #expect(throws: lost) { try await store.create(note("third", "third")).value }
            try await store.restorePreviousVersion().value
            try await expect(store.list(Note.self).value.map(\.text.value), equals: ["first"])
            _ = try await store.create(note("third", "third")).value
        }
        try await withStore(directory) { store in
            let texts = try await store.list(Note.self).value.map(\.text.value)
            expect(texts, equals: ["first", "third"])
        }
    }

    @Test func `a list of less than no models is an error, also of a record that does not fit`()
        async throws
    {
        let directory = try Directory()
        try await withStore(directory) { store in
            for text in ["first", "2"] { _ = try await store.create(note(text, text)).value }
            let refusal = StoreError.unsupported("a list of -1 models")
            await #expect(throws: refusal) { try await store.list(Note.self, limit: -1).value }
            try await expect(store.list(Note.self, limit: 0).value.isEmpty)
            let results = store.observe(Note.self, limit: -1).makeAsyncIterator()
            await #expect(throws: refusal) { try await results.next() }
        }
        try await withStore(directory) { store in
            await #expect(throws: StoreError.self) { try await store.list(PickyNote.self).value }
            let log = Log<StoreError>()
            let skipping = store.skippingDamaged { log.add($0) }
            let found = try await skipping.list(PickyNote.self).value
            expect(found.map(\.text.value), equals: [.first])
            guard case .decoding("Note", "2", _)? = log.entries.first else {
                Issue.record("\(log.entries)")
                return
            }
            expect(log.entries.count, equals: 1)
        }
    }
}
