import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteBackupTests {
    let file: MigratedFile
    var target: String { file.directory.file("copy.db") }

    init() throws { file = try MigratedFile() }

    /// The files, but for the store's own beside them.
    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: file.directory.path)
                .filter { !$0.hasSuffix("-lock") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
                .sorted()
        }
    }

    @Test func `a copy has everything, and goes on as the file does`() async throws {
        try await file.fill()
        try file.execute(
            """
            CREATE TABLE mine (x, y); INSERT INTO mine VALUES (1, 'it''s'); CREATE INDEX i ON mine (y);
            PRAGMA user_version=7; PRAGMA application_id=9
            """
        )
        let migrations = [SQLiteMigration("m") { _ in }]
        try await file.withStore(migrations) { store in
            let things = try await store.create([Before.Thing(), Before.Thing()]).value
            _ = try await store.delete(things[1]).value
            try await store.backup(to: target).value
            _ = try await store.create(person("later", "Cy")).value
        }
        for sql in [
            "PRAGMA user_version", "PRAGMA application_id",
            "SELECT sql FROM sqlite_master ORDER BY name",
        ] {
            try expect(file.column(sql, of: target), equals: file.column(sql), "\(sql)")
        }
        try expect(file.column("PRAGMA integrity_check", of: target), equals: ["ok"])
        try expect(file.column("SELECT y FROM mine", of: target), equals: ["it's"])
        let copy = try SQLiteModelStore(path: target, migrations: migrations)
        try await expect(copy.list(Before.Person.self).value.map(\.id.value), equals: ["b", "a"])
        try await expect(copy.create(Before.Thing()).value.id.value, equals: 3)
        try await copy.close().value
        try expect(
            file.column("SELECT max(_order) FROM Thing", of: target),
            equals: ["3"],
            "the place of a deleted model is not given again"
        )
    }

    @Test func `what was asked for before is in it, and batches are whole`() async throws {
        try await file.withStore { store in
            let first: Promise = store.create((0..<200).map { person("first \($0)", "x") })
            let backup: Promise = store.backup(to: target)
            let others = (0..<50).map { batch in
                store.create((0..<10).map { person("\(batch) \($0)", "y") })
            }
            try await backup.value
            _ = try await first.value
            for other in others { _ = try await other.value }
        }
        try expect(
            file.column("SELECT count(*) FROM Person WHERE fullName = 'x'", of: target),
            equals: [
                "200"
            ]
        )
        let count = try file.column("SELECT count(*) % 10 FROM Person", of: target)
        expect(count, equals: ["0"])
    }

    @Test func `a copy is for nobody but the user, and takes the place of another`() async throws {
        try await file.fill()
        try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: target))
        try await file.withStore { try await $0.backup(to: target).value }
        try expect(
            file.column("SELECT id FROM Person ORDER BY _order", of: target),
            equals: ["b", "a"]
        )
        let mode =
            try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        expect(mode, equals: 0o600)
        try expect(names, equals: ["copy.db", "people.db"])
    }

    @Test func `a database in memory is copied`() async throws {
        let store = try SQLiteModelStore(path: ":memory:")
        _ = try await store.create(person("a", "Ada")).value
        let backup: Promise = store.backup(to: target)
        _ = store.create(person("b", "Bob")) as Promise
        try await backup.value
        try expect(file.column("SELECT id FROM Person ORDER BY _order", of: target), equals: ["a"])
    }

    @Test func `the database itself is no place for its backup`() async throws {
        try await file.fill()
        let link = file.directory.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        try await file.withStore { store in
            for path in [file.path, "\(file.directory.path)/./people.db", link] {
                await #expect(
                    throws: StoreError.unsupported(
                        "\(path) is the database itself, not a place for its backup"
                    )
                ) {
                    try await store.backup(to: path).value
                }
            }
            let memory = await #expect(throws: StoreError.self) {
                try await store.backup(to: ":memory:").value
            }
            guard case .unsupported? = memory else {
                Issue.record("\(String(describing: memory))")
                return
            }
            _ = try await store.create(person("c", "Cy")).value
        }
        try expect(file.column("SELECT count(*) FROM Person"), equals: ["3"])
    }

    @Test func `a database that is in use is not replaced`() async throws {
        try await file.fill()
        let other = try SQLiteModelStore(path: target)
        _ = try await other.create(person("mine", "Di")).value
        try await file.withStore { store in
            await #expect(
                throws: StoreError.unavailable(
                    "\(target) is in use or was not closed: there is \(target)-wal",
                    .notApplied
                )
            ) {
                try await store.backup(to: target).value
            }
        }
        try await expect(other.list(Before.Person.self).value.map(\.id.value), equals: ["mine"])
    }

    @Test func `what cannot be written fails and leaves nothing`() async throws {
        try await file.fill()
        let inside = file.directory.file("directory")
        try FileManager.default.createDirectory(
            atPath: inside + "/x",
            withIntermediateDirectories: true
        )
        try await file.withStore { store in
            for path in [inside, file.directory.file("none/copy.db"), "", "a\u{0}b"] {
                let error = await #expect(throws: StoreError.self) {
                    try await store.backup(to: path).value
                }
                expect(error?.outcome, equals: .notApplied)
            }
        }
        try expect(names, equals: ["directory", "people.db"])
    }

    @Test func `a database that is only read is copied, too`() async throws {
        try await file.fill()
        let store = try SQLiteModelStore(path: file.path, access: .readOnly)
        try await store.backup(to: target).value
        try expect(
            file.column("SELECT id FROM Person ORDER BY _order", of: target),
            equals: ["b", "a"]
        )
        try await store.close().value
    }

    @Test func `a closed store has no backup`() async throws {
        let store = try SQLiteModelStore(path: file.path)
        try await store.close().value
        await #expect(throws: StoreError.unavailable("\(file.path): it is closed", .notApplied)) {
            try await store.backup(to: target).value
        }
    }

    /// Makes a file whose copying takes a while.
    private func fillMuch() throws {
        try file.execute(
            """
            CREATE TABLE big (x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
            INSERT INTO big SELECT randomblob(100) FROM n
            """
        )
    }

    @Test func `closing waits for it, and leaves one file`() async throws {
        try fillMuch()
        let store = try SQLiteModelStore(path: file.path)
        _ = try await store.create(person("a", "Ada")).value
        let backup: Promise = store.backup(to: target)
        try await store.close().value
        try expect(names, equals: ["copy.db", "people.db"])
        expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
        try await backup.value
        try expect(file.column("SELECT id FROM Person", of: target), equals: ["a"])
    }

    @Test func `where there is no log, writes wait for it`() async throws {
        try fillMuch()
        var functions = try SQLiteLibrary.system.functions
        functions.libversionNumber = { 3_051_002 }
        let store = try SQLiteModelStore(
            path: file.path,
            sharing: .severalProcesses,
            busyTimeout: .milliseconds(10),
            library: SQLiteLibrary(functions: functions)
        )
        let backup: Promise = store.backup(to: target)
        while backup.result == nil, try !names.contains(where: { $0.hasSuffix(".partial") }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        _ = try await store.create(person("a", "Ada")).value
        try await backup.value
        try expect(file.column("SELECT count(*) FROM big", of: target), equals: ["400000"])
        try expect(file.column("SELECT name FROM sqlite_master", of: target), equals: ["big"])
        try await store.close().value
    }

    @Test func `a file that cannot be opened once more is not taken to be at rest`() async throws {
        let store = try SQLiteModelStore(
            path: file.path,
            library: SQLiteLibrary(functions: RefusedOpening.functions)
        )
        _ = try await store.create(person("a", "Ada")).value
        RefusedOpening.refuse(file.path)
        let error = await #expect(throws: StoreError.self) {
            try await store.backup(to: target).value
        }
        expect(error?.outcome, equals: .notApplied)
        try expect(names, equals: ["people.db"])
        try await store.backup(to: target).value
        try await store.close().value
    }

    @Test func `one that is cancelled leaves what was there`() async throws {
        try fillMuch()
        try Data([1]).write(to: URL(fileURLWithPath: target))
        try await file.withStore { store in
            let early: Promise = store.backup(to: target)
            early.cancel()
            await #expect(throws: StoreError.cancelled(.notApplied)) { try await early.value }
            // On a busy machine a copy may be at its end before it is seen.
            var isStopped = false
            for _ in 0..<50 where !isStopped {
                let late: Promise = store.backup(to: target)
                while late.result == nil, try !names.contains(where: { $0.hasSuffix(".partial") }) {
                    try await Task.sleep(for: .milliseconds(1))
                }
                late.cancel()
                do {
                    try await late.value
                    try Data([1]).write(to: URL(fileURLWithPath: target))
                } catch {
                    expect(error as? StoreError, equals: .cancelled(.notApplied))
                    isStopped = true
                }
            }
            expect(isStopped)
        }
        try expect(names, equals: ["copy.db", "people.db"])
        try expect(Data(contentsOf: URL(fileURLWithPath: target)), equals: Data([1]))
    }
}
