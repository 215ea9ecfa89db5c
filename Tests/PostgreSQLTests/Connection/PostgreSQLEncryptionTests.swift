import Foundation
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// The same over an encrypted connection, where what has come is not what a socket says.
@Suite(
    .enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason),
    .enabled(if: PostgreSQLServer.folder(of: "openssl") != nil, "openssl is not installed")
)
struct PostgreSQLEncryptionTests {
    private static let port = UInt16.random(in: 20_000...30_000)
    private static let started = Result { try PostgreSQLServer(port: port) }

    private let server: PostgreSQLServer
    private let connection = "host=localhost hostaddr=127.0.0.1 port=\(port) user=postgres"

    init() throws { server = try Self.started.get() }

    @Test func `whatever is sent and received arrives`() throws {
        let connection = try server.connect(connection + " sslmode=require")
        let encrypted = PostgreSQLStatement(
            "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        )
        let answer = try connection.run(encrypted)
        expect(answer.bytes(0, 0).read { $0.first }, equals: 1)
        connection.deadline = .now + .seconds(60)
        for size in [1, 1000, 8180, 20_000, 3_000_000] {
            let text = String(repeating: "x", count: size)
            let statement = PostgreSQLStatement(
                "SELECT $1::text FROM generate_series(1, 5)",
                PostgreSQLParameters(text)
            )
            for result in try connection.run([statement, statement]) {
                expect(result.rowCount, equals: 5)
                expect(result.text(4, 0) == text)
            }
        }
        try connection.execute("CREATE TEMPORARY TABLE t (a text)")
        var rest = 100
        let count = try connection.copyIn("COPY t FROM STDIN") {
            rest -= 1
            return rest < 0 ? nil : Array(repeatElement("\(rest)\n", count: 1000).joined().utf8)
        }
        expect(count, equals: 100_000)
        var copied = 0
        try connection.copyOut("COPY t TO STDOUT") { _ in copied += 1 }
        expect(copied, equals: 100_000)
        connection.deadline = .now + .milliseconds(50)
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.execute("SELECT pg_sleep(600)")
        }
        expect(error?.sqlState, equals: "57014")
        expect(connection.reset())
        let process = connection.backend?.process ?? 0
        try server.connect(self.connection).execute("SELECT pg_terminate_backend(\(process), 5000)")
        while connection.checkIdle() { usleep(1000) }
    }

    @Test func `what has come is received, whatever the socket says`() throws {
        let target = try PostgreSQLTarget(
            connection + " sslmode=require",
            library: .system,
            mode: .direct
        )
        let wire = try LibpqWire.connect(target, until: .now + .seconds(60))
        for _ in 0..<20 {
            try wire.send(.simple(sql: "SELECT repeat('x', 10)"))
            while !wire.flush() { usleep(100) }
            var (count, end) = (0, ContinuousClock.now + .seconds(10))
            // Without the wait for the socket.
            while end > .now, count < 2 { if try wire.receive() != nil { count += 1 } }
            expect(count, equals: 2)
            if count < 2 { return }
        }
    }

    @Test func `a server that is not trusted is refused at once`() throws {
        let error = #expect(throws: PostgreSQLError.self) {
            try server.connect(connection + " sslmode=verify-full sslrootcert=/nowhere")
        }
        expect(error?.kind, equals: .authentication)
        expect(error?.message.contains("certificate") ?? false, "\(error as Any)")
    }
}
