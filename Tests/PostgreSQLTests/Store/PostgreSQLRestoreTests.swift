import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Entry: Model {
    let id = Field<String>()
    let amount = Field<Int>(value: 1)

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

/// Stores that stay open while another server takes the place of theirs, which has forgotten something.
@Suite(
    .enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason),
    .timeLimit(.minutes(5))
)
struct PostgreSQLRestoreTests {
    private func open(
        _ connection: String,
        _ mode: PostgreSQLMode = .direct
    ) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            connection,
            PostgreSQLOptions(connections: 2, mode: mode, deadline: .seconds(120))
        )
    }

    /// Does something with two stores that are open, the first of which has live queries, while `change` puts another
    /// server in the place of theirs, in which `lost` is not.
    private func check(
        _ connection: String,
        _ mode: PostgreSQLMode = .direct,
        remember: () async throws -> Void,
        change: () async throws -> Void
    ) async throws {
        let (store, other) = (try open(connection, mode), try open(connection, mode))
        try await other.create(Entry("first"))
        let list = store.observe(Entry.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        let count = store.observe(sum: \.amount, of: Entry.self).makeAsyncIterator()
        /// Until both say the same.
        func reach(_ identifiers: [String]) async {
            var (found, sum): ([String]?, Int?)
            while found != identifiers {
                if let models = try? await list.next()?.models {
                    found = models.compactMap(\.id.value)
                }
            }
            while sum != identifiers.count {
                if let next = try? await count.next() { sum = next }
            }
        }
        await reach(["first"])
        try await remember()
        try await other.create(Entry("lost"))
        await reach(["first", "lost"])
        try await change()
        await reach(["first"])
        // Both go on, and follow each other.
        try await other.create(Entry("other"))
        await reach(["first", "other"])
        try await store.create(Entry("own"))
        await reach(["first", "other", "own"])
        for number in 0..<20 { try await other.create(Entry("p\(number)")) }
        try await expect(store.list(Entry.self).count, equals: 23)
        try await store.close()
        try await other.close()
    }

    @Test func `a server that has followed theirs takes its place`() async throws {
        let first = try PostgreSQLServer()
        let second = try first.standby()
        try await check("host=\(first.folder),\(second.folder) user=postgres dbname=postgres") {
            while try second.shell("SELECT to_regclass('\"Entry\"') IS NOT NULL") != ["t"] {
                try await Task.sleep(for: .milliseconds(10))
            }
            while try second.shell("SELECT count(*) FROM \"Entry\"") != ["1"] {
                try await Task.sleep(for: .milliseconds(10))
            }
            // It does not follow any more, and nobody has seen that yet.
            _ = try second.shell("ALTER SYSTEM SET primary_conninfo = ''")
            _ = try second.shell("SELECT pg_reload_conf()")
            while try second.shell("SELECT count(*) FROM pg_stat_wal_receiver") != ["0"] {
                try await Task.sleep(for: .milliseconds(10))
            }
        } change: {
            try first.stop()
            try second.promote()
        }
    }

    /// Uses numbers of transactions, of which there are more than in other servers then.
    private static func spend(_ server: PostgreSQLServer) throws {
        _ = try server.shell(
            """
            CREATE TABLE spent (i int); DO $$ BEGIN FOR i IN 1..300 LOOP \
            BEGIN INSERT INTO spent VALUES (i); EXCEPTION WHEN OTHERS THEN END; \
            END LOOP; END $$
            """
        )
    }

    private static let modes: [PostgreSQLMode] =
        PgBouncer.isInstalled ? [.direct, .pooled] : [.direct]

    /// The server by a socket that will be another one's, and by a pooler before that.
    private struct Way {
        let proxy: PostgreSQLProxy
        private let pooler: PgBouncer?

        init(to server: PostgreSQLServer, _ mode: PostgreSQLMode) throws {
            proxy = try PostgreSQLProxy(to: server)
            pooler = mode == .pooled ? try PgBouncer(to: server, by: proxy.folder) : nil
        }

        var connection: String { pooler?.connection() ?? proxy.connection() }

        func lead(to other: PostgreSQLServer) {
            proxy.lead(to: other.folder)
            proxy.cutAll()
        }
    }

    @Test(arguments: modes, [false, true])
    func `a copy of their server takes its place`(
        _ mode: PostgreSQLMode,
        hasGoneOn: Bool
    ) async throws {
        let server = try PostgreSQLServer()
        let way = try Way(to: server, mode)
        var copy: PostgreSQLServer?
        try await check(way.connection, mode) {
            copy = try server.copy()
        } change: {
            let copy = try #require(copy)
            // So that the number of the last transaction does not say it.
            if hasGoneOn { try Self.spend(copy) }
            way.lead(to: copy)
        }
    }

    @Test(arguments: modes, [false, true])
    func `a dump of their server is read by another one`(
        _ mode: PostgreSQLMode,
        isOlder: Bool
    ) async throws {
        let server = try PostgreSQLServer()
        if isOlder { try Self.spend(server) }
        let other = try PostgreSQLServer()
        let way = try Way(to: server, mode)
        try await check(way.connection, mode) {
            // What was logged has the numbers of transactions that are still to come.
            let store = try open(server.connection(), mode)
            for _ in 0..<100 {
                try await store.create(Entry("gone"))
                try await store.delete(Entry.self, identifier: "gone")
            }
            try await store.close()
            try server.dump(into: other)
        } change: {
            way.lead(to: other)
        }
        // Nothing that is to come is logged already.
        let sql =
            "SELECT count(*) FROM _modelkit_log WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())"
        try expect(other.shell(sql), equals: ["0"])
    }

    @Test(arguments: modes)
    func `what is written first there begins the log anew`(_ mode: PostgreSQLMode) async throws {
        let server = try PostgreSQLServer()
        let pooler = mode == .pooled ? try PgBouncer(to: server) : nil
        let options = PostgreSQLOptions(connections: 2, mode: mode, deadline: .seconds(120))
        let store = try PostgreSQLModelStore(pooler?.connection() ?? server.connection(), options)
        let ways: [(name: String, write: () async throws -> Void)] = [
            ("create", { try await store.create(Entry("1")) }),
            ("batch", { try await store.create([Entry("2"), Entry("3")]) }),
            ("update", { try await store.save(Entry("1"), onConflict: .replace) }),
            (
                "transaction",
                {
                    try await store.transaction { transaction in
                        try transaction.create(Entry("4"))
                        try transaction.savepoint { try transaction.create(Entry("5")) }
                    }.value
                }
            ),
            (
                "import",
                {
                    do {
                        try await store.importModels(AsyncStream.of([Entry("6")]))
                        Issue.record("an import that was fed has run again")
                    } catch StoreError.unavailable(_, .notApplied) {
                        try await store.importModels(AsyncStream.of([Entry("6")]))
                    }
                }
            ),
            ("delete", { try await store.delete(Entry.self, identifier: "6") }),
        ]
        try await store.create(Entry("0"))
        var logs = try server.shell("SELECT token FROM _modelkit_log WHERE xid = '0'")
        for (name, write) in ways {
            _ = try server.shell(
                """
                INSERT INTO _modelkit_log (xid, n, token, type, kind) \
                SELECT (pg_current_xact_id()::text::bigint + i)::text::xid8, n, gen_random_uuid(), '', 1 \
                FROM generate_series(1, 100) AS i, generate_series(0, 1) AS n
                """
            )
            try await write()
            logs += try server.shell("SELECT token FROM _modelkit_log WHERE xid = '0'")
            expect(Set(logs).count, equals: logs.count, name)
        }
        try expect(
            server.shell("SELECT id FROM \"Entry\" ORDER BY id"),
            equals: (0...5).map { "\($0)" }
        )
        try await store.close()
    }

    @Test func `a use waits for a log that is made anew no longer than its deadline`()
        async throws
    {
        let server = try PostgreSQLServer()
        let store = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(connections: 16, deadline: .seconds(15))
        )
        let patient = try open(server.connection())
        try await patient.create(Entry("0"))
        _ = try server.shell(
            """
            INSERT INTO _modelkit_log (xid, n, token, type, kind) \
            SELECT (pg_current_xact_id()::text::bigint + i)::text::xid8, n, gen_random_uuid(), '', 1 \
            FROM generate_series(1, 10000) AS i, generate_series(0, 1) AS n
            """
        )
        // Whoever makes the log has this lock.
        let other = try server.connect()
        let number = Int64(bitPattern: "ModelKit public".stableHash & ~1)
        try other.execute("SELECT pg_advisory_lock(\(number))")
        let writes: [Promise<Entry>] = (1...16).map { store.create(Entry("\($0)")) }
        for _ in 0..<2_000 where !writes.allSatisfy(\.isSettled) {
            try await Task.sleep(for: .milliseconds(50))
        }
        expect(writes.allSatisfy(\.isSettled))
        for write in writes {
            await #expect(throws: StoreError.timedOut(.notApplied)) { try await write.value }
        }
        try other.execute("SELECT pg_advisory_unlock(\(number))")
        try await patient.create(Entry("late"))
        try await expect(patient.list(Entry.self).count, equals: 2)
        for store in [store, patient] { try await store.close() }
    }
}
