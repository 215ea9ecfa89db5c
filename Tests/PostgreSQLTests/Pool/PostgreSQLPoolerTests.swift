import Foundation
import ModelKitPostgreSQL
import ModelKitPromises
import TestSupport
import Testing

/// The pool behind another one, which gives a connection for each transaction.
@Suite(.enabled(if: PgBouncer.isInstalled, PgBouncer.reason))
struct PostgreSQLPoolerTests {
    private let server: PostgreSQLServer
    private let pooler: PgBouncer
    private let pool: PostgreSQLPool

    init() throws {
        server = try .shared
        pooler = try PgBouncer(to: server, connections: 2)
        pool = try PostgreSQLPool(
            pooler.connection(),
            PostgreSQLOptions(connections: 8, mode: .pooled, deadline: .seconds(60))
        )
    }

    @Test func `transactions of many connections share few`() async throws {
        let table = "\(try server.schema()).t"
        try server.connect().execute("CREATE TABLE \(table) (a bigint)")
        let all = (0..<40).map { number in
            pool.run { connection in
                let insert = PostgreSQLStatement(
                    "INSERT INTO \(table) VALUES ($1)",
                    PostgreSQLParameters(number)
                )
                try connection.run(insert)
                let begin = PostgreSQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE")
                try connection.run([begin, insert])
                try connection.run([
                    insert, PostgreSQLStatement(number % 2 == 0 ? "COMMIT" : "ROLLBACK"),
                ])
                let process = PostgreSQLStatement("SELECT pg_backend_pid()::bigint")
                return try connection.run(process).number()
            }
        }
        let processes = Set(try await Promise.all(all).value)
        expect(processes.count <= 2)
        let count = try server.connect().run(PostgreSQLStatement("SELECT count(*) FROM \(table)"))
        expect(count.number(), equals: 80)
    }

    @Test func `what takes too long, or is cancelled, leaves the others alone`() async throws {
        // It may not listen yet.
        expect(try await pool.run { try $0.run([]).count }.value, equals: 0)
        let late = await #expect(throws: PostgreSQLError.self) {
            try await pool.run(deadline: .milliseconds(200)) {
                _ = try $0.run(PostgreSQLStatement("SELECT pg_sleep(600)"))
            }.value
        }
        expect(late?.kind, equals: .timedOut)
        let endless = pool.run(isCancellable: true) {
            _ = try $0.run(PostgreSQLStatement("SELECT pg_sleep(601)"))
        }
        server.wait(
            until: "query LIKE '%pg_sleep(601)%' AND state = 'active' AND pid <> pg_backend_pid()"
        )
        endless.cancel()
        let error = await #expect(throws: PostgreSQLError.self) { try await endless.value }
        expect(error?.kind, equals: .cancelled)
        let all = (0..<40).map { _ in
            pool.run { try $0.run(PostgreSQLStatement("SELECT 1::bigint")).number() }
        }
        for value in try await Promise.all(all).value { expect(value, equals: 1) }
    }

    @Test func `a pooler that stands still is given up at the deadline, and used again as before`()
        async throws
    {
        func all(_ deadline: Duration) -> [Promise<Int64?>] {
            (0..<12).map { _ in
                pool.run(deadline: deadline) {
                    try $0.run(PostgreSQLStatement("SELECT 1::bigint")).number()
                }
            }
        }
        for promise in all(.seconds(60)) { expect(try await promise.value, equals: 1) }
        pooler.signal(SIGSTOP)
        var start = ContinuousClock.now
        for promise in all(.milliseconds(500)) {
            let error = await #expect(throws: PostgreSQLError.self) { try await promise.value }
            expect([.timedOut, .cannotConnect].contains(error?.kind), "\(error as Any)")
        }
        let silent = start.duration(to: .now)
        pooler.signal(SIGCONT)
        start = .now
        for promise in all(.seconds(60)) { expect(try await promise.value, equals: 1) }
        print("pooler: all ended after \(silent), whole after \(start.duration(to: .now))")
    }

    @Test func `rows are copied in both directions`() async throws {
        let table = "\(try server.schema()).t"
        try server.connect().execute("CREATE TABLE \(table) (a bigint)")
        let rows = try await pool.run { connection in
            var chunks = (0..<20).map { Array("\($0)\n".utf8) }
            try connection.copyIn("COPY \(table) FROM STDIN") { chunks.popLast() }
            var rows = 0
            try connection.copyOut("COPY \(table) TO STDOUT") { _ in rows += 1 }
            return rows
        }.value
        expect(rows, equals: 20)
    }

    @Test func `a database that a pooler does not reach is named`() async throws {
        expect(try await pool.run { try $0.run([]).count }.value, equals: 0)
        let other = try PostgreSQLPool(
            pooler.connection("none"),
            PostgreSQLOptions(mode: .pooled, deadline: .seconds(2))
        )
        let error = await #expect(throws: PostgreSQLError.self) {
            try await other.run { try $0.execute("SELECT 1") }.value
        }
        expect(error?.message.contains("none") ?? false, "\(error as Any)")
    }
}
