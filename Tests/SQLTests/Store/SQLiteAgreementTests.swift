import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ModelKitTesting
import TestSupport
import Testing

private final class Note: Model {
    let id = Field<String>()
    let text = Field<String>()
    let title = Field<String>()
    let count = Field<Double>()

    convenience init(_ id: String, _ text: String) {
        self.init()
        (self.id.value, self.text.value, count.value) = (id, text, 1)
    }
}

/// A store that is opened again and again.
enum ReopenedStore: CaseIterable {
    case sqlite, shared, archive

    func open(_ directory: TemporaryDirectory) throws -> any RecordModelStore {
        switch self {
        case .sqlite: try SQLiteModelStore(path: directory.file("notes.db"))
        case .shared:
            try SQLiteModelStore(path: directory.file("notes.db"), sharing: .severalProcesses)
        case .archive: try ArchiveModelStore(directory: directory.file("notes"), group: "notes")
        }
    }

    func close(_ store: any RecordModelStore) async throws {
        try await (store as? SQLiteModelStore)?.close().value
        try await (store as? ArchiveModelStore)?.close().value
    }
}

@Suite struct SQLiteAgreementTests {
    @Test(arguments: ReopenedStore.allCases)
    func `an edit that is written after a restart is a conflict with what others wrote`(
        _ kind: ReopenedStore
    ) async throws {
        let directory = try TemporaryDirectory()
        var store = try kind.open(directory)
        let note = try await store.create(Note("n", "first")).value
        let kept = try JSONEncoder().encode(await store.agreement(of: note).value)
        note.title.value = "mine"
        let values = note.dictionaryValue()
        try await kind.close(store)

        store = try kind.open(directory)
        let theirs = try await store.lookup(Note.self, identifier: "n").value
        theirs.text.value = "theirs"
        _ = try await store.update(theirs).value
        try await kind.close(store)

        store = try kind.open(directory)
        let agreement = try JSONDecoder().decode(Agreement.self, from: kept)
        let again = try Note(dictionaryValue: values)
        _ = try await store.resume(again, from: agreement).value
        do {
            _ = try await store.update(again).value
            Issue.record("it was written over theirs")
        } catch StoreError.conflict(let conflict) {
            expect(conflict.mine, equals: ["title": "mine"])
            expect(conflict.baseValues?["text"], equals: "first")
        }
        _ = try await store.update(again, onConflict: .theirs).value
        let record = try await store.records.record("n", of: Note.schema).value
        expect(record?["text"] == "theirs" && record?["title"] == "mine")
        try await kind.close(store)
        let other = MemoryModelStore()
        await #expect(throws: StoreError.self) {
            try await other.resume(Note("n", "x"), from: agreement).value
        }
    }

    @Test(arguments: ReopenedStore.allCases)
    func `revisions of deleted records are known after a restart`(
        _ kind: ReopenedStore
    ) async throws {
        let directory = try TemporaryDirectory()
        var store = try kind.open(directory)
        let note = try await store.create(Note("n", "a")).value
        for text in ["b", "c"] {
            note.text.value = text
            _ = try await store.update(note).value
        }
        try await store.delete(Note.self, identifier: "n").value
        // A deletion that is taken back leaves nothing.
        let other = try await store.create(Note("o", "a")).value
        await #expect(throws: StoreError.self) {
            try await store.transaction { transaction in
                try transaction.delete(other)
                throw StoreError.forbidden("no")
            }.value
        }
        try await kind.close(store)
        store = try kind.open(directory)
        _ = try await store.create(Note("n", "new")).value
        let record = try await store.records.record("n", of: Note.schema).value
        expect(record?.revision, equals: 4)
        try await kind.close(store)
    }
}
