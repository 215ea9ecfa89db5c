import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteSharingTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    /// The system's copy of SQLite, which says that it is one with the bug, or one without.
    private static func library(isSafe: Bool) throws -> SQLiteLibrary {
        var functions = try SQLiteLibrary.system.functions
        if isSafe {
            functions.libversionNumber = { 3_051_003 }
        } else {
            functions.libversionNumber = { 3_051_002 }
        }
        return try SQLiteLibrary(functions: functions)
    }

    private func open(
        _ sharing: SQLiteModelStore.Sharing,
        isSafe: Bool = false,
        path: String? = nil
    ) throws -> SQLiteModelStore {
        try SQLiteModelStore(
            path: path ?? self.path,
            sharing: sharing,
            busyTimeout: .milliseconds(50),
            library: Self.library(isSafe: isSafe)
        )
    }

    private func journal() throws -> String {
        try SQLiteConnection(path: path, configuration: SQLiteConfiguration(access: .readOnly))
            .withStatement("PRAGMA journal_mode") { mode in
                try #require(try mode.step())
                return try mode.string(at: 0)
            }
    }

    private func write(_ id: Identifier, to store: SQLiteModelStore) async throws {
        let write = RecordWrite(.create(id, ["name": "Ada"]), of: First.Person.schema)
        _ = try await store.records.perform([write]).value
    }

    @Test(arguments: [
        ("3.7.0", true), ("3.40.1", true), ("3.44.5", true), ("3.44.6", false), ("3.45.0", true),
        ("3.50.6", true), ("3.50.7", false), ("3.51.0", true), ("3.51.2", true), ("3.51.3", false),
        ("3.52.0", false), ("4.0.0", false),
    ])
    func `the versions with the bug are known`(_ text: String, _ hasBug: Bool) {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        let version = SQLiteLibrary.Version(major: numbers[0], minor: numbers[1], patch: numbers[2])
        expect(version.mayDamageSharedLogs, equals: hasBug)
    }

    @Test func `a second store is refused, and says why and what to do`() async throws {
        let first = try open(.oneStore)
        let error = #expect(throws: StoreError.self) { try open(.oneStore) }
        expect(
            error,
            equals: .unavailable(
                "\(path) is in use by another store: SQLite 3.51.2 may damage a file in WAL mode "
                    + "to which two connections write (mended in 3.51.3); close the other one, or "
                    + "open both with sharing: .severalProcesses",
                .notApplied
            )
        )
        try await write("a", to: first)
        try await first.close().value
        try await write("b", to: open(.oneStore))
    }

    @Test func `a store that is gone leaves the file to the next`() async throws {
        var store: SQLiteModelStore? = try open(.oneStore)
        if let store { try await write("a", to: store) }
        store = nil
        // Counted and not timed: beside thousands of tests each turn takes long.
        for _ in 0..<20_000 {
            if let next = try? open(.oneStore) { return try await write("b", to: next) }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("the file is still locked")
    }

    @Test func `another name of the file is the same file`() throws {
        let store = try open(.oneStore)
        let link = directory.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: StoreError.self) { try open(.oneStore, path: link) }
        #expect(throws: StoreError.self) {
            try open(.oneStore, path: "\(directory.path)/./people.db")
        }
        _ = try open(.oneStore, path: directory.file("other.db"))
        withExtendedLifetime(store) {}
    }

    @Test func `without the bug, stores write in WAL mode one after the other`() async throws {
        for sharing in [SQLiteModelStore.Sharing.oneStore, .severalProcesses] {
            let stores = try (0..<2).map { _ in try open(sharing, isSafe: true) }
            for (index, store) in stores.enumerated() {
                try await write(.string("\(sharing) \(index)"), to: store)
            }
            try expect(journal(), equals: "wal")
            for store in stores { try await store.close().value }
        }
        expect(!FileManager.default.fileExists(atPath: path + "-lock"))
    }

    @Test func `no revision is given twice where stores delete beside each other`() async throws {
        let stores = try (0..<2).map { _ in try open(.oneStore, isSafe: true) }
        try await write("a", to: stores[0])
        try await write("b", to: stores[1])
        for name in 0..<4 {
            let change = ["name": AttributeValue.string("\(name)")] as [FieldKey: AttributeValue]
            try await perform(.update("a", change, revision: nil), on: stores[0])
        }
        try await expect(perform(.delete("a", revision: nil), on: stores[0]), equals: 5)
        // The other store had read that there is none.
        try await expect(perform(.delete("b", revision: nil), on: stores[1]), equals: 1)
        for (index, store) in stores.enumerated() {
            let id = index == 0 ? "a" : "b" as Identifier
            try await expect(perform(.create(id, [:]), on: store), equals: 6)
            try await store.close().value
        }
        // Nor by a program that knows less than the file.
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE _modelkit_revisions SET last = 9")
        connection.close()
        let store = try open(.oneStore)
        try await expect(perform(.delete("a", revision: nil), on: store), equals: 6)
        try await expect(perform(.create("a", [:]), on: store), equals: 10)
    }

    @discardableResult
    private func perform(
        _ action: RecordWrite.Action,
        on store: SQLiteModelStore
    ) async throws -> Int64 {
        let write = RecordWrite(action, of: First.Person.schema)
        return try await store.records.perform([write]).value[0].revision
    }

    @Test func `with the bug, stores that share a file have no log`() async throws {
        let before = try open(.oneStore)
        try await write("a", to: before)
        try expect(journal(), equals: "wal")
        try await before.close().value

        let stores = try (0..<2).map { _ in try open(.severalProcesses) }
        try expect(journal() != "wal")
        try await write("b", to: stores[0])
        try await write("c", to: stores[1])
        for store in stores {
            let people = try await store.list(First.Person.self).value
            expect(people.map(\.id.value), equals: ["a", "b", "c"])
        }
    }

    @Test func `one store alone and stores that share exclude each other`() async throws {
        let alone = try open(.oneStore)
        let error = #expect(throws: StoreError.self) { try open(.severalProcesses) }
        expect(error?.description.contains("a store with sharing: .oneStore"), equals: true)
        try await alone.close().value
        let shared = try open(.severalProcesses)
        #expect(throws: StoreError.self) { try open(.oneStore) }
        withExtendedLifetime(shared) {}
    }

    @Test func `a log that somebody else has open is not taken away`() throws {
        let other = try SQLiteConnection(path: path)
        try other.execute("CREATE TABLE other (name TEXT)")
        let error = #expect(throws: StoreError.self) { try open(.severalProcesses) }
        guard case .unavailable(let text, .notApplied)? = error else {
            Issue.record("not unavailable: \(String(describing: error))")
            return
        }
        expect(text.hasPrefix("\(path) was locked for "), text)
        expect(text.contains(" by another process or connection; one in WAL mode has to be closed"))
        other.close()
        _ = try open(.severalProcesses)
    }

    @Test(arguments: [SQLiteModelStore.Sharing.oneStore, .severalProcesses])
    func `a file that is just locked says for how long it was waited for`(
        sharing: SQLiteModelStore.Sharing
    ) throws {
        let other = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(journal: .truncate)
        )
        try other.execute("CREATE TABLE other (name TEXT); BEGIN EXCLUSIVE")
        let error = #expect(throws: StoreError.self) { try open(sharing) }
        let locked = "\(path) was locked for 0.05 seconds by another process or connection"
        expect(error, equals: .unavailable(locked, .notApplied))
        other.close()
    }

    @Test func `users of the database may lock its file`() async throws {
        func use() async throws {
            let store = try SQLiteModelStore(path: path, library: Self.library(isSafe: false))
            _ = try await store.list(First.Person.self).value
            try await store.close().value
        }
        try await use()
        expect(chmod(path, 0o666), equals: 0)
        let isRoot = geteuid() == 0
        if isRoot { expect(chown(path, 65_534, 65_534), equals: 0) }
        try await use()
        var status = stat()
        expect(stat(path + "-lock", &status), equals: 0)
        expect(status.st_mode & 0o777, equals: 0o666)
        if isRoot { expect(status.st_uid, equals: 65_534) }
    }

    @Test(arguments: [true, false])
    func `a lock file that is another name of a file leaves that as it is`(
        _ isSymbolic: Bool
    ) async throws {
        let (secret, lock) = (directory.file("secret"), path + "-lock")
        expect(FileManager.default.createFile(atPath: secret, contents: nil))
        expect(chmod(secret, 0o640), equals: 0)
        expect(isSymbolic ? symlink(secret, lock) : link(secret, lock), equals: 0)
        // By a symbolic link nothing is locked.
        let store = try? SQLiteModelStore(path: path, library: Self.library(isSafe: false))
        expect(store == nil, equals: isSymbolic)
        try await store?.close().value
        _ = try? SQLiteModelStore(path: path, library: Self.library(isSafe: false))
        var status = stat()
        expect(stat(secret, &status), equals: 0)
        expect(status.st_mode & 0o777, equals: 0o640)
    }

    @Test func `a file that was moved to the name of the lock file keeps its mode`() async throws {
        let (secret, lock) = (directory.file("secret"), path + "-lock")
        func use() async throws {
            let store = try SQLiteModelStore(path: path, library: Self.library(isSafe: false))
            _ = try await store.list(First.Person.self).value
            try await store.close().value
        }
        try await use()
        expect(chmod(path, 0o666), equals: 0)
        expect(FileManager.default.createFile(atPath: secret, contents: Data([1])))
        expect(chmod(secret, 0o600), equals: 0)
        expect(rename(secret, lock), equals: 0)
        try await use()
        var status = stat()
        expect(stat(lock, &status), equals: 0)
        expect(status.st_mode & 0o777, equals: 0o600)
        expect(FileManager.default.contents(atPath: lock), equals: Data([1]))
    }

    @Test func `a store that only reads takes no lock`() async throws {
        let store = try open(.oneStore)
        try await write("a", to: store)
        let readers = try (0..<2).map { _ in
            try SQLiteModelStore(
                path: path,
                access: .readOnly,
                library: Self.library(isSafe: false)
            )
        }
        for reader in readers {
            try await expect(reader.list(First.Person.self).value.count, equals: 1)
        }
        try await write("b", to: store)
        try await expect(readers[0].list(First.Person.self).value.count, equals: 2)
    }

    @Test func `a path at which there can be no file leaves nothing behind`() throws {
        #expect(throws: StoreError.self) { try open(.oneStore, path: directory.path) }
        #expect(throws: StoreError.self) {
            try open(.oneStore, path: directory.file("no/people.db"))
        }
        #expect(throws: StoreError.self) { try open(.oneStore, path: "") }
        let parent = (directory.path as NSString).deletingLastPathComponent
        let names = try FileManager.default.contentsOfDirectory(atPath: parent)
        expect(!names.contains((directory.path as NSString).lastPathComponent + "-lock"))
        try expect(FileManager.default.contentsOfDirectory(atPath: directory.path), equals: [])
    }
}
