import Foundation
import ModelKit
import ModelKitSQL
import Testing

@Suite struct ChoosingAStore {
    final class Note: Model {
        let id = Field<String>()
        let text = Field<String>().require(.notBlank)

        convenience init(_ text: String) {
            self.init()
            self.text.value = text
        }
    }

    func keep(_ note: Note, in store: some ModelStore) async throws -> [Note] {
        try await store.save(note)
        return try await store.list(Note.self, orderBy: .ascending(\.text))
    }

    @Test func `the examples of the article run`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-article-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let memory = MemoryModelStore()
        let archive = try ArchiveModelStore(directory: directory + "/notes")
        let database = try SQLiteModelStore(path: directory + "/notes.db")
        for store in [memory, archive, database] as [any ModelStore] {
            print(try await keep(Note("milk"), in: store).count)  // 1
            #expect(try await store.list(Note.self).map(\.text.value) == ["milk"])
        }

        let notes = try await memory.list(Note.self)
        try await database.create(notes)
        #expect(try await database.list(Note.self).count == 2)
        #expect(try await database.list(Note.self).contains(notes[0]))

        // One store at a time has the directory of an archive.
        #expect(throws: StoreError.self) {
            try ArchiveModelStore(directory: directory + "/notes")
        }
        #expect(try await archive.transaction { try $0.list(Note.self).count }.value == 1)
        try await database.close()
        try await archive.close()
    }
}
