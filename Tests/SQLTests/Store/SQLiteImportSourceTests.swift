import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// What may be done by the sequence whose models an import reads, and while it is read.
@Suite(.timeLimit(.minutes(5))) struct SQLiteImportSourceTests {
    private final class Note: Model {
        let id = Field<String>()
        let text = Field<String>()
    }

    private static func note(_ id: String) -> Note {
        let note = Note()
        note.id.value = id
        return note
    }

    /// Notes; before one of them something is done.
    private struct Notes: AsyncSequence, AsyncIteratorProtocol {
        let count: Int
        let place: Int
        let body: @Sendable () async throws -> Void
        var made = 0

        init(
            _ count: Int,
            before place: Int = -1,
            _ body: @escaping @Sendable () async throws -> Void = {}
        ) {
            (self.count, self.place, self.body) = (count, place, body)
        }

        mutating func next() async throws -> Note? {
            if made == count { return nil }
            if made == place { try await body() }
            made += 1
            return note("n\(made)")
        }

        func makeAsyncIterator() -> Self { self }
    }

    private let directory: TemporaryDirectory
    private let store: SQLiteModelStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try SQLiteModelStore(path: directory.file())
    }

    private static func refused(_ body: () async throws -> Void) async {
        await #expect { try await body() } throws: { error in
            if case StoreError.unsupported = error { true } else { false }
        }
    }

    @Test func `it reads while writes wait that come after the import`() async throws {
        try await store.create(Self.note("first"))
        let writes = Guarded<[Promise<Void>]>([])
        let notes = Notes(4_000, before: 3_000) { [store] in
            // In a task that does not belong to the import.
            let asked = await Task.detached { () -> [Promise<Void>] in
                let made: Promise<Note> = store.create(Self.note("second"))
                let write = RecordWrite(.create("third", ["text": "T"]), of: Note.schema)
                return [made.map { _ in }, store.records.perform([write]).map { _ in }]
            }.value
            writes.withLock { $0 = asked }
            let found = try await store.with(deadline: .seconds(60)).list(Note.self)
            expect(found.map(\.id.value), equals: ["first"])
            try await expect(store.lookup(Note.self, identifier: "first") === found.first)
        }
        let summary = try await store.importModels(notes)
        expect(summary.createdCount, equals: 4_000)
        for write in writes.withLock({ $0 }) { try await write.value }
        try await expect(store.list(Note.self).count, equals: 4_003)
    }

    @Test func `an import in it is refused, and one into another store refuses what it would`()
        async throws
    {
        let first = Self.note("first")
        try await store.create(first)
        let notes = Notes(4_000, before: 3_000) { [store] in
            await Self.refused { try await store.importModels(Notes(1_000)) }
            let other = MemoryModelStore()
            let inner = Notes(10, before: 5) { try await store.delete(first) }
            await Self.refused { try await other.importModels(inner) }
            try await expect(other.importModels(Notes(10)).createdCount, equals: 10)
            await Self.refused { try await store.delete(first) }
        }
        try await expect(store.importModels(notes).createdCount, equals: 4_000)
        try await store.delete(first)
    }

    @Test func `what waits for all writes is refused in it`() async throws {
        let copy = directory.file("copy.db")
        let notes = Notes(4_000, before: 3_000) { [store] in
            await Self.refused { try await store.close() }
            await Self.refused { try await store.backup(to: copy) }
            await Self.refused { for try await _ in store.observe(Note.self) { break } }
        }
        try await expect(store.importModels(notes).createdCount, equals: 4_000)
        try await store.backup(to: copy)
        try await expect(SQLiteModelStore(path: copy).list(Note.self).count, equals: 4_000)
        try await store.close()
    }

    @Test func `one that does not notice that it is cancelled keeps nobody from writing`()
        async throws
    {
        let (reached, resolver) = Promise<Void>.withResolvers()
        let isFree = Guarded(false)
        let notes = Notes(4_000, before: 3_000) {
            resolver.fulfill()
            while !isFree.withLock({ $0 }) {
                try? await Task.sleep(for: .milliseconds(1))
                await Task.yield()
            }
        }
        let importing = Task { [store] in try await store.importModels(notes) }
        try await reached.value
        importing.cancel()
        let result = await Result.of {
            try await store.with(deadline: .seconds(60)).create(Self.note("other"))
        }
        isFree.withLock { $0 = true }
        _ = try result.get()
        await #expect(throws: CancellationError.self) { try await importing.value }
        try await expect(store.list(Note.self).map(\.id.value), equals: ["other"])
    }

    @Test func `what it has begun writes once the import has failed`() async throws {
        struct Failure: Error {}
        let (over, resolver) = Promise<Void>.withResolvers()
        let later = Guarded<Task<Void, any Error>?>(nil)
        let notes = Notes(4_000, before: 3_000) { [store] in
            let task = Task {
                try await over.value
                try await store.create(Self.note("later"))
            }
            later.withLock { $0 = task }
            throw Failure()
        }
        await #expect(throws: Failure.self) { try await store.importModels(notes) }
        resolver.fulfill()
        try await later.withLock { $0 }?.value
        try await expect(store.list(Note.self).map(\.id.value), equals: ["later"])
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
