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
    let number = Field<Int>(value: 0)

    convenience init(_ id: String, _ text: String = "") {
        self.init()
        (self.id.value, self.text.value) = (id, text)
    }
}

/// What a store says where the server, or what is between them, does not do what it should: one error that names what
/// is wrong, without any password, and nothing half done.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLFailureTests {
    private static let port = UInt16.random(in: 30_000...32_000)
    private static let started = Result {
        try PostgreSQLServer(authentication: "scram-sha-256", port: hasTLS ? port : nil)
    }
    private static let hasTLS = PostgreSQLServer.folder(of: "openssl") != nil
    private static let password = " password=hunter2"

    private let server: PostgreSQLServer
    /// By the socket, as the owner of everything.
    private let socket: String
    private let admin: PostgreSQLConnection
    /// The schema of a test.
    private let space = "s\(UUID().uuidString.prefix(8))"

    init() throws {
        server = try Self.started.get()
        socket =
            "host=\(server.folder)\(Self.hasTLS ? " port=\(Self.port)" : "") user=postgres"
            + Self.password
        admin = try server.connect(socket)
    }

    private func store(
        _ connection: String,
        deadline: Duration = .seconds(60),
        isReadOnly: Bool = false
    ) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            connection,
            PostgreSQLOptions(
                connections: 2,
                connectTimeout: .seconds(1),
                deadline: deadline,
                isReadOnly: isReadOnly
            ),
            schema: space
        )
    }

    private struct Expected {
        let code: String
        let parts: [String]

        init(_ code: String, _ parts: String...) { (self.code, self.parts) = (code, parts) }
    }

    /// Fails unless an error is the expected one, in one line and without a password.
    private func judge(_ error: (any Error)?, _ expected: Expected, _ what: String) {
        guard let error = error as? StoreError else {
            Issue.record("\(what): \(error.map { "\($0)" } ?? "it has succeeded")")
            return
        }
        expect(error.code, equals: expected.code, "\(what): \(error)")
        expect(error.outcome, equals: .notApplied, "\(what): \(error)")
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error.description, error.localizedDescription, dumped] {
            expect(!text.contains("hunter2"), "\(what): \(text)")
        }
        expect(!error.description.contains("\n"), "\(what): \(error)")
        for part in expected.parts {
            expect(error.description.contains(part), "\(what): \(error), without \(part)")
        }
    }

    private func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Each way to write, by its name.
    private func writes(_ store: PostgreSQLModelStore) -> [(String, () async throws -> Void)] {
        [
            ("create", { try await store.create(Note("new")) }),
            ("batch", { try await store.create((0..<20).map { Note("new\($0)") }) }),
            (
                "update",
                { try await store.save(Note("there", "changed"), onConflict: .replace) }
            ),
            ("delete", { try await store.delete(Note.self, identifier: "there") }),
            (
                "transaction",
                {
                    try await store.transaction { transaction in
                        try transaction.create(Note("new"))
                        try transaction.delete(Note.self, identifier: "there")
                    }.value
                }
            ),
        ]
    }

    /// What is there of notes: their identifiers, texts and revisions, and how many rows of the log.
    private func rows() throws -> String? {
        let sql = """
            SELECT string_agg(id || text || "_revision", ' ' ORDER BY id) || ', ' \\
            || (SELECT count(*) FROM "\(space)"."_modelkit_log") FROM "\(space)"."Note"
            """
        return try admin.run(PostgreSQLStatement(sql, isPrepared: false)).text()
    }

    // MARK: Connecting

    @Test func `what cannot be connected to is named`() async throws {
        try admin.execute(
            """
            CREATE ROLE "\(space)" LOGIN CONNECTION LIMIT 0 PASSWORD 'hunter2'; \
            CREATE ROLE "\(space)x" LOGIN PASSWORD 'hunter2'
            """
        )
        try admin.execute("CREATE DATABASE \"\(space)\" TEMPLATE template0 ENCODING 'LATIN1'")
        try admin.execute("REVOKE CONNECT ON DATABASE \"\(space)\" FROM public")
        let local = "host=127.0.0.1 port=\(Self.port) user=postgres\(Self.password)"
        var cases: [(what: String, connection: String, expected: Expected)] = [
            (
                "a wrong password", socket + "3",
                Expected("unauthorized", "28P01", "password", "\"postgres\"")
            ),
            (
                "no password",
                socket.replacingOccurrences(of: Self.password, with: " passfile=/nowhere"),
                Expected("unauthorized", "no password supplied")
            ),
            (
                "a wrong host", "host=nowhere.invalid user=u\(Self.password)",
                Expected("unavailable", "\"nowhere.invalid\"", "in time")
            ),
            (
                "a port where nobody listens", "host=127.0.0.1 port=1 user=u\(Self.password)",
                Expected("unavailable", "\"127.0.0.1\", port 1", "refused")
            ),
            (
                "a folder without a socket", "host=/nowhere user=u\(Self.password)",
                Expected("unavailable", "/nowhere/.s.PGSQL.5432")
            ),
            (
                "a database that is not there", socket + " dbname=none",
                Expected("schema", "3D000", "\"none\"")
            ),
            (
                "a database of other texts", socket + " dbname=\(space)",
                Expected("unsupported", "server_encoding", "UTF8", "LATIN1")
            ),
            (
                "no more connections", socket + " dbname=postgres user=\(space)",
                Expected("unavailable", "53300", "\"\(space)\"")
            ),
            (
                "a database that is forbidden", socket + " dbname=\(space) user=\(space)x",
                Expected("forbidden", "42501", "\"\(space)\"")
            ),
            (
                "a session that only reads",
                socket + " options='-c default_transaction_read_only=on'",
                Expected("unavailable", "read-only")
            ),
        ]
        if Self.hasTLS {
            cases.append(
                (
                    "a certificate that is not known",
                    local + " sslmode=verify-full sslrootcert=/nowhere",
                    Expected("unauthorized", "certificate", "/nowhere")
                )
            )
        }
        for (what, connection, expected) in cases {
            let store = try store(connection)
            judge(await failure { try await store.create(Note("new")) }, expected, what)
            judge(await failure { _ = try await store.list(Note.self) }, expected, what)
            try await store.close()
        }
        if !Self.hasTLS { return }
        try admin.execute("ALTER SYSTEM SET ssl = off")
        try admin.execute("SELECT pg_reload_conf()")
        let setting = PostgreSQLStatement("SHOW ssl")
        while try server.connect(socket).run(setting).text() != "off" { usleep(10_000) }
        let refused = try store(local + " sslmode=require")
        judge(
            await failure { _ = try await refused.list(Note.self) },
            Expected("unauthorized", "SSL"),
            "a server without TLS"
        )
    }

    @Test func `a missing library is named with its packages`() async throws {
        let error = await failure {
            do {
                _ = try PostgreSQLLibrary.Functions(loading: ["libmodelkit-none.so"])
            } catch {
                throw StoreError(error)
            }
        }
        let expected = Expected("unavailable", "libpq5", "Fedora", "libmodelkit-none.so")
        judge(error, expected, "no library")
    }

    @Test func `a connection string that is none is refused without what it quotes`() async throws {
        for connection in ["password=hunter2 x", "postgres://u:hunter2@host:port/db", "hunter2"] {
            judge(
                await failure { _ = try store(connection) },
                Expected("unsupported", "the connection string cannot be used"),
                "a wrong string"
            )
        }
    }

    // MARK: Tables and rights

    /// What is done with a table that is there, and what whoever has opened it before, or opens it then, says.
    private struct Change {
        let what: String
        let sql: String
        /// Of whoever has it open, of writes and of reads; nil where that goes on as before.
        let writing: Expected
        let reading: Expected?
        /// Of whoever opens it then.
        let opening: Expected?

        var isOfColumn: Bool { what.contains("column") }
    }

    private var changes: [Change] {
        let table = "\"\(space)\".\"Note\""
        let (user, missing) = ("\"\(space)\"", "\"\(space).Note\"")
        return [
            Change(
                what: "a missing table",
                sql: "DROP TABLE \(table)",
                writing: Expected("schema", "42P01", missing),
                reading: Expected("schema", "42P01", missing),
                opening: nil
            ),
            Change(
                what: "a missing column",
                sql: "ALTER TABLE \(table) DROP COLUMN number",
                writing: Expected("schema", "42703", "number"),
                reading: Expected("schema", "42703", "number"),
                opening: nil
            ),
            Change(
                what: "a column of another type",
                sql: "ALTER TABLE \(table) ALTER COLUMN number TYPE timestamptz USING now()",
                writing: Expected("schema", "number", "bigint"),
                reading: Expected("schema", "Note.number", "bigint"),
                opening: Expected("schema", "Note.number", "timestamp", "bigint")
            ),
            Change(
                what: "a missing log",
                sql: "DROP TABLE \"\(space)\".\"_modelkit_log\"",
                writing: Expected("schema", "42P01", "_modelkit_log"),
                reading: nil,
                opening: nil
            ),
            Change(
                what: "rows that may only be read",
                sql: "REVOKE INSERT, UPDATE, DELETE ON \(table) FROM \(user)",
                writing: Expected("forbidden", "42501", "Note"),
                reading: nil,
                opening: nil
            ),
            Change(
                what: "a table that is forbidden",
                sql: "REVOKE ALL ON \(table) FROM \(user)",
                writing: Expected("forbidden", "42501", "Note"),
                reading: Expected("forbidden", "42501", "Note"),
                opening: nil
            ),
            Change(
                what: "a log that is forbidden",
                sql: "REVOKE ALL ON \"\(space)\".\"_modelkit_log\" FROM \(user)",
                writing: Expected("forbidden", "42501", "_modelkit_log"),
                reading: nil,
                opening: nil
            ),
        ]
    }

    @Test func `a table that was changed behind the store is named, and nothing is half done`()
        async throws
    {
        try admin.execute("CREATE ROLE \"\(space)\" LOGIN PASSWORD 'hunter2'")
        let user = socket + " dbname=postgres user=\(space)"
        for change in changes {
            try admin.execute("CREATE SCHEMA \"\(space)\"")
            try await store(socket).create(Note("there", "old"))
            try admin.execute(
                """
                GRANT USAGE ON SCHEMA "\(space)" TO "\(space)"; \
                GRANT ALL ON ALL TABLES IN SCHEMA "\(space)" TO "\(space)"; \
                GRANT ALL ON ALL SEQUENCES IN SCHEMA "\(space)" TO "\(space)"
                """
            )
            let open = try store(user)
            expect(try await open.list(Note.self).count, equals: 1, change.what)
            try admin.execute(change.sql)
            let before = try? rows()
            // A deletion needs nothing of the other columns.
            for (name, write) in writes(open) where name != "delete" || !change.isOfColumn {
                judge(await failure(write), change.writing, "\(change.what), \(name)")
            }
            expect(try? rows(), equals: before, change.what)
            let reads: [(String, () async throws -> Void)] = [
                ("list", { _ = try await open.list(Note.self) }),
                (
                    "lookup",
                    { _ = try await open.records.record("there", of: Note.schema).value }
                ),
            ]
            for (name, read) in reads {
                let error = await failure(read)
                if let reading = change.reading {
                    judge(error, reading, "\(change.what), \(name)")
                } else {
                    expect(error.map { "\($0)" }, equals: nil, change.what)
                }
            }
            if let opening = change.opening {
                let late = try store(user)
                judge(
                    await failure { try await late.create(Note("new")) },
                    opening,
                    "\(change.what), opened later"
                )
                expect(try? rows(), equals: before, change.what)
            }
            try await open.close()
            try admin.execute("DROP SCHEMA \"\(space)\" CASCADE")
        }
    }

    @Test func `whoever may not make a table is refused by name, and leaves nothing behind`()
        async throws
    {
        try admin.execute(
            "CREATE ROLE \"\(space)\" LOGIN PASSWORD 'hunter2'; CREATE SCHEMA \"\(space)\""
        )
        let store = try store(socket + " dbname=postgres user=\(space)")
        let count = PostgreSQLStatement(
            """
            SELECT count(*) FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace \
            WHERE nspname = '\(space)'
            """
        )
        for (name, write) in writes(store) {
            let expected = Expected("forbidden", "42501", space)
            judge(await failure(write), expected, "no rights, \(name)")
        }
        expect(try admin.run(count).number(), equals: 0)
        try admin.execute("GRANT ALL ON SCHEMA \"\(space)\" TO \"\(space)\"")
        try await store.create(Note("new"))
    }
}

/// The same of servers that are copies or have no room.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLServerFailureTests {
    @Test func `a server that follows another one is read, and not written to`() async throws {
        let server = try PostgreSQLServer()
        let first = try PostgreSQLModelStore(server.connection())
        try await first.create(Note("there"))
        let standby = try server.standby()
        let reader = try PostgreSQLModelStore(
            standby.connection(),
            PostgreSQLOptions(isReadOnly: true)
        )
        expect(try await reader.list(Note.self).map(\.id.value), equals: ["there"])
        try await first.create(Note("later"))
        while try await reader.list(Note.self).count < 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let refused = await #expect(throws: StoreError.self) {
            try await reader.create(Note("new"))
        }
        expect(refused, equals: .unsupported("the store is open for reading only"))
        let writer = try PostgreSQLModelStore(
            standby.connection(),
            PostgreSQLOptions(connectTimeout: .seconds(1))
        )
        let error = await #expect(throws: StoreError.self) {
            try await writer.create(Note("new"))
        }
        expect(error?.code, equals: "unavailable")
        expect(error?.outcome, equals: .notApplied)
        expect(error?.description.contains("read-only") ?? false, "\(error as Any)")
        // A server that takes no more writes while the store is in use.
        let admin = try server.connect()
        try admin.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        try admin.execute("SELECT pg_reload_conf()")
        let setting = PostgreSQLStatement("SHOW default_transaction_read_only")
        while try server.connect(isReadOnly: true).run(setting).text() != "on" { usleep(10_000) }
        var late: StoreError?
        while late == nil {
            do {
                try await first.create(Note(UUID().uuidString))
            } catch {
                late = error as? StoreError
            }
        }
        expect(late?.code, equals: "unsupported", "\(late as Any)")
        expect(late?.description.contains("read-only") ?? false, "\(late as Any)")
        for store in [first, reader, writer] { try await store.close() }
    }

    #if canImport(Glibc)
    /// A file system of few megabytes; nil where none can be made, as by anybody but root.
    private static let disk: String? = {
        guard getuid() == 0 else { return nil }
        let folder = "\(PostgreSQLServer.temporaryFolder)/modelkit-disk-\(getpid())"
        mkdir(folder, 0o755)
        let command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]
        guard (try? PostgreSQLServer.output(command)) != nil else {
            rmdir(folder)
            return nil
        }
        PostgreSQLServer.giveToPostgres(folder)
        return folder
    }()

    @Test(.enabled(if: disk != nil, "no file system can be mounted"))
    func `a full disk is one error, and nothing is half done`() async throws {
        let disk = try #require(Self.disk)
        let server = try PostgreSQLServer()
        defer {
            try? server.stop()
            _ = try? PostgreSQLServer.output(["umount", "-l", disk])
            rmdir(disk)
        }
        let filler = URL(fileURLWithPath: disk + "/filler")
        try Data(count: 2_000_000).write(to: filler)
        let place = disk + "/place"
        mkdir(place, 0o755)
        PostgreSQLServer.giveToPostgres(place)
        try server.connect().execute("CREATE TABLESPACE small LOCATION '\(place)'")
        let store = try PostgreSQLModelStore(
            server.connection() + " options='-c default_tablespace=small'"
        )
        let text = String(repeating: "x", count: 1_000)
        var (written, number) = (0, 0)
        var errors: [StoreError] = []
        let observer = try server.connect()
        let count = PostgreSQLStatement("SELECT count(*) FROM \"Note\"")
        // In all three ways, until each of them has failed.
        while errors.count < 6 {
            number += 1
            let notes = (0..<20).map { Note("\(number)-\($0)", text) }
            do {
                switch errors.count % 3 {
                case 0: try await store.create(notes)
                case 1:
                    try await store.transaction { transaction in
                        for note in notes { try transaction.create(note) }
                    }.value
                default:
                    _ = try await store.importModels(AsyncStream.of(notes))
                }
                written += notes.count
            } catch {
                errors.append(try #require(error as? StoreError))
            }
            expect(try observer.run(count).number(), equals: Int64(written), "\(errors)")
            expect(number < 1_000)
        }
        expect(written > 0)
        for error in errors {
            expect(error.code, equals: "unavailable", "\(error)")
            expect(error.outcome, equals: .notApplied, "\(error)")
            expect(error.description.contains("53100"), "\(error)")
            expect(!error.description.contains("xxxx"), "\(error)")
        }
        try FileManager.default.removeItem(at: filler)
        try await store.create(Note("last", text))
        try await store.close()
    }
    #endif
}
