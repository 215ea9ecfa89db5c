import ModelKitPostgreSQL
import TestSupport
import Testing

/// Statements that are compiled once.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLPreparedTests {
    private let server: PostgreSQLServer
    private let connection: PostgreSQLConnection
    private let table: String

    init() throws {
        server = try .shared
        connection = try server.connect()
        table = "\(try server.schema()).t"
        try connection.execute("CREATE TABLE \(table) (a bigint); INSERT INTO \(table) VALUES (1)")
    }

    private func prepared(_ connection: PostgreSQLConnection) throws -> Int64? {
        try connection.run(
            PostgreSQLStatement("SELECT count(*) FROM pg_prepared_statements", isPrepared: false)
        ).number()
    }

    private var all: PostgreSQLStatement { PostgreSQLStatement("SELECT * FROM \(table)") }
    private var insert: PostgreSQLStatement {
        PostgreSQLStatement("INSERT INTO \(table) VALUES (2)")
    }

    /// What makes the statement's result another one.
    private func changeTable() throws {
        let other = try server.connect()
        try other.execute("ALTER TABLE \(table) ADD COLUMN b text")
    }

    @Test func `a statement is compiled once, in the round trip of its first use`() throws {
        for value in 1...3 {
            let before = connection.roundTrips
            let result = try connection.run(
                PostgreSQLStatement("SELECT $1::bigint", PostgreSQLParameters(value))
            )
            expect(result.number(), equals: Int64(value))
            expect(connection.roundTrips, equals: before + 1)
            try expect(prepared(connection), equals: 1)
        }
        // Also where it is used twice at once.
        let two = PostgreSQLStatement("SELECT 2::bigint")
        expect(try connection.run([two, two]).compactMap { $0.number() }, equals: [2, 2])
        try expect(prepared(connection), equals: 2)
    }

    @Test func `one that is not to be compiled is not, nor is a very long one`() throws {
        try connection.run(PostgreSQLStatement("SELECT 1", isPrepared: false))
        try connection.run(PostgreSQLStatement("SELECT '\(String(repeating: "x", count: 9000))'"))
        try expect(prepared(connection), equals: 0)
    }

    @Test func `the same text with parameters of other types is another statement`() throws {
        let sql = "SELECT $1"
        let text = try connection.run(PostgreSQLStatement(sql, PostgreSQLParameters("12345678")))
        expect(text.text(), equals: "12345678")
        let number = try connection.run(PostgreSQLStatement(sql, PostgreSQLParameters(12)))
        expect(number.number(), equals: 12)
    }

    @Test func `texts that differ in the form of a letter alone are two statements`() throws {
        for text in ["\u{E9}", "e\u{301}"] {
            let result = try connection.run(PostgreSQLStatement("SELECT '\(text)'"))
            expect(result.text().map { Array($0.utf8) }, equals: Array(text.utf8))
        }
    }

    @Test func `the least recently used gives way`() throws {
        let target = try PostgreSQLTarget(server.connection(), library: .system, mode: .direct)
        let connection = try PostgreSQLConnection.open(
            target,
            until: .now + .seconds(20),
            statementLimit: 3
        )
        func use(_ number: Int) throws {
            expect(
                try connection.run(PostgreSQLStatement("SELECT \(number)::bigint")).number(),
                equals: Int64(number)
            )
        }
        for number in [1, 2, 3, 1, 4, 1, 5, 1] { try use(number) }
        let before = connection.roundTrips
        let names = try connection.run(
            PostgreSQLStatement(
                "SELECT string_agg(substr(statement, 8, 1), '' ORDER BY statement) FROM pg_prepared_statements",
                isPrepared: false
            )
        )
        // What was dropped is removed in the same round trip.
        expect(names.text(), equals: "145")
        expect(connection.roundTrips, equals: before + 1)
        // Also while a transaction has failed it can be dropped.
        try connection.execute("BEGIN")
        #expect(throws: PostgreSQLError.self) {
            try connection.run(PostgreSQLStatement("SELECT 1/0"))
        }
        for number in 6...9 {
            #expect(throws: PostgreSQLError.self) { try use(number) }
        }
        try connection.execute("ROLLBACK")
        for number in 6...9 { try use(number) }
    }

    @Test func `a statement whose table was changed is compiled again`() throws {
        for columns in 2...4 {
            let before = try connection.run(all).columnCount
            expect(before, equals: columns - 1)
            let other = try server.connect()
            try other.execute("ALTER TABLE \(table) ADD COLUMN c\(columns) text")
            expect(try connection.run(all).columnCount, equals: columns)
            // The one before was removed.
            try expect(prepared(connection), equals: 1)
        }
    }

    @Test func `what was run before it is done once`() throws {
        try connection.run(all)
        try changeTable()
        let results = try connection.run([insert, all])
        expect(results[1].rowCount, equals: 2)
        expect(results[1].columnCount, equals: 2)
        try connection.execute("ALTER TABLE \(table) DROP COLUMN b")
        let more = try connection.run(
            [PostgreSQLStatement("BEGIN"), insert, all, PostgreSQLStatement("COMMIT")]
        )
        expect(more[2].rowCount, equals: 3)
        expect(!connection.isInTransaction)
    }

    @Test func `what a transaction has committed is not done again`() throws {
        try connection.run(all)
        try changeTable()
        let commit = [PostgreSQLStatement("BEGIN"), insert, PostgreSQLStatement("COMMIT"), all]
        let error = try #require(throws: PostgreSQLError.self) { try connection.run(commit) }
        expect(error.isStale)
        expect(error.statementIndex, equals: 3)
        expect(try connection.run(all).rowCount, equals: 2)
    }

    @Test func `inside of a transaction that has to be done again`() throws {
        try connection.run(all)
        try changeTable()
        try connection.run([PostgreSQLStatement("BEGIN"), insert])
        let error = try #require(throws: PostgreSQLError.self) { try connection.run(all) }
        expect(error.isStale)
        expect(error.kind, equals: .notSupported)
        try connection.execute("ROLLBACK")
        try connection.execute("BEGIN")
        expect(try connection.run([insert, all])[1].rowCount, equals: 2)
        try connection.execute("COMMIT")
    }

    @Test func `one that is gone is compiled again`() throws {
        for command in ["DEALLOCATE ALL", "DISCARD ALL"] {
            for _ in 0..<2 { expect(try connection.run([insert, all]).count, equals: 2) }
            try connection.execute(command)
            let count = try connection.run([insert, all])[1].rowCount
            expect(try connection.run(all).rowCount, equals: count)
        }
    }

    @Test func `one that cannot be compiled is tried again`() throws {
        let missing = PostgreSQLStatement("SELECT * FROM \(table)2")
        for _ in 0..<2 {
            let error = try #require(throws: PostgreSQLError.self) {
                try connection.run([insert, missing, all])
            }
            expect(error.kind, equals: .noSuchTable)
            expect(error.statementIndex, equals: 1)
        }
        try connection.execute("CREATE TABLE \(table)2 ()")
        expect(try connection.run([insert, missing, all])[2].rowCount, equals: 2)
    }
}
