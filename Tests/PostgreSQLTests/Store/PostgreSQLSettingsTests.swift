import Dispatch
import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Note: Model {
    let id = Field<String>()
    let text = Field<String>()

    convenience init(_ id: String, _ text: String = "") {
        self.init()
        (self.id.value, self.text.value) = (id, text)
    }
}

/// Of a name that statements could have for something else.
private final class Granted: Model {
    static var modelName: String { "given" }
    let id = Field<String>()
    let text = Field<String>()
}

/// What the settings of a server and of its roles, and what others have made there, mean to a store.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLSettingsTests {
    private let server: PostgreSQLServer
    private let admin: PostgreSQLConnection
    private let space: String

    init() throws {
        server = try .shared
        admin = try server.connect()
        space = try server.schema()
    }

    /// A role that has the rights which the article lists, and its connection string.
    private func role(_ name: String, _ rest: String = "") async throws -> String {
        try await store().create(Note("there"))
        try admin.execute(
            """
            CREATE ROLE \(name) LOGIN; GRANT USAGE ON SCHEMA \(space) TO \(name); \
            GRANT SELECT, INSERT, UPDATE, DELETE, REFERENCES ON ALL TABLES IN SCHEMA \(space) TO \(name); \
            GRANT ALL ON ALL SEQUENCES IN SCHEMA \(space) TO \(name); \(rest)
            """
        )
        return server.connection() + " user=\(name)"
    }

    private func store(_ connection: String? = nil) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(connection ?? server.connection(), schema: space)
    }

    @Test func `a limit of the server is one of time, and nobody has cancelled anything`()
        async throws
    {
        let user = "limited_\(space)"
        let connection = try await role(user, "ALTER ROLE \(user) SET statement_timeout = '300ms'")
        let store = try store(connection)
        let query = store.observe(Note.self)
        expect(try await store.list(Note.self).count, equals: 1)
        try admin.execute("BEGIN; LOCK TABLE \(space).\"Note\"")
        let late = StoreError.timedOut(.notApplied)
        await #expect(throws: late) { try await store.list(Note.self) }
        await #expect(throws: late) { try await store.create(Note("new")) }
        await #expect(throws: late) {
            for try await _ in query { return }
        }
        try admin.execute("ROLLBACK")
        expect(try await store.list(Note.self).count, equals: 1)
        try await store.close()
    }

    @Test func `who connects may have the role of another one, and is ended all the same`()
        async throws
    {
        let user = "member_\(space)"
        let connection = try await role(
            user,
            """
            CREATE ROLE owner_\(space); GRANT owner_\(space) TO \(user); ALTER ROLE \(user) SET role = 'owner_\(space)'; \
            GRANT ALL ON SCHEMA \(space) TO owner_\(space); \
            GRANT ALL ON ALL TABLES IN SCHEMA \(space) TO owner_\(space); \
            GRANT ALL ON ALL SEQUENCES IN SCHEMA \(space) TO owner_\(space)
            """
        )
        let store = try store(connection)
        try await store.create(Note("new"))
        let records = try #require(store.records as? PostgreSQLRecordStore)
        let (lost, other) = (try server.connect(connection), try server.connect(connection))
        let settlement = PostgreSQLSettlement(
            log: records.log,
            token: UUID(),
            backend: lost.backend
        )
        let entries = try settlement.entries(by: other, until: .now + .seconds(60))
        expect(entries == nil)
        #expect(throws: PostgreSQLError.self) { try lost.execute("SELECT 1") }
        try await store.close()
    }

    @Test func `an index of somebody else refuses a record, and the transaction goes on`()
        async throws
    {
        let store = try store()
        try await store.create(Note("a", "x"))
        try admin.execute("CREATE UNIQUE INDEX own ON \(space).\"Note\" (text)")
        @Sendable func expectRefusal(_ error: (any Error)?) {
            guard case .schema(let text) = error as? StoreError else {
                Issue.record("\(error.map { "\($0)" } ?? "it was added")")
                return
            }
            expect(text.contains("own"), text)
        }
        expectRefusal(
            await #expect(throws: StoreError.self) {
                try await store.create(Note("b", "x"))
            }
        )
        let runs = Guarded(0)
        try await store.transaction { transaction in
            runs.withLock { $0 += 1 }
            try transaction.create(Note("c", "y"))
            expectRefusal(
                #expect(throws: StoreError.self) {
                    try transaction.create(Note("d", "y"))
                }
            )
            try transaction.create(Note("e", "z"))
        }.value
        expect(runs.withLock { $0 }, equals: 1)
        expect(try await store.list(Note.self).map(\.id.value), equals: ["a", "c", "e"])
        try await store.close()
    }

    @Test func `places in the order that somebody else has taken are gone past`() async throws {
        let store = try store()
        try await store.create(Note("a"))
        try admin.execute(
            """
            INSERT INTO \(space)."Note" ("_order", "_revision", id) \
            SELECT "_order" + n, 1, 'n' || n FROM \(space)."Note", generate_series(1, 9) AS n
            """
        )
        try await store.create(Note("b"))
        let ids = ["a"] + (1...9).map { "n\($0)" } + ["b"]
        expect(try await store.list(Note.self).map(\.id.value), equals: ids)
        try await store.close()
    }

    @Test func `an identifier is taken, whatever name its index has`() async throws {
        let store = try store()
        try await store.create(Note("a"))
        let table = try PostgreSQLTable(of: Note.schema, in: space)
        try admin.execute("ALTER TABLE \(table.name) RENAME CONSTRAINT \"\(table.keyName)\" TO own")
        await #expect(throws: StoreError.alreadyExists(type: "Note", identifier: "a")) {
            try await store.create(Note("a"))
        }
        try await store.close()
    }

    @Test func `a migration of one schema keeps nobody waiting in another`() async throws {
        let (begun, began) = Promise<Void>.withResolvers()
        let gate = DispatchSemaphore(value: 0)
        let migration = PostgreSQLMigration("slow") { _ in
            began.fulfill()
            gate.wait()
        }
        // In a new schema it would not run.
        let first = try store()
        try await first.create(Note("a"))
        try await first.close()
        let (connection, space) = (server.connection(), space)
        let migrating = Task {
            try await PostgreSQLModelStore.open(
                connection,
                schema: space,
                migrations: [migration]
            )
        }
        try await begun.value
        let tenant = try PostgreSQLModelStore(
            connection,
            PostgreSQLOptions(deadline: .seconds(20)),
            schema: server.schema()
        )
        let creation: Promise = tenant.create(Note("b"))
        do { _ = try await creation.value } catch { Issue.record(error) }
        gate.signal()
        try await migrating.value.close()
        try await tenant.close()
    }

    @Test func `an index that somebody has left keeps nobody from using the table`() async throws {
        let connection = try await role("reindexing_\(space)")
        try admin.execute(
            """
            CREATE INDEX "_modelkit_Note_ccnew" ON \(space)."Note" (text); \
            UPDATE pg_index SET indisvalid = false \
            WHERE indexrelid = '\(space)."_modelkit_Note_ccnew"'::regclass
            """
        )
        let store = try store(connection)
        try await store.create(Note("new"))
        expect(try await store.list(Note.self).count, equals: 2)
        try await store.close()
    }

    @Test func `a field that is unique no more is so until a migration removes its indexes`()
        async throws
    {
        final class Unique: Model {
            static var modelName: String { "Note" }
            let id = Field<String>()
            let text = Field<String>().unique()
        }
        let before = try store()
        let unique = Unique()
        (unique.id.value, unique.text.value) = ("a", "x")
        try await before.create(unique)
        try await before.close()
        let after = try store()
        await #expect(throws: StoreError.self) { try await after.create(Note("b", "x")) }
        try await after.close()
        let migration = PostgreSQLMigration("plain") { migration in
            try migration.change("text", in: "Note", to: .string, using: "text")
        }
        let migrated = try await PostgreSQLModelStore.open(
            server.connection(),
            schema: space,
            migrations: [migration]
        )
        try await migrated.create(Note("b", "x"))
        try await migrated.close()
    }

    @Test func `there are from 1 to 64 connections, however that is set`() {
        var options = PostgreSQLOptions(connections: 0)
        expect(options.connections, equals: 1)
        for (number, count) in [(0, 1), (-1, 1), (9, 9), (1_000, 64)] {
            options.connections = number
            expect(options.connections, equals: count)
        }
    }

    @Test func `a type may have the name that something of a statement has`() async throws {
        let store = try store()
        let model = Granted()
        (model.id.value, model.text.value) = ("a", "x")
        try await store.create(model)
        model.text.value = "y"
        try await store.update(model)
        expect(try await store.list(Granted.self).map(\.text.value), equals: ["y"])
        try await store.delete(model)
        expect(try await store.list(Granted.self).count, equals: 0)
        try await store.close()
    }

    @Test func `what a type needs is made once the server takes connections again`() async throws {
        let failures = Guarded(2)
        let connection = server.connection()
        let target = try PostgreSQLTarget(connection, library: .system, mode: .direct)
        let pool = PostgreSQLPool(PostgreSQLOptions()) { deadline throws(PostgreSQLError) in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { throw PostgreSQLError(.tooManyConnections, "there are too many") }
            return try PostgreSQLConnection.open(target, until: deadline)
        }
        let opener = try PostgreSQLOpener(pool, space, PostgreSQLLog(in: space))
        try opener.prepare()
        let log = "SELECT to_regclass('\(space)._modelkit_log') IS NOT NULL"
        expect(try server.connect().run(PostgreSQLStatement(log)).isTrue)
        try await pool.close().value
    }
}
