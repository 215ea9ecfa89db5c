import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteMigrationProgressTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private let rename = SQLiteMigration("names") { migration in
        try migration.rename("fullName", to: "name", in: "Person")
    }
    private let ages = SQLiteMigration("ages") { migration in
        try migration.change("age", in: "Person", to: .int) { age in
            guard case .string(let text) = age else { return .null }
            return Int64(text).map { .int($0) } ?? .null
        }
    }
    private let capitals = SQLiteMigration("capitals") { migration in
        try migration.transform("Person") { row in
            if case .string(let name)? = row["name"] { row["name"] = .string(name.uppercased()) }
        }
    }

    private func fill(_ count: Int) async throws {
        let store = try SQLiteModelStore(path: path)
        let people = (0..<count).map { number in
            let person = Before.Person()
            person.fullName.value = "p\(number)"
            person.age.value = "\(number)"
            return person
        }
        _ = try await store.create(people).value
        try await store.close().value
    }

    @Test(arguments: [0, 1, 500, 1_203])
    func `it reports each migration and the rows that it goes through`(_ count: Int)
        async throws
    {
        // A table without rows is one that was used.
        try await fill(max(count, 1))
        if count == 0 {
            try SQLiteConnection(path: path).execute("DELETE FROM Person")
        }
        let seen = Lines()
        let events = StoreEvents { event in
            if case .ended(_, let failure) = event.phase {
                seen.add("\(event.operation) \(event.type ?? "") \(failure ?? "done")")
            } else {
                seen.add("\(event.operation) \(event.type ?? "")")
            }
        }
        let store = try await SQLiteModelStore.open(
            path: path,
            migrations: [rename, ages, capitals],
            events: events
        ) { seen.add("\($0)") }
        func rows(_ migration: String) -> [String] {
            var rows = Array(stride(from: 0, through: count, by: 500))
            if rows.last != count { rows.append(count) }
            return rows.map { "\(migration), \($0) of \(count) rows" }
        }
        let expected =
            ["migrate names", "1 of 3: \"names\"", "migrate names done"]
            + ["migrate ages", "2 of 3: \"ages\""] + rows("2 of 3: \"ages\"") + [
                "migrate ages done"
            ]
            + ["migrate capitals", "3 of 3: \"capitals\""] + rows("3 of 3: \"capitals\"")
            + ["migrate capitals done"]
        expect(seen.all, equals: expected)
        try await expect(store.list(After.Person.self).value.count, equals: count)
        try await store.close().value
        // Nothing is left to be reported.
        seen.removeAll()
        let again = try SQLiteModelStore(path: path, migrations: [rename, ages, capitals]) {
            seen.add("\($0)")
        }
        try await again.close().value
        expect(seen.all, equals: [])
    }

    @Test
    func `a task that is cancelled takes the running migration back, and the next one goes on`()
        async throws
    {
        try await fill(2_000)
        let migrations = [rename, ages, capitals]
        let (path, begun) = (path, DispatchSemaphore(value: 0))
        let gate = DispatchSemaphore(value: 0)
        let opening = Task {
            try await SQLiteModelStore.open(path: path, migrations: migrations) { progress in
                if progress.name == "capitals", progress.rows == 1_000 {
                    begun.signal()
                    gate.wait()
                }
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        opening.cancel()
        gate.signal()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await opening.value }
        let names = try SQLiteModelStore.pendingMigrations(path: path, migrations: migrations)
        expect(names, equals: ["capitals"])
        let store = try await SQLiteModelStore.open(path: path, migrations: migrations)
        let people = try await store.list(After.Person.self).value
        expect(people.map(\.name.value), equals: (0..<2_000).map { "P\($0)" })
        try await store.close().value
    }

    @Test func `a statement that runs long is stopped`() async throws {
        try await fill(1)
        let begun = DispatchSemaphore(value: 0)
        let endless = SQLiteMigration("endless") { migration in
            begun.signal()
            try migration.execute(
                """
                CREATE TABLE numbers AS WITH RECURSIVE n(x) AS \
                (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n
                """
            )
        }
        let path = path
        let opening = Task { try await SQLiteModelStore.open(path: path, migrations: [endless]) }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                usleep(50_000)
                continuation.resume()
            }
        }
        opening.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await opening.value }
        try await SQLiteModelStore.open(path: path).close().value
    }

    @Test func `opening fails as the initialiser does, and reports the migration that failed`()
        async throws
    {
        try await fill(1)
        let seen = Lines()
        let events = StoreEvents { seen.add("\($0.operation) \($0.type ?? "")") }
        let failing = SQLiteMigration("broken") { try $0.execute("UPDATE Missing SET x = 1") }
        let error = await #expect(throws: StoreError.self) {
            try await SQLiteModelStore.open(path: path, migrations: [failing], events: events)
        }
        guard case .schema(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expect(reason.hasPrefix("the migration \"broken\" failed: "))
        expect(seen.all, equals: ["migrate broken", "migrate broken"])
        await #expect(throws: StoreError.self) {
            try await SQLiteModelStore.open(path: directory.path + "/none/people.db")
        }
    }
}

/// Lines that any thread adds.
// Safe: the variable is guarded by the lock.
private final class Lines: @unchecked Sendable {
    private let lock = Lock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }

    func add(_ line: String) { lock.withLock { lines.append(line) } }

    func removeAll() { lock.withLock { lines = [] } }
}
