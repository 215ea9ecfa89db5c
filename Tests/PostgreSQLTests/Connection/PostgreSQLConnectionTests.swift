import Foundation
import ModelKitFields
import ModelKitPostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLConnectionTests {
    private let server: PostgreSQLServer
    private let connection: PostgreSQLConnection
    private let schema: String

    init() throws {
        server = try .shared
        connection = try server.connect()
        schema = try server.schema()
    }

    private func run(_ sql: String, _ values: Any?...) throws -> PostgreSQLResult {
        var parameters = PostgreSQLParameters()
        for value in values { parameters.append(value: value) }
        return try connection.run(PostgreSQLStatement(sql, parameters))
    }

    @discardableResult
    private func failure(
        _ statements: [PostgreSQLStatement],
        _ comment: String? = nil
    ) throws -> PostgreSQLError {
        try #require(throws: PostgreSQLError.self, "\(comment ?? "")") {
            try connection.run(statements)
        }
    }

    // MARK: Values

    @Test func `values go and come in the binary format`() throws {
        let texts = ["", "é", "a'b\\c", String(repeating: "x", count: 100_000)]
        for text in texts {
            let result = try run("SELECT $1::text, $2::bigint, $3::text", text, 41, nil)
            expect(result.rowCount, equals: 1)
            expect(result.columnCount, equals: 3)
            expect(result.text(0, 0), equals: text)
            expect(result.number(0, 1), equals: 41)
            expect(result.isNull(0, 2))
            expect(result.bytes(0, 2).count, equals: 0)
        }
    }

    @Test func `what is outside of a result is null and has no bytes`() throws {
        let result = try run("SELECT 1::bigint")
        for (row, column) in [(0, 1), (1, 0), (-1, 0), (0, .max)] {
            expect(result.isNull(row, column))
            expect(result.bytes(row, column).count, equals: 0)
        }
    }

    @Test func `a value whose bytes cannot be made is not added`() throws {
        struct Stop: Error {}
        var parameters = PostgreSQLParameters()
        parameters.append("first")
        #expect(throws: Stop.self) {
            try parameters.append(.text) { bytes in
                bytes += [1, 2, 3]
                throw Stop()
            }
        }
        parameters.append("second")
        expect(parameters.count, equals: 2)
        let result = try connection.run(PostgreSQLStatement("SELECT $1 || $2", parameters))
        expect(result.text(), equals: "firstsecond")
    }

    @Test func `what cannot be sent is refused before anything is sent`() throws {
        var many = PostgreSQLParameters()
        for _ in 0...Int(UInt16.max) { many.appendNull(.text) }
        for (statement, kind) in [
            (PostgreSQLStatement("SELECT 1", many), PostgreSQLError.Kind.tooLarge),
            (PostgreSQLStatement("SELECT 1\0"), .invalidText),
        ] {
            let before = connection.roundTrips
            let error = try failure([PostgreSQLStatement("SELECT 0"), statement])
            expect(error.kind, equals: kind)
            expect(error.statementIndex, equals: 1)
            expect(!error.wasSent)
            expect(connection.roundTrips, equals: before)
        }
        expect(try run("SELECT 1::bigint").number(), equals: 1)
    }

    // MARK: Transactions

    @Test func `statements that are run together are one transaction and one round trip`() throws {
        try connection.execute("CREATE TABLE \(schema).t (a bigint PRIMARY KEY)")
        let insert = "INSERT INTO \(schema).t VALUES ($1)"
        let before = connection.roundTrips
        let results = try connection.run(
            (1...3).map { PostgreSQLStatement(insert, PostgreSQLParameters($0)) }
        )
        expect(results.map(\.affectedRows), equals: [1, 1, 1])
        expect(connection.roundTrips, equals: before + 1)
        let error = try failure(
            [4, 3, 5].map { PostgreSQLStatement(insert, PostgreSQLParameters($0)) }
        )
        expect(error.kind, equals: .uniqueViolation)
        expect(error.statementIndex, equals: 1)
        expect(error.wasSent)
        expect(connection.roundTrips, equals: before + 2)
        expect(try run("SELECT count(*) FROM \(schema).t").number(), equals: 3)
    }

    @Test func `a transaction may span several round trips`() throws {
        try connection.execute("CREATE TABLE \(schema).t (a bigint)")
        let insert = PostgreSQLStatement("INSERT INTO \(schema).t VALUES (1)")
        for (end, count) in [("ROLLBACK", 0), ("COMMIT", 2)] as [(String, Int64)] {
            try connection.run([PostgreSQLStatement("BEGIN"), insert])
            expect(connection.isInTransaction)
            try connection.run([insert, PostgreSQLStatement(end)])
            expect(!connection.isInTransaction)
            expect(try run("SELECT count(*) FROM \(schema).t").number(), equals: count)
        }
    }

    @Test func `what is checked at the commit fails as the last statement`() throws {
        try connection.execute(
            """
            CREATE TABLE \(schema).t (a bigint PRIMARY KEY);
            CREATE TABLE \(schema).u (
                a bigint CONSTRAINT later REFERENCES \(schema).t DEFERRABLE INITIALLY DEFERRED)
            """
        )
        let insert = PostgreSQLStatement("INSERT INTO \(schema).u VALUES (7)")
        for statements in [
            [insert, PostgreSQLStatement("SELECT 1")],
            [PostgreSQLStatement("BEGIN"), insert, PostgreSQLStatement("COMMIT")],
        ] {
            let error = try failure(statements)
            expect(error.kind, equals: .foreignKeyViolation)
            expect(error.constraint, equals: "later")
            expect(error.statementIndex, equals: statements.count - 1)
            expect(!connection.isInTransaction)
        }
        expect(try run("SELECT count(*) FROM \(schema).u").number(), equals: 0)
    }

    @Test func `nothing at all is a round trip without results`() throws {
        let before = connection.roundTrips
        expect(try connection.run([]).count, equals: 0)
        expect(connection.roundTrips, equals: before + 1)
    }

    @Test func `several statements of text are run in turn`() throws {
        try connection.execute(
            "CREATE TABLE \(schema).t (a bigint); INSERT INTO \(schema).t VALUES (1)"
        )
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.execute("INSERT INTO \(schema).t VALUES (2); SELECT 1/0; SELECT 2")
        }
        expect(error?.sqlState, equals: "22012")
        expect(try run("SELECT count(*) FROM \(schema).t").number(), equals: 1)
    }

    @Test func `COPY is refused where it cannot be answered`() throws {
        try connection.execute("CREATE TABLE \(schema).t (a bigint)")
        for sql in ["COPY \(schema).t TO STDOUT", "COPY \(schema).t FROM STDIN"] {
            for isSimple in [true, false] {
                let connection = try server.connect()
                let error = #expect(throws: PostgreSQLError.self) {
                    if isSimple {
                        try connection.execute(sql)
                    } else {
                        try connection.run(PostgreSQLStatement(sql))
                    }
                }
                expect(error?.message.contains("copyIn") ?? false, "\(sql): \(error as Any)")
                expect(connection.isBroken)
            }
        }
    }

    // MARK: Who serves it

    @Test func `the process that serves a connection is known`() throws {
        let backend = try #require(connection.backend)
        let result = try run(
            """
            SELECT pid::bigint, (extract(epoch FROM backend_start - '2000-01-01 UTC') * 1000000)::bigint
            FROM pg_stat_activity WHERE pid = pg_backend_pid()
            """
        )
        expect(result.number(0, 0), equals: Int64(backend.process))
        expect(result.number(0, 1), equals: backend.start)
        expect(!backend.isInRecovery)
        let now = try run("SELECT pg_current_xact_id()::text::bigint").number()
        expect(Int64(backend.firstTransaction) <= now ?? 0)
        expect(connection.serverVersion >= 130_000)
    }

    @Test func `what the server says beside its answers goes to the handler alone`() async throws {
        let (notices, continuation) = AsyncStream<String>.makeStream()
        let connection = try server.connect { continuation.yield($0) }
        try connection.execute("DO $$ BEGIN RAISE NOTICE 'mind\nthe gap'; RAISE NOTICE 'b'; END $$")
        var found: [String] = []
        for await notice in notices.prefix(2) { found.append(notice) }
        expect(found, equals: ["NOTICE: mind the gap", "NOTICE: b"])
    }

    @Test func `what others notify of arrives`() throws {
        let channel = "c_\(schema)"
        let listener = try server.connect()
        try listener.execute("LISTEN \(channel)")
        expect(try listener.notifications(), equals: [])
        try connection.execute("NOTIFY \(channel), 'one'; NOTIFY \(channel), 'two'")
        var found: [PostgreSQLNotification] = []
        while found.count < 2 { found += try listener.notifications(waiting: .seconds(10)) }
        expect(
            found,
            equals: ["one", "two"].map {
                PostgreSQLNotification(
                    channel: channel,
                    payload: $0,
                    process: connection.backend?.process ?? 0
                )
            }
        )
        try connection.execute("SELECT pg_terminate_backend(\(listener.backend?.process ?? 0))")
        let error = #expect(throws: PostgreSQLError.self) {
            while true { _ = try listener.notifications(waiting: .seconds(10)) }
        }
        expect(error?.kind, equals: .connectionLost)
    }

    // MARK: Modes

    @Test func `behind a pooler nothing is kept on the connection`() throws {
        let notices = Notices()
        let connection = try server.connect(mode: .pooled) { notices.append($0) }
        expect(connection.backend, equals: nil)
        let prepared = PostgreSQLStatement("SELECT count(*) FROM pg_prepared_statements")
        let timeout = PostgreSQLStatement("SELECT current_setting('statement_timeout')")
        let isolation = PostgreSQLStatement("SHOW transaction_isolation")
        let begin = PostgreSQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE")
        let commit = PostgreSQLStatement("COMMIT")
        let before = connection.roundTrips
        expect(try connection.run(prepared).number(), equals: 0)
        expect(try connection.run(timeout).text(), equals: "0")
        connection.deadline = .now + .seconds(60)
        // The server has the time that is left, in a transaction of whichever form.
        expect(try connection.run(timeout).text() != "0")
        let results = try connection.run([begin, isolation, timeout])
        expect(results[1].text(), equals: "serializable")
        expect(results[2].text() != "0")
        try connection.run(commit)
        try connection.run([begin])
        expect(try connection.run(timeout).text() != "0")
        expect(try connection.run([isolation, commit])[0].text(), equals: "serializable")
        connection.deadline = nil
        expect(try connection.run(timeout).text(), equals: "0")
        expect(try connection.run(prepared).number(), equals: 0)
        expect(connection.roundTrips, equals: before + 10)
        expect(notices.all, equals: [])
    }
}

private final class Notices: Sendable {
    private let texts = Guarded<[String]>([])

    func append(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock(\.self) }
}
