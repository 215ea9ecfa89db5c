import Foundation
import ModelKitPostgreSQL
import TestSupport
import Testing

/// Who connects to what, and what is said where that is refused.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLTargetTests {
    private let server: PostgreSQLServer

    init() throws { server = try .shared }

    private func failure(
        _ connection: String,
        mode: PostgreSQLMode = .direct
    ) throws -> PostgreSQLError {
        let error = try #require(throws: PostgreSQLError.self) {
            try server.connect(connection, mode: mode)
        }
        let texts = ["\(error)", String(reflecting: error)]
        for text in texts {
            expect(!text.contains("hunter2") && !text.contains("\n"), text)
            expect(!text.contains("LOCATION"), text)
        }
        return error
    }

    @Test func `a connection string that is none is refused without what it quotes`() throws {
        for (connection, part) in [
            ("postgres", "missing"),
            ("hunter2", "missing"),
            ("password='hunter2", "unterminated quoted string"),
            ("postgres=hunter2", "invalid connection option"),
            ("postgres://user:hunter2@host/db?x", "missing key/value separator"),
            ("postgres://user:hunter2@host:port/db", "the port is no number"),
            ("postgres://user:7@hunter2@host/db", "there is an @ in the name of the host"),
            ("postgres://user:hunter2/x@host/db", "the port is no number"),
            // The rest of the password would be a host that cannot be found.
            ("postgres://user:7@hunter2/x@host/db", "there is more than one @"),
            ("postgres://user:hunter2@[::1/db", "end of string"),
            ("host=a\0hunter2", "it has a zero byte"),
        ] {
            let error = try failure(connection)
            expect(error.kind, equals: .notSupported, connection)
            expect(
                error.message.hasPrefix("the connection string cannot be used: "),
                error.message
            )
            expect(error.message.contains(part), "\(connection): \(error.message)")
        }
    }

    @Test func `a URL connects as well`() throws {
        let folder = server.folder.replacingOccurrences(of: "/", with: "%2F")
        let connection = try server.connect("postgres://postgres@\(folder)/postgres")
        let name = PostgreSQLStatement("SELECT current_setting('application_name')")
        expect(try connection.run(name).text(), equals: "ModelKit")
        let named = try server.connect(server.connection() + " application_name=Contacts")
        expect(try named.run(name).text(), equals: "Contacts")
    }

    @Test func `parameters of the session can be given where the session is one`() throws {
        let connection = server.connection() + " options='-c work_mem=1234kB'"
        let statement = PostgreSQLStatement("SELECT current_setting('work_mem')")
        expect(try server.connect(connection).run(statement).text(), equals: "1234kB")
        for mode in [PostgreSQLMode.pooled, .portable] {
            let error = try failure(connection, mode: mode)
            expect(error.kind, equals: .notSupported)
            expect(error.message.contains("options"))
        }
    }

    @Test func `texts arrive as they are, or there is no connection`() throws {
        let latin = try server.connect(server.connection() + " client_encoding=latin1")
        let text = PostgreSQLStatement("SELECT $1::text", PostgreSQLParameters("ł€"))
        expect(try latin.run(text).text(), equals: "ł€")
        let admin = try server.connect()
        try admin.execute("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII'")
        let encoding = try failure(server.connection("ascii"))
        expect(encoding.kind, equals: .notSupported)
        expect(encoding.message, equals: "server_encoding has to be UTF8, and is SQL_ASCII")
        let strings = try failure(
            server.connection() + " options='-c standard_conforming_strings=off'"
        )
        expect(
            strings.message,
            equals: "standard_conforming_strings has to be on, and is off"
        )
    }

    @Test func `a refusal says why, by the server's code`() throws {
        let admin = try server.connect()
        try admin.execute("CREATE ROLE full LOGIN CONNECTION LIMIT 0; CREATE ROLE guest LOGIN")
        try admin.execute("CREATE DATABASE closed")
        try admin.execute("REVOKE CONNECT ON DATABASE closed FROM public")
        let server = "host=\(server.folder)"
        for (connection, kind, state, message) in [
            (
                "\(server) user=postgres dbname=none", PostgreSQLError.Kind.noSuchDatabase, "3D000",
                "database \"none\" does not exist"
            ),
            ("\(server) user=nobody", .authentication, "28000", "role \"nobody\" does not exist"),
            ("\(server) user=full dbname=postgres", .tooManyConnections, "53300", "too many"),
            (
                "\(server) user=guest dbname=closed", .permissionDenied, "42501",
                "permission denied for database"
            ),
            ("host=/nowhere", .cannotConnect, nil, "No such file"),
            ("host=127.0.0.1 port=1", .cannotConnect, nil, "refused"),
            ("service=nowhere", .notSupported, nil, "nowhere"),
        ] {
            let error = try failure(connection + " password=hunter2")
            expect(error.kind, equals: kind, connection)
            expect(error.sqlState, equals: state, connection)
            expect(error.message.contains(message), "\(connection): \(error.message)")
            expect(!error.wasSent)
        }
    }

    @Test func `passwords are asked for, and never said`() throws {
        let server = try PostgreSQLServer(authentication: "scram-sha-256")
        let admin = try server.connect(server.connection() + " password=hunter2")
        try admin.execute("SELECT 1")
        let wrong = try failure(server.connection() + " password=hunter22")
        expect(wrong.kind, equals: .authentication)
        expect(wrong.sqlState, equals: "28P01")
        expect(wrong.message.contains("password authentication failed for user \"postgres\""))
        let missing = try failure(server.connection() + " passfile=/nowhere")
        expect(missing.kind, equals: .authentication)
        expect(missing.message.contains("no password supplied"), missing.message)
    }

    @Test func `a host that is silent leaves time for the next one`() async throws {
        let proxy = try PostgreSQLProxy(to: server)
        proxy.fail(.swallow, .toServer, after: 0)
        for hosts in [
            "\(proxy.folder),\(server.folder)", "\(proxy.folder),/nowhere,\(server.folder)",
        ] {
            let pool = try PostgreSQLPool(
                "host=\(hosts) user=postgres dbname=postgres connect_timeout=1",
                PostgreSQLOptions(connectTimeout: .seconds(60), deadline: .seconds(120))
            )
            let one = PostgreSQLStatement("SELECT 1::bigint")
            let value = try await pool.run { try $0.run(one).number() }.value
            expect(value, equals: 1)
            try await pool.close().value
        }
        // What is wrong with each is said.
        let target = try PostgreSQLTarget(
            "host=\(proxy.folder),/nowhere connect_timeout=1",
            library: .system,
            mode: .direct
        )
        let error = #expect(throws: PostgreSQLError.self) {
            try PostgreSQLConnection.open(target, until: .now + .seconds(60))
        }
        expect(error?.kind, equals: .cannotConnect)
        for part in ["\(proxy.folder)", "not answered in time", "/nowhere"] {
            expect(error?.message.contains(part) ?? false, "\(error as Any)")
        }
    }

    @Test func `a target shows nothing of its string`() throws {
        let target = try PostgreSQLTarget(
            "postgres://user:hunter2@host/db",
            library: .system,
            mode: .direct
        )
        var dumped = ""
        dump(target, to: &dumped)
        for text in ["\(target)", String(reflecting: target), dumped] {
            expect(!text.contains("hunter2") && !text.contains("host"), text)
        }
    }

    @Test func `what is only read may be a server that follows another one`() throws {
        let server = try PostgreSQLServer(["default_transaction_read_only": "on"])
        let error = #expect(throws: PostgreSQLError.self) { try server.connect() }
        expect(error?.kind, equals: .cannotConnect)
        expect(error?.message.contains("read-only") ?? false)
        let connection = try server.connect(isReadOnly: true)
        let write = #expect(throws: PostgreSQLError.self) {
            try connection.execute("CREATE TABLE t ()")
        }
        expect(write?.kind, equals: .readOnly)
    }
}
