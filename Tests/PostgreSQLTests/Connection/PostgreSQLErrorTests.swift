import Foundation
import ModelKitPromises
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLErrorTests {
    private let server: PostgreSQLServer
    private let connection: PostgreSQLConnection
    private let schema: String

    init() throws {
        server = try .shared
        connection = try server.connect()
        schema = try server.schema()
        try connection.execute(
            """
            CREATE TABLE \(schema).t (
                a bigint PRIMARY KEY, b text NOT NULL UNIQUE, c int CONSTRAINT small CHECK (c < 10));
            CREATE TABLE \(schema).u (a bigint CONSTRAINT there REFERENCES \(schema).t);
            INSERT INTO \(schema).t VALUES (1, 'secret', 1);
            """
        )
    }

    @Test func `errors are of the kinds that a store distinguishes`() throws {
        let t = "\(schema).t"
        let cases: [(sql: String, kind: PostgreSQLError.Kind, names: [String?])] = [
            (
                "INSERT INTO \(t) VALUES (2, 'secret')", .uniqueViolation,
                [schema, "t", nil, "t_b_key"]
            ),
            ("INSERT INTO \(t) VALUES (1, 'x')", .uniqueViolation, [schema, "t", nil, "t_pkey"]),
            ("INSERT INTO \(t) VALUES (2)", .notNullViolation, [schema, "t", "b", nil]),
            ("INSERT INTO \(t) VALUES (2, 'x', 77)", .checkViolation, [schema, "t", nil, "small"]),
            (
                "INSERT INTO \(schema).u VALUES (7)", .foreignKeyViolation,
                [schema, "u", nil, "there"]
            ),
            ("SELECT * FROM \(schema).v", .noSuchTable, [nil, nil, nil, nil]),
            ("SELECT * FROM \(schema)x.t", .noSuchTable, [nil, nil, nil, nil]),
            ("CREATE TABLE \(schema)x.t ()", .noSuchTable, [nil, nil, nil, nil]),
            ("SELECT d FROM \(t)", .noSuchColumn, [nil, nil, nil, nil]),
            ("UPDATE \(t) SET c = 'x'::text", .datatypeMismatch, [nil, nil, nil, nil]),
            ("SELECT 'secret'::bigint", .invalidText, [nil, nil, nil, nil]),
            ("SELECT 99999999999 :: int", .outOfRange, [nil, nil, nil, nil]),
            ("SELECT '9999-99-99'::date", .outOfRange, [nil, nil, nil, nil]),
            ("BEGIN READ ONLY; DELETE FROM \(t)", .readOnly, [nil, nil, nil, nil]),
            (
                "SELECT set_config('work_mem', '64kB', true); SELECT repeat('x', 2000000000)",
                .tooLarge, [nil, nil, nil, nil]
            ),
            (
                "CREATE TABLE \(schema).w (a int, EXCLUDE USING btree (a WITH =)) PARTITION BY RANGE (a)",
                .notSupported, [nil, nil, nil, nil]
            ),
            ("SELECT 1/0", .other, [nil, nil, nil, nil]),
        ]
        for (sql, kind, names) in cases {
            let error = #expect(throws: PostgreSQLError.self, "\(sql)") {
                try connection.execute(sql)
            }
            expect(error?.kind, equals: kind, sql)
            expect(error?.sql, equals: sql)
            expect(error?.wasSent, equals: true)
            if names != [nil, nil, nil, nil] {
                expect(
                    [error?.schema, error?.table, error?.column, error?.constraint],
                    equals: names,
                    sql
                )
            }
            expect(error?.description.contains("\n"), equals: false)
            try connection.execute("ROLLBACK")
        }
    }

    @Test(arguments: [
        #"invalid input syntax for type bigint: "secret""#, "ungültige Eingabe: »secret«",
        "syntaxe invalide : « secret »", "值无效: “secret”", "only one \"secret",
        "invalid input syntax for type bigint: \"\u{301}secret\"",
    ])
    func `an error of data does not quote it, in whatever language`(_ message: String) {
        var error = PostgreSQLError(.invalidText, message)
        error.sqlState = "22P02"
        expect(!error.description.contains("secret"), error.description)
        expect(error.description.contains("…"), error.description)
    }

    @Test func `two transactions that stand in each other's way are distinguished`() throws {
        let other = try server.connect()
        try connection.execute("INSERT INTO \(schema).t VALUES (2, 'x')")
        // A lock that is not there in time.
        try connection.execute("BEGIN; UPDATE \(schema).t SET c = 2 WHERE a = 1")
        try other.execute("SET lock_timeout = '10ms'")
        let late = #expect(throws: PostgreSQLError.self) {
            try other.execute("UPDATE \(schema).t SET c = 3 WHERE a = 1")
        }
        expect(late?.kind, equals: .lockTimeout)
        try connection.execute("ROLLBACK; BEGIN ISOLATION LEVEL SERIALIZABLE")
        try connection.execute("SELECT sum(c) FROM \(schema).t")
        try other.execute("UPDATE \(schema).t SET c = 4 WHERE a = 1")
        let stale = #expect(throws: PostgreSQLError.self) {
            try connection.execute("UPDATE \(schema).t SET c = 5 WHERE a = 1")
        }
        expect(stale?.kind, equals: .serializationFailure)
        try connection.execute("ROLLBACK")
    }

    @Test(arguments: [("08006", true), ("40003", true), ("23514", false), ("57014", false)])
    func `what a pooler reports of a lost server leaves an outcome open`(
        _ code: String,
        _ isLost: Bool
    ) throws {
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.execute("DO $$ BEGIN RAISE 'gone' USING ERRCODE = '\(code)'; END $$")
        }
        expect(error?.sqlState, equals: code)
        expect(error?.isLost, equals: isLost)
    }

    @Test func `an error never quotes a value`() throws {
        let secret = "hunter2\n"
        let insert = "INSERT INTO \(schema).t VALUES ($1, $2, $3::bigint)"
        try connection.run(PostgreSQLStatement(insert, PostgreSQLParameters(4242, secret, 1)))
        let statements = [
            PostgreSQLStatement(insert, PostgreSQLParameters(4242, "x", 1)),
            PostgreSQLStatement(insert, PostgreSQLParameters(2, secret, 1)),
            PostgreSQLStatement(insert, PostgreSQLParameters(2, "hunter2x", 4242)),
            PostgreSQLStatement("SELECT $1::text::bigint", PostgreSQLParameters(secret)),
            PostgreSQLStatement("SELECT $1::text::bigint", PostgreSQLParameters("\"\(secret)\"")),
            PostgreSQLStatement("SELECT $1::text::json", PostgreSQLParameters("{\(secret)}")),
            PostgreSQLStatement("SELECT $1::text::timestamptz", PostgreSQLParameters(secret)),
            PostgreSQLStatement("SELECT $1::text::int", PostgreSQLParameters("4242424242")),
        ]
        for statement in statements {
            let error = #expect(throws: PostgreSQLError.self) { try connection.run(statement) }
            let texts = [
                "\(error as Any)", String(reflecting: error), error?.localizedDescription ?? "",
            ]
            for text in texts {
                expect(!text.contains("hunter2") && !text.contains("4242"), text)
                expect(text.contains("PostgreSQL (2"), text)
            }
        }
    }

    @Test func `a description is one line, with the beginning of the statement`() throws {
        let long = "SELECT 1,\n  2,\n\(String(repeating: " 3,", count: 100)) nothing"
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.run(PostgreSQLStatement(long))
        }
        expect(
            error?.description,
            equals: "PostgreSQL (42703): column \"nothing\" does not exist (in \"SELECT 1, 2,"
                + String(repeating: " 3,", count: 36) + "…\")"
        )
        expect(error?.localizedDescription, equals: error?.description)
        expect(error?.position != nil)
    }

    @Test func `what was cancelled says so to promises`() {
        expect(PostgreSQLError(.cancelled, "").saysCancelled)
        expect(!PostgreSQLError(.timedOut, "").saysCancelled)
    }
}
