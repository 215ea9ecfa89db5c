import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

@Suite struct SQLiteMigrationTests {
    let file: MigratedFile

    init() throws { file = try MigratedFile() }

    private let rename = SQLiteMigration("1 name") { migration in
        try migration.rename("fullName", to: "name", in: "Person")
    }
    private let change = SQLiteMigration("2 age") { migration in
        try migration.change("age", in: "Person", to: .int, using: "CAST(age AS INTEGER)")
    }
    private let failing = SQLiteMigration("2 broken") { migration in
        try migration.execute("UPDATE Person SET name = 'gone'")
        try migration.execute("UPDATE Missing SET x = 1")
    }

    @Test func `what the models of before have written is there by the new names`() async throws {
        try await file.fill()
        try await file.withStore([rename, change]) { store in
            let people = try await store.list(After.Person.self).value
            expect(people.map(\.name.value), equals: ["Bob", "Ada"])
            expect(people.map(\.age.value), equals: [30, nil])
            people[0].age.value = 31
            _ = try await store.update(people[0]).value
        }
        try expect(file.ledger(), equals: ["1 name", "2 age"])
    }

    @Test func `each runs once, and those that were added run later`() async throws {
        try await file.fill()
        try await file.migrate([rename])
        let noted = try file.column("SELECT at FROM _modelkit_migrations")
        try await file.migrate([rename])
        try await file.migrate([rename, change])
        try expect(file.ledger(), equals: ["1 name", "2 age"])
        try expect(file.column("SELECT at FROM _modelkit_migrations").first, equals: noted.first)
        let now = Date().timeIntervalSince1970 * 1e6
        let first = try #require(noted.first.flatMap(Double.init))
        expect(abs(now - first) < 60e6)
    }

    @Test func `in a new file they are noted and not run`() async throws {
        let migration = SQLiteMigration("never") { _ in throw CancellationError() }
        try await file.withStore([migration]) { store in
            _ = try await store.create(After.Person()).value
        }
        try await file.migrate([migration])
        try expect(file.ledger(), equals: ["never"])
        let memory = try SQLiteModelStore(path: ":memory:", migrations: [migration])
        _ = try await memory.create(After.Person()).value
    }

    @Test func `a file with the tables of another program is new, with its own in it`() async throws
    {
        try file.execute("CREATE TABLE other (_order INTEGER); PRAGMA user_version=7")
        try await file.migrate([SQLiteMigration("never") { _ in throw CancellationError() }])
        try expect(file.column("PRAGMA user_version"), equals: ["7"])
        try expect(file.ledger(), equals: ["never"])
    }

    @Test func `a file that never had migrations runs all of them`() async throws {
        try await file.fill()
        try expect(
            file.column("SELECT name FROM sqlite_master WHERE name LIKE '%migrations'"),
            equals: []
        )
        try await file.migrate([rename, change])
        try expect(file.ledger(), equals: ["1 name", "2 age"])
    }

    @Test func `one that fails is taken back whole, is named, and is tried again`() async throws {
        try await file.fill()
        await #expect(
            throws: StoreError.schema(
                "the migration \"2 broken\" failed: \(file.path): no such table: Missing "
                    + "(in \"UPDATE Missing SET x = 1\")"
            )
        ) {
            try await file.migrate([rename, failing])
        }
        try expect(file.column("SELECT name FROM Person"), equals: ["Bob", "Ada"])
        try expect(file.ledger(), equals: ["1 name"])
        try await file.migrate([rename, SQLiteMigration("2 broken") { _ in }, change])
        try expect(file.ledger(), equals: ["1 name", "2 broken", "2 age"])
    }

    @Test func `an error of the migration's own is reported with its name`() async throws {
        try await file.fill()
        await #expect(throws: StoreError.schema("the migration \"m\" failed: CancellationError()"))
        {
            try await file.migrate([SQLiteMigration("m") { _ in throw CancellationError() }])
        }
        let outcome = Outcome.unknown
        await #expect(
            throws: StoreError.unavailable("the migration \"m\" failed: later", outcome)
        ) {
            try await file.migrate([
                SQLiteMigration("m") { _ in throw StoreError.unavailable("later", outcome) }
            ])
        }
    }

    @Test func `a full disk takes a migration back, and it runs when there is room`() async throws {
        try await file.fill()
        let fill: @Sendable (SQLiteMigration.Context) throws -> Void = { migration in
            try migration.execute("CREATE TABLE big (x)")
            try migration.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO big SELECT zeroblob(1000) FROM n
                """
            )
        }
        let limited = SQLiteMigration("fill") { migration in
            try migration.execute("PRAGMA max_page_count=20")
            try fill(migration)
        }
        let error = await #expect(throws: StoreError.self) { try await file.migrate([limited]) }
        guard case .unavailable(let text, .notApplied)? = error else {
            Issue.record("not full: \(String(describing: error))")
            return
        }
        expect(text.hasPrefix("the migration \"fill\" failed: \(file.path) cannot grow"))
        try expect(file.column("SELECT name FROM sqlite_master WHERE name = 'big'"), equals: [])
        try await file.migrate([SQLiteMigration("fill", fill)])
        try expect(file.column("SELECT count(*) FROM big"), equals: ["500"])
    }

    @Test(arguments: [
        "COMMIT", "ROLLBACK", "COMMIT; SELECT 1", "BEGIN", "begin immediate", " ;\n\t End ",
        "SAVEPOINT a",
        "RELEASE modelkit", "-- no\n/* a; * / b */ROLLBACK TO modelkit", "\u{FEFF}commit",
        "ATTACH ':memory:' AS other", "DETACH main", "DELETE FROM Person; COMMIT",
    ])
    func `a statement about transactions or other files is refused, and nothing stays`(
        _ sql: String
    ) async throws {
        try await file.fill()
        let before = try file.column("SELECT quote(id) || fullName FROM Person")
        let delete = "DELETE FROM Person WHERE _order = (SELECT min(_order) FROM Person)"
        let hasSecond = sql.hasPrefix("DELETE") || sql.hasSuffix("SELECT 1")
        let single = hasSecond ? "COMMIT" : sql
        let ways: [@Sendable (SQLiteMigration.Context) throws -> Void] = [
            { try $0.execute(sql) },
            { _ = try $0.rows(single) },
            { migration in
                #expect(throws: StoreError.self) { try migration.execute(sql) }
                throw CancellationError()
            },
        ]
        for (index, way) in ways.enumerated() {
            let migration = SQLiteMigration("m") { migration in
                try migration.execute(delete)
                try way(migration)
            }
            let error = await #expect(throws: StoreError.self) {
                try await file.migrate([migration])
            }
            switch error {
            case .unsupported(let reason)? where index < 2:
                expect(
                    reason.hasPrefix(
                        "the migration \"m\" failed: a migration is one transaction, in which it "
                            + "cannot run "
                    )
                )
            case .schema? where index == 2: break
            default: Issue.record("\(index): \(String(describing: error))")
            }
            try expect(file.column("SELECT quote(id) || fullName FROM Person"), equals: before)
        }
        try await file.migrate([SQLiteMigration("m") { _ in }])
        try expect(file.ledger(), equals: ["m"])
    }

    @Test func `a migration whose transaction SQLite has ended fails, and nothing stays`()
        async throws
    {
        try await file.fill()
        await #expect(
            throws: StoreError.unsupported(
                "the migration \"m\" failed: it has ended its transaction itself"
            )
        ) {
            try await file.migrate([
                SQLiteMigration("m") { migration in
                    try migration.execute("DELETE FROM Person WHERE id = 'a'")
                    #expect(throws: (any Error).self) {
                        try migration.execute("INSERT OR ROLLBACK INTO Person SELECT * FROM Person")
                    }
                }
            ])
        }
        try expect(file.column("SELECT id FROM Person ORDER BY id"), equals: ["a", "b"])
        try await file.migrate([SQLiteMigration("m") { try $0.execute("DELETE FROM Person") }])
        try expect(file.column("SELECT id FROM Person"), equals: [])
    }

    @Test func `a foreign key that leads nowhere at the end is an error`() async throws {
        try await file.fill()
        try file.execute(
            """
            CREATE TABLE pet (id INTEGER PRIMARY KEY, owner TEXT REFERENCES Person(id));
            INSERT INTO pet VALUES (1, 'a')
            """
        )
        await #expect(
            throws: StoreError.schema(
                "the migration \"m\" failed: it leaves a foreign key from pet to Person without its row"
            )
        ) {
            try await file.migrate([
                SQLiteMigration("m") { try $0.execute("DELETE FROM Person WHERE id = 'a'") }
            ])
        }
        try expect(file.column("SELECT id FROM Person ORDER BY _order"), equals: ["b", "a"])
        try await file.withStore([
            SQLiteMigration("m") { migration in
                try migration.execute("DELETE FROM Person WHERE id = 'a'")
                try migration.execute("DELETE FROM pet")
            }
        ]) { store in
            // They are enforced again.
            let people = try await store.list(Before.Person.self).value
            try file.execute("INSERT INTO pet VALUES (2, 'b')")
            await #expect(throws: StoreError.self) { try await store.delete(people[0]).value }
        }
    }

    @Test func `two that open the file at once run each migration once`() async throws {
        try await file.fill()
        let migrations = (0..<10).map { number in
            SQLiteMigration("m\(number)") { migration in
                try migration.execute("UPDATE Person SET fullName = fullName || ?1", ["\(number)"])
                // The other one gets its turn.
                usleep(1_000)
            }
        }
        let path = file.path
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    #expect(throws: Never.self) {
                        try Thread.run {
                            Result {
                                try SQLiteMigrator(migrations).migrate(SQLiteQueue(path: path))
                            }
                        }
                    }
                }
            }
        }
        try expect(
            file.column("SELECT fullName FROM Person"),
            equals: ["Bob0123456789", "Ada0123456789"]
        )
        try expect(file.ledger(), equals: migrations.map(\.name))
    }

    @Test func `a file of a later version of the program is refused and left alone`() async throws {
        try await file.fill()
        try await file.migrate([rename, change])
        let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
        for known in [[], [rename]] {
            await #expect(
                throws: StoreError.schema(
                    "\(file.path) was written by a later version of the program, or by another one: "
                        + "the migration \"\(known.isEmpty ? "1 name" : "2 age")\" has run, which this "
                        + "one does not know"
                )
            ) {
                try await file.migrate(known)
            }
        }
        let failing = failing
        await #expect(throws: StoreError.self) { try await file.migrate([rename, failing]) }
        try expect(Data(contentsOf: URL(fileURLWithPath: file.path)), equals: before)
    }

    @Test(arguments: [SQLiteModelStore.Sharing.oneStore, .severalProcesses])
    func `so is one with another journal`(_ sharing: SQLiteModelStore.Sharing) async throws {
        try await file.fill()
        let copy = file.directory.file("copy.db")
        try await file.withStore([rename, change]) { store in
            try await store.backup(to: copy).value
        }
        // Which has no log, and in the case of several processes one that it is not to have.
        if sharing == .severalProcesses {
            try SQLiteConnection(path: copy).execute("PRAGMA user_version = 1")
        }
        var functions = try SQLiteLibrary.system.functions
        functions.libversionNumber = { 3_040_001 }
        let library = try SQLiteLibrary(functions: functions)
        let before = try Data(contentsOf: URL(fileURLWithPath: copy))
        expect(before[18], equals: (sharing == .oneStore ? 1 : 2))
        let error = #expect(throws: StoreError.self) {
            try SQLiteModelStore(
                path: copy,
                sharing: sharing,
                migrations: [rename],
                library: library
            )
        }
        expect(error?.code, equals: "schema")
        try expect(Data(contentsOf: URL(fileURLWithPath: copy)), equals: before)
    }

    @Test func `migrations that have run in another order are refused`() async throws {
        try await file.fill()
        try await file.migrate([rename, change])
        for known in [[change, rename], [rename, failing, change]] {
            await #expect(
                throws: StoreError.schema(
                    "\(file.path) was written by another program: the migration "
                        + (known.count == 2
                            ? "\"1 name\" has run as number 1, where this one has \"2 age\""
                            : "\"2 age\" has run as number 2, where this one has \"2 broken\"")
                )
            ) {
                try await file.migrate(known)
            }
        }
    }

    @Test func `two of one name are refused before anything is made`() async throws {
        try await file.fill()
        await #expect(throws: StoreError.schema("two migrations are called \"1 name\"")) {
            try await file.migrate([rename, rename])
        }
        try expect(file.column("SELECT fullName FROM Person"), equals: ["Bob", "Ada"])
    }

    @Test func `a file that a later version of this library has written is refused`() async throws {
        try await file.fill()
        try file.execute(
            "CREATE TABLE _modelkit_format (version INTEGER); INSERT INTO _modelkit_format VALUES (2)"
        )
        await #expect(
            throws: StoreError.schema(
                "\(file.path) has version 2 of the format, but this library knows only those up to 1"
            )
        ) {
            try await file.migrate([])
        }
        try file.execute("UPDATE _modelkit_format SET version = 1")
        try await file.migrate([])
    }

    @Test func `which would run is reported without running them`() async throws {
        let pending = { (migrations: [SQLiteMigration]) in
            try SQLiteModelStore.pendingMigrations(path: file.path, migrations: migrations)
        }
        try expect(pending([rename]), equals: [])
        expect(!FileManager.default.fileExists(atPath: file.path))
        try await file.fill()
        try expect(pending([rename, change]), equals: ["1 name", "2 age"])
        try await file.migrate([rename])
        try expect(pending([rename, change]), equals: ["2 age"])
        try expect(pending([rename]), equals: [])
        #expect(throws: StoreError.self) { try pending([change]) }
        try expect(file.ledger(), equals: ["1 name"])
    }

    @Test func `a file that is only read has to be migrated before`() async throws {
        try await file.fill()
        let open = { (migrations: [SQLiteMigration]) in
            let store = try SQLiteModelStore(
                path: file.path,
                access: .readOnly,
                migrations: migrations
            )
            try await store.close().value
        }
        try await open([])
        await #expect(
            throws: StoreError.schema(
                "\(file.path) is open for reading only, but the migration \"1 name\" has to run"
            )
        ) {
            try await open([rename])
        }
        try await file.migrate([rename])
        try await open([rename])
        await #expect(throws: StoreError.self) { try await open([]) }
    }

    @Test func `the file is copied before the first migration`() async throws {
        let backup = file.directory.file("before.db")
        try await file.migrate([rename], backup: backup)
        expect(!FileManager.default.fileExists(atPath: backup), "a new file")
        try FileManager.default.removeItem(atPath: file.path)
        try await file.fill()
        try await file.migrate([rename], backup: backup)
        try expect(file.column("SELECT fullName FROM Person", of: backup), equals: ["Bob", "Ada"])
        try expect(file.column("SELECT name FROM Person"), equals: ["Bob", "Ada"])
        try FileManager.default.removeItem(atPath: backup)
        try await file.migrate([rename], backup: backup)
        expect(!FileManager.default.fileExists(atPath: backup), "nothing to migrate")
    }

    @Test func `the copy of before is kept until all migrations have run`() async throws {
        let backup = file.directory.file("before.db")
        try await file.fill()
        for _ in 0..<2 {
            await #expect(throws: StoreError.self) {
                try await file.migrate([rename, failing], backup: backup)
            }
        }
        try expect(file.column("SELECT fullName FROM Person", of: backup), equals: ["Bob", "Ada"])
        try await file.migrate([rename, change], backup: backup)
        try expect(file.column("SELECT fullName FROM Person", of: backup), equals: ["Bob", "Ada"])
        let last = SQLiteMigration("3") { _ in }
        try await file.migrate([rename, change, last], backup: backup)
        try expect(file.column("SELECT name FROM Person", of: backup), equals: ["Bob", "Ada"])
    }

    @Test func `without a copy that was asked for nothing is migrated`() async throws {
        try await file.fill()
        await #expect(throws: StoreError.self) {
            try await file.migrate([rename], backup: file.directory.file("none/before.db"))
        }
        try expect(file.column("SELECT fullName FROM Person"), equals: ["Bob", "Ada"])
        try expect(
            file.column("SELECT name FROM sqlite_master WHERE name LIKE '%migrations'"),
            equals: []
        )
    }
}
