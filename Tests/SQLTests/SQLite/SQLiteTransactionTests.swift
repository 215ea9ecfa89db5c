import Foundation
import ModelKitSQL
import TestSupport
import Testing

@Suite struct SQLiteTransactionTests {
    private struct Stop: Error, Equatable {}

    private let directory: TemporaryDirectory
    private let path: String
    private let connection: SQLiteConnection

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
        connection = try SQLiteConnection(path: path)
        try connection.execute(
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> ''));
            CREATE TABLE pets (
                owner INTEGER REFERENCES people (id) DEFERRABLE INITIALLY DEFERRED
            );
            """
        )
    }

    private func insert(_ id: Int64, or conflict: String = "ABORT") throws {
        try connection.withStatement("INSERT OR \(conflict) INTO people VALUES (?1, ?2)") {
            try $0.bind(id, at: 1)
            try $0.bind("name \(id)", at: 2)
            try $0.execute()
        }
    }

    private func identifiers() throws -> [Int64] {
        try connection.withStatement("SELECT id FROM people ORDER BY id") { select in
            var result: [Int64] = []
            while try select.step() { result.append(select.int64(at: 0)) }
            return result
        }
    }

    @Test func `a transaction commits and gives the result of its body`() throws {
        let count = try connection.transaction {
            try insert(1)
            try insert(2)
            return try identifiers().count
        }
        expect(count, equals: 2)
        let other = try SQLiteConnection(path: path)
        try other.withStatement("SELECT count(*) FROM people") { select in
            try #require(try select.step())
            expect(select.int64(at: 0), equals: 2)
        }
    }

    @Test func `a body that throws leaves nothing behind`() throws {
        try insert(1)
        #expect(throws: Stop()) {
            try connection.transaction {
                try insert(2)
                try connection.execute("DELETE FROM people WHERE id = 1")
                throw Stop()
            }
        }
        try expect(identifiers(), equals: [1])
        try connection.transaction { try insert(3) }
        try expect(identifiers(), equals: [1, 3])
    }

    @Test func `a body that throws while it reads rows is rolled back`() throws {
        try insert(1)
        #expect(throws: Stop()) {
            try connection.withStatement("SELECT id FROM people") { select in
                try connection.transaction {
                    try #require(try select.step())
                    try insert(2)
                    throw Stop()
                }
            }
        }
        try expect(identifiers(), equals: [1])
    }

    @Test func `a broken constraint may be caught, and the rest is committed`() throws {
        try connection.transaction {
            try insert(1)
            #expect(throws: SQLiteError.self) { try insert(1) }
            try insert(2)
        }
        try expect(identifiers(), equals: [1, 2])
    }

    @Test func `a commit that fails is rolled back and the connection is usable`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try insert(1)
                try connection.execute("INSERT INTO pets VALUES (99)")
            }
        }
        expect(error?.kind, equals: .constraint(.foreignKey))
        expect(error?.sql, equals: "COMMIT")
        try expect(identifiers(), equals: [])
        try connection.transaction { try insert(2) }
        try expect(identifiers(), equals: [2])
    }

    @Test func `nothing runs on after SQLite gave up the transaction`() throws {
        try insert(1)
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try insert(2)
                try? insert(1, or: "ROLLBACK")
                // Without the transaction this would be committed by itself.
                try? insert(3)
            }
        }
        expect(error?.kind, equals: .constraint(.primaryKey))
        try expect(identifiers(), equals: [1])
        try connection.transaction { try insert(4) }
        try expect(identifiers(), equals: [1, 4])
    }

    @Test func `a transaction inside another throws and leaves the first alone`() throws {
        try connection.transaction {
            try insert(1)
            let error = #expect(throws: SQLiteError.self) {
                try connection.transaction { try insert(2) }
            }
            expect(error?.message, equals: "cannot start a transaction within a transaction")
            try insert(3)
        }
        try expect(identifiers(), equals: [1, 3])
    }

    @Test func `an immediate transaction meets a lock at its start, a deferred one does not`()
        throws
    {
        let other = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(busyTimeout: .milliseconds(20))
        )
        try connection.transaction {
            try insert(1)
            let error = #expect(throws: SQLiteError.self) {
                try other.transaction { Issue.record("the body must not run") }
            }
            expect(error?.kind, equals: .busy)
            expect(error?.description, equals: "\(path) is locked by another process or connection")
            let count = try other.withStatement("SELECT count(*) FROM people") { select in
                try #require(try select.step())
                return select.int64(at: 0)
            }
            expect(count, equals: 0)
        }
        try other.transaction {}
    }

    @Test func `a transaction of a reader reads one snapshot`() throws {
        let reader = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(access: .readOnly)
        )
        func count() throws -> Int64 {
            try reader.withStatement("SELECT count(*) FROM people") { select in
                try #require(try select.step())
                return select.int64(at: 0)
            }
        }
        try reader.execute("BEGIN")
        try expect(count(), equals: 0)
        try insert(1)
        try expect(count(), equals: 0)
        try reader.execute("COMMIT")
        try expect(count(), equals: 1)
    }

    @Test func `changes returns how many rows the last change touched`() throws {
        for id in 1...3 as ClosedRange<Int64> { try insert(id) }
        try connection.execute("UPDATE people SET name = 'x' WHERE id > 1")
        expect(connection.changes, equals: 2)
        try connection.execute("DELETE FROM people WHERE id > 100")
        expect(connection.changes, equals: 0)
    }
}
