import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteFaultTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private static let people = First.Person.schema

    private static func create(_ id: String, _ name: AttributeValue = "Ada") -> RecordWrite {
        RecordWrite(.create(.string(id), ["name": name]), of: people)
    }

    private func writer(_ store: SQLiteModelStore) throws -> SQLiteQueue {
        let records = try #require(store.records as? SQLiteRecordStore)
        return try #require(records.pool.writer)
    }

    private func count(_ store: SQLiteModelStore) async throws -> Int {
        try await store.records.fetch(RecordQuery(), of: Self.people).value.count
    }

    @Test func `a batch for which there is no room is not made, and the store goes on`()
        async throws
    {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        let queue = try writer(store)
        try await queue.run { connection in
            try connection.execute("PRAGMA max_page_count = 20")
        }
        let text = AttributeValue.string(String(repeating: "x", count: 3000))
        let writes = (0..<50).map { Self.create("\($0)", text) }
        let full = StoreError.unavailable(
            "\(path) cannot grow: database or disk is full",
            .notApplied
        )
        await #expect(throws: full) { try await store.records.perform(writes).value }
        try await expect(count(store), equals: 1)
        _ = try await store.records.perform([Self.create("b")]).value
        // SQLite gives the whole transaction up, so nothing of it may stay.
        await #expect(throws: full) {
            try await store.records.transaction { transaction in
                try transaction.perform([Self.create("c")])
                _ = try? transaction.perform(writes)
                #expect(throws: StoreError.self) { try transaction.perform([Self.create("d")]) }
            }
            .value
        }
        try await expect(count(store), equals: 2)
        try await queue.run { connection in
            try connection.execute("PRAGMA max_page_count = 100000")
        }
        _ = try await store.records.perform(writes).value
        try await expect(count(store), equals: 52)
    }

    @Test func `nothing is written to a file that was removed`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        try await expect(count(store), equals: 1)
        try FileManager.default.removeItem(atPath: path)
        let gone = StoreError.unavailable("\(path) was moved or removed", .notApplied)
        await #expect(throws: gone) { try await store.records.perform([Self.create("b")]).value }
        await #expect(throws: gone) { try await store.records.transaction { _ in }.value }
        await #expect(throws: gone) { try await count(store) }
        // Nor to another one in its place, which readers do not open either.
        try await writer(store).run { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let other = try SQLiteModelStore(path: directory.file("other.db"))
        _ = try await other.records.perform([Self.create("x"), Self.create("y")]).value
        try await other.close().value
        try FileManager.default.copyItem(atPath: directory.file("other.db"), toPath: path)
        await #expect(throws: gone) { try await store.records.perform([Self.create("b")]).value }
        for _ in 0..<3 { await #expect(throws: gone) { try await count(store) } }
        try await store.close().value
    }

    @Test(arguments: [SQLiteModelStore.Access.readWrite, .readOnly], [false, true])
    func `a file that was removed or replaced is soon read no more`(
        _ access: SQLiteModelStore.Access,
        isReplaced: Bool
    ) async throws {
        let writer = try SQLiteModelStore(path: path)
        _ = try await writer.records.perform([Self.create("a")]).value
        try await writer.close().value
        let store = try SQLiteModelStore(path: path, access: access)
        try await expect(count(store), equals: 1)
        let other = directory.file("other.db")
        try FileManager.default.copyItem(atPath: path, toPath: other)
        if isReplaced {
            expect(rename(other, path), equals: 0)
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        // The file is looked at ten times a second.
        try await Task.sleep(for: .milliseconds(150))
        let gone = StoreError.unavailable("\(path) was moved or removed", .notApplied)
        for _ in 0..<2 { await #expect(throws: gone) { try await count(store) } }
        await #expect(throws: gone) { try await store.records.record("a", of: Self.people).value }
        try await store.close().value
    }

    @Test func `a file with two names is not opened to be written`() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        let second = directory.file("second.db")
        try FileManager.default.linkItem(atPath: path, toPath: second)
        let refusal = StoreError.unavailable(
            "\(second) has 2 names (hard links), by each of which SQLite would give it a log of its own, "
                + "which damages it: copy it, or remove the other names",
            .notApplied
        )
        for sharing in [SQLiteModelStore.Sharing.oneStore, .severalProcesses] {
            #expect(throws: refusal) { try SQLiteModelStore(path: second, sharing: sharing) }
        }
        // The one that had it before goes on.
        _ = try await store.records.perform([Self.create("b")]).value
        try await store.close().value
        #expect(throws: StoreError.self) { try SQLiteModelStore(path: path) }
        let reader = try SQLiteModelStore(path: path, access: .readOnly)
        try await expect(count(reader), equals: 2)
        try await reader.close().value
        try FileManager.default.removeItem(atPath: second)
        let again = try SQLiteModelStore(path: path)
        try await expect(count(again), equals: 2)
    }

    @Test(arguments: ["INSERT", "UPDATE", "DELETE"], [nil, 1] as [Int64?])
    func `a write that a trigger ignores has failed`(_ verb: String, _ revision: Int64?)
        async throws
    {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        try await writer(store).run { connection in
            try connection.execute(
                "CREATE TRIGGER own BEFORE \(verb) ON Person BEGIN SELECT RAISE(IGNORE); END"
            )
        }
        let (write, done) =
            switch verb {
            case "INSERT": (Self.create("b"), "Person b was not added")
            case "UPDATE":
                (
                    RecordWrite(.update("a", ["name": "Bob"], revision: revision), of: Self.people),
                    "Person a was not updated"
                )
            default:
                (
                    RecordWrite(.delete("a", revision: revision), of: Self.people),
                    "Person a was not deleted"
                )
            }
        await #expect(
            throws: StoreError.schema("\(done): a trigger of the table has ignored the write")
        ) { try await store.records.perform([write]).value }
        try await expect(count(store), equals: 1)
        let record = try await store.records.record("a", of: Self.people).value
        expect(record?.revision, equals: 1)
    }

    @Test(arguments: [nil, .max] as [Int64?])
    func `a record whose revisions are used up is not updated`(_ revision: Int64?) async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.records.perform([Self.create("a")]).value
        try SQLiteConnection(path: path).execute("UPDATE Person SET _revision = \(Int64.max)")
        let write = RecordWrite(.update("a", ["name": "Bob"], revision: revision), of: Self.people)
        await #expect(throws: StoreError.unsupported("the revisions of Person are used up")) {
            try await store.records.perform([write]).value
        }
        let record = try await store.records.record("a", of: Self.people).value
        expect(record?["name"], equals: "Ada")
    }

    @Test func `a transaction in a locked file is unavailable, and reading goes on`() async throws {
        let store = try SQLiteModelStore(path: path, busyTimeout: .milliseconds(10))
        _ = try await store.records.perform([Self.create("a")]).value
        let other = try SQLiteConnection(path: path)
        try other.execute("BEGIN IMMEDIATE")
        let locked = StoreError.unavailable(
            "\(path) is locked by another process or connection",
            .notApplied
        )
        await #expect(throws: locked) {
            try await store.records.transaction { _ in Issue.record("it must not begin") }.value
        }
        await #expect(throws: locked) { try await store.records.perform([Self.create("b")]).value }
        try await expect(count(store), equals: 1)
        try other.execute("ROLLBACK")
        _ = try await store.records.perform([Self.create("b")]).value
        try await expect(count(store), equals: 2)
    }

    @Test func `a closed store is unavailable to transactions, too`() async throws {
        let store = try SQLiteModelStore(path: path)
        try await store.close().value
        let closed = StoreError.unavailable("\(path): it is closed", .notApplied)
        await #expect(throws: closed) { try await store.records.transaction { _ in }.value }
        await #expect(throws: closed) { try await count(store) }
    }

    @Test(arguments: [
        (SQLiteModelStore.Durability.survivesPowerLoss, "2"), (.survivesProcessCrash, "1"),
    ])
    func `the disk is waited for as was said`(
        _ durability: SQLiteModelStore.Durability,
        _ synchronous: String
    ) async throws {
        func setting(_ store: SQLiteModelStore) async throws -> String {
            try await writer(store).run { connection in
                try connection.withStatement("PRAGMA synchronous") { pragma in
                    try #require(try pragma.step())
                    return try pragma.string(at: 0)
                }
            }
        }
        let store = try SQLiteModelStore(path: path, durability: durability)
        try await expect(setting(store), equals: synchronous)
        // Without WAL the weaker one would endanger the file.
        try await store.close().value
        var functions = try SQLiteLibrary.system.functions
        functions.libversionNumber = { 3_040_001 }
        let shared = try SQLiteModelStore(
            path: path,
            sharing: .severalProcesses,
            durability: durability,
            library: SQLiteLibrary(functions: functions)
        )
        try await expect(setting(shared), equals: "2")
    }

    @Test func `a database in memory is of its store alone`() async throws {
        let stores = try (0..<2).map { _ in try SQLiteModelStore(path: ":memory:") }
        _ = try await stores[0].records.perform([Self.create("a")]).value
        try await expect(count(stores[0]), equals: 1)
        try await expect(count(stores[1]), equals: 0)
        try await stores[0].close().value
        await #expect(throws: StoreError.unavailable(":memory:: it is closed", .notApplied)) {
            try await count(stores[0])
        }
    }
}
