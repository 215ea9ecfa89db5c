import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteReadOnlyTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private func person(_ id: String, _ name: String = "Ada") -> First.Person {
        let person = First.Person()
        person.id.value = id
        person.name.value = name
        return person
    }

    private func fill() async throws {
        let store = try SQLiteModelStore(path: path)
        _ = try await store.create([person("a"), person("b", "Bob")]).value
        try await store.close().value
    }

    private func reader(_ path: String? = nil) throws -> SQLiteModelStore {
        try SQLiteModelStore(path: path ?? self.path, access: .readOnly)
    }

    @Test func `what is stored is read, by many at once`() async throws {
        try await fill()
        let store = try reader()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    let people = try await store.list(First.Person.self, where: \.name == "Bob")
                        .value
                    expect(people.map(\.id.value), equals: ["b"])
                    try await expect(
                        store.lookup(First.Person.self, identifier: "a").value.name.value,
                        equals: "Ada"
                    )
                }
            }
            try await group.waitForAll()
        }
        try await store.close().value
        let error = await #expect(throws: StoreError.self) {
            try await store.list(First.Person.self).value
        }
        expect(error, equals: .unavailable("\(path): it is closed", .notApplied))
    }

    @Test func `a default value is the same that is written where a column is added`() async throws
    {
        final class Later: Model {
            static var modelName: String { "Person" }
            let id = Field<String>()
            let note = Field<String>(value: "it's\u{0}b")
        }
        try await fill()
        let people = try await reader().list(Later.self).value
        expect(people.map(\.note.value), equals: ["it's\u{0}b", "it's\u{0}b"])
    }

    @Test func `a file that is not there is not made`() throws {
        #expect(
            throws: StoreError.unavailable(
                "\(path) could not be opened: there is no such file or directory",
                .notApplied
            )
        ) {
            try reader()
        }
        try expect(FileManager.default.contentsOfDirectory(atPath: directory.path), equals: [])
    }

    @Test func `a write is refused, and leaves the file as it is`() async throws {
        try await fill()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let store = try reader()
        let refusal = StoreError.unsupported("\(path) is open for reading only")
        let found = try await store.lookup(First.Person.self, identifier: "a").value
        found.name.value = "Zoe"
        await #expect(throws: refusal) { try await store.create(person("c")).value }
        await #expect(throws: refusal) { try await store.update(found).value }
        await #expect(throws: refusal) { try await store.delete(found).value }
        await #expect(throws: refusal) { try await store.records.transaction { _ in }.value }
        try await store.close().value
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), equals: before)
    }

    @Test func `a type without a table has no models`() async throws {
        try await fill()
        let store = try reader()
        try await expect(store.list(Everything.self).value.count, equals: 0)
        try await expect(
            store.list(
                Everything.self,
                where: \.count > 3 && .contains(\.tags, "a"),
                orderBy: .descending(\.name)
            ).value.count,
            equals: 0
        )
        await #expect(throws: StoreError.notFound(type: "Everything", identifier: 1)) {
            try await store.lookup(Everything.self, identifier: 1).value
        }
        // As soon as somebody makes it, they are seen.
        let writer = try SQLiteModelStore(path: path)
        _ = try await writer.create(Everything()).value
        try await expect(store.list(Everything.self).value.count, equals: 1)
        try await expect(store.lookup(Everything.self, identifier: 1).value.id.value, equals: 1)
    }

    @Test func `a field without a column has its default value, also in a condition`() async throws
    {
        try await fill()
        let store = try reader()
        let person = try await store.lookup(Second.Person.self, identifier: "a").value
        expect(person.name.value, equals: "Ada")
        expect(person.age.value, equals: nil)
        expect(person.isActive.value, equals: true)
        expect(person.tags.value, equals: [])
        expect(person.city.value, equals: "it's \"Rome\"")
        func names(_ condition: Condition<Second.Person>) async throws -> [String?] {
            try await store.list(Second.Person.self, where: condition, orderBy: .descending(\.city))
                .value.map(\.name.value)
        }
        try await expect(names(\.isActive == true), equals: ["Ada", "Bob"])
        try await expect(names(\.city == "it's \"Rome\"" && \.name > "B"), equals: ["Bob"])
        try await expect(names(\.age == nil), equals: ["Ada", "Bob"])
        try await expect(names(\.age > 3), equals: [])
        // A program that writes adds the columns.
        let writer = try SQLiteModelStore(path: path)
        let other = try await writer.lookup(Second.Person.self, identifier: "b").value
        other.age.value = 7
        _ = try await writer.update(other).value
        try await expect(names(\.age > 3), equals: ["Bob"])
    }

    @Test func `a read that is stopped while it prepares leaves nothing half done`() async throws {
        try await fill()
        let library = try InterruptedStatement.library
        let store = try SQLiteModelStore(
            path: path,
            access: .readOnly,
            readers: 1,
            library: library
        )
        func count<M: Model>(_ type: M.Type) async throws -> Int {
            try await store.records.fetch(RecordQuery(), of: M.schema).value.count
        }
        InterruptedStatement.interrupt("CREATE TEMP VIEW", of: path)
        await #expect(throws: StoreError.cancelled(.notApplied)) {
            try await count(Second.Person.self)
        }
        try await expect(count(Second.Person.self), equals: 2)
        try await expect(count(Everything.self), equals: 0)
        // Somebody makes a table, so that both views are to go, of which one does.
        let writer = try SQLiteModelStore(path: path)
        _ = try await writer.create(Everything()).value
        InterruptedStatement.interrupt("DROP VIEW", of: path, skipping: 1)
        await #expect(throws: StoreError.cancelled(.notApplied)) {
            try await count(Everything.self)
        }
        try await expect(count(Everything.self), equals: 1)
        try await expect(count(Second.Person.self), equals: 2)
        expect(InterruptedStatement.isDone(path))
    }

    @Test func `a column of another type is named`() async throws {
        try await fill()
        await #expect(
            throws: StoreError.schema(
                "the column Person.name has the type TEXT, but the field needs INTEGER"
            )
        ) {
            try await reader().list(Third.Person.self).value
        }
    }

    @Test func `it sees what another store writes`() async throws {
        let writer = try SQLiteModelStore(path: path)
        _ = try await writer.create(person("a")).value
        let store = try reader()
        for number in 0..<20 {
            _ = try await writer.create(person("b\(number)")).value
            try await expect(store.list(First.Person.self).value.count, equals: number + 2)
        }
    }

    /// Has no index of the log be made or opened beside a file, as in a directory that may not be
    /// written; also for the user to whom everything is permitted.
    private func forbidIndex(_ path: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path + "-shm",
            withDestinationPath: "/dev/null/none"
        )
    }

    @Test func `a file beside which nothing can be made is read`() async throws {
        try await fill()
        // The characters of a URI.
        let copy = directory.file("50%?a#b &.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try forbidIndex(copy)
        let store = try reader(copy)
        try await expect(store.list(First.Person.self).value.count, equals: 2)
        try await expect(store.list(Everything.self).value.count, equals: 0)
        try await store.close().value
    }

    @Test func `so is the log that was left there`() async throws {
        let writer = try SQLiteModelStore(path: path)
        _ = try await writer.create([person("a"), person("b")]).value
        let copy = directory.file("copy.db")
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
        }
        try forbidIndex(copy)
        let log = try Data(contentsOf: URL(fileURLWithPath: copy + "-wal"))
        expect(!log.isEmpty)
        let store = try reader(copy)
        for _ in 0..<3 {
            async let first = store.list(First.Person.self).value
            async let second = store.list(First.Person.self).value
            let counts = try await (first.count, second.count)
            expect(counts == (2, 2))
        }
        try await store.close().value
        try expect(Data(contentsOf: URL(fileURLWithPath: copy + "-wal")), equals: log)
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM])
    func `what the process has no room for is no reason to take it that nobody writes`(
        _ reason: Int32
    ) async throws {
        try await fill()
        var functions = try RefusedOpening.functions
        switch reason {
        case EMFILE: functions.systemErrno = { _ in EMFILE }
        case ENFILE: functions.systemErrno = { _ in ENFILE }
        default: functions.systemErrno = { _ in ENOMEM }
        }
        let library = try SQLiteLibrary(functions: functions)
        RefusedOpening.refuse(path)
        let error = #expect(throws: StoreError.self) {
            try SQLiteModelStore(path: path, access: .readOnly, library: library)
        }
        expect(error?.outcome, equals: .notApplied)
        RefusedOpening.refuse(path)
        #expect(throws: StoreError.self) {
            try SQLiteModelStore.pendingMigrations(
                path: path,
                migrations: [SQLiteMigration("m") { _ in }],
                library: library
            )
        }
        _ = try SQLiteModelStore(path: path, access: .readOnly, library: library)
    }

    @Test func `what a writer has left half done is an error until somebody opens for writing`()
        async throws
    {
        try await fill()
        func copy(_ ends: [String], to copy: String) throws {
            for end in ends {
                // In place, so that it stays the file that may be open.
                try Data(contentsOf: URL(fileURLWithPath: path + end))
                    .write(to: URL(fileURLWithPath: copy + end))
            }
        }
        let (open, new) = (directory.file("open.db"), directory.file("new.db"))
        let writer = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(journal: .truncate)
        )
        try copy([""], to: open)
        let early = try reader(open)
        try await expect(early.list(First.Person.self).value.count, equals: 2)
        // Its pages go to the file before it is committed.
        try writer.execute("PRAGMA cache_size = 2")
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute(
            """
            INSERT INTO "Person" ("id", "name", "_revision", "_order")
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            SELECT 'new' || i, 'n', 1, 100 + i FROM n
            """
        )
        for file in [open, new] { try copy(["", "-journal"], to: file) }
        try writer.execute("ROLLBACK")
        writer.close()

        let late = #expect(throws: StoreError.self) { try reader(new) }
        let read = await #expect(throws: StoreError.self) {
            try await early.list(First.Person.self).value
        }
        for (error, file) in [(late, new), (read, open)] {
            expect(
                error,
                equals: .unavailable(
                    "\(file) has a part of a transaction whose writer ended; "
                        + "open it once for writing, which undoes it",
                    .notApplied
                )
            )
            try await SQLiteModelStore(path: file).close().value
            try await expect(reader(file).list(First.Person.self).value.count, equals: 2)
        }
        try await expect(early.list(First.Person.self).value.count, equals: 2)
    }

    @Test func `a file without WAL and one that is no database are taken as they are`() async throws
    {
        try SQLiteConnection(path: path, configuration: SQLiteConfiguration(journal: nil))
            .execute("CREATE TABLE other (name TEXT)")
        try await expect(reader().list(First.Person.self).value.count, equals: 0)
        let letter = directory.file("letter.txt")
        try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: letter))
        let error = #expect(throws: StoreError.self) { try reader(letter) }
        guard case .corrupt? = error else {
            Issue.record("not corrupt: \(String(describing: error))")
            return
        }
    }
}
