import Foundation
import ModelKitSQL
import TestSupport
import Testing

@Suite struct SQLiteErrorTests {
    private func failure(of sql: String, after setup: String = "") throws -> SQLiteError {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute(setup)
        return try #require(
            #expect(throws: SQLiteError.self) { try connection.execute(sql) }
        )
    }

    @Test(arguments: [
        ("INSERT INTO t (id, a) VALUES (1, 1)", SQLiteError.Constraint.primaryKey, "t.id"),
        ("INSERT INTO t (id, a) VALUES (2, 1)", .unique, "t.a"),
        ("INSERT INTO t (id, a, b) VALUES (2, 2, NULL)", .notNull, "t.b"),
        ("INSERT INTO t (id, a, b) VALUES (2, 2, -1)", .check, "b > 0"),
        ("INSERT INTO u VALUES (7)", .foreignKey, ""),
        ("INSERT INTO v (rowid, x) VALUES (1, 1), (1, 1)", .rowID, "v.rowid"),
        ("INSERT INTO w VALUES (1)", .trigger, ""),
    ])
    func `a broken constraint says which and where`(
        _ sql: String,
        _ constraint: SQLiteError.Constraint,
        _ target: String
    ) throws {
        let error = try failure(
            of: sql,
            after: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE, b NOT NULL DEFAULT 1 CHECK (b > 0));
                INSERT INTO t (id, a) VALUES (1, 1);
                CREATE TABLE u (t REFERENCES t (id));
                CREATE TABLE v (x);
                CREATE TABLE w (x);
                CREATE TRIGGER no BEFORE INSERT ON w BEGIN SELECT RAISE(ABORT, 'not today'); END;
                """
        )
        expect(error.kind, equals: .constraint(constraint))
        expect(error.primaryCode, equals: 19)
        expect(error.extendedCode > 255)
        expect(error.message.hasSuffix(target), error.message)
        expect(error.description, equals: ":memory: refused the change: \(error.message)")
    }

    @Test func `a full database says so`() throws {
        let error = try failure(
            of: "INSERT INTO t VALUES (zeroblob(100000))",
            after: "CREATE TABLE t (x); PRAGMA max_page_count = 3"
        )
        expect(error.kind, equals: .full)
        expect(error.description, equals: ":memory: cannot grow: database or disk is full")
    }

    @Test func `a value beyond the limit says so`() throws {
        let error = try failure(of: "SELECT zeroblob(2000000000)")
        expect(error.kind, equals: .tooBig)
    }

    @Test func `a table that is being read cannot be dropped`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("SELECT x FROM t") { select in
                try #require(try select.step())
                try connection.execute("DROP TABLE t")
            }
        }
        expect(error?.kind, equals: .locked)
        expect(
            error?.description,
            equals: ":memory: has a table that is in use: database table is locked"
        )
    }

    @Test(arguments: [
        (5, SQLiteError.Kind.busy, "people.db is locked by another process or connection"),
        (261, .busy, "people.db is locked by another process or connection"),
        (6, .locked, "people.db has a table that is in use: said"),
        (267, .corrupt, "people.db is damaged: said"),
        (26, .notADatabase, "people.db is not a database or is damaged: said"),
        (13, .full, "people.db cannot grow: said"),
        (266, .ioError, "people.db could not be read or written: said"),
        (2067, .constraint(.unique), "people.db refused the change: said"),
        (3091, .constraint(.dataType), "people.db refused the change: said"),
        (19, .constraint(.other), "people.db refused the change: said"),
        (8, .readOnly, "people.db is read-only: said"),
        (14, .cantOpen, "people.db could not be opened: said"),
        (3, .permissionDenied, "people.db may not be used: said"),
        (23, .permissionDenied, "people.db may not be used: said"),
        (7, .outOfMemory, "people.db needs more memory than there is: said"),
        (9, .interrupted, "people.db: the work was interrupted"),
        (18, .tooBig, "people.db cannot take something so big: said"),
        (17, .schemaChanged, "people.db was changed by another process meanwhile: said"),
        (20, .mismatch, "people.db: said"), (21, .misuse, "people.db: said"),
        (25, .range, "people.db: said"), (1, .other, "people.db: said"),
        (99, .other, "people.db: said"),
    ])
    func `every code has a name and a line that names the file`(
        _ code: Int32,
        _ kind: SQLiteError.Kind,
        _ description: String
    ) {
        let error = SQLiteError(extendedCode: code, message: "said", path: "people.db")
        expect(error.kind, equals: kind)
        expect(error.primaryCode, equals: code & 0xFF)
        expect(error.description, equals: description)
        expect(error.localizedDescription, equals: description)
    }

    @Test(arguments: [
        (ENOSPC, "the disk is full"), (EACCES, "permission denied"),
        (EROFS, "the file system is read-only"), (EIO, "said (errno \(EIO))"),
    ])
    func `the reason of the system is reported`(_ code: Int32, _ reason: String) {
        let error = SQLiteError(
            extendedCode: 778,
            message: "said",
            path: "people.db",
            systemCode: code
        )
        expect(error.description, equals: "people.db could not be read or written: \(reason)")
    }

    @Test func `a long statement is cut in the description and whole in the error`() throws {
        let sql = "SELECT " + String(repeating: "1, ", count: 200) + "nothing"
        let error = try failure(of: sql)
        expect(error.sql, equals: sql)
        expect(error.description.count < 200)
        expect(error.description.hasSuffix("…\")"))
    }

    #if canImport(Glibc)
    /// Takes this thread's right to write the files of others, which the superuser has.
    @Sendable private static func becomeNobody() {
        guard let address = dlsym(nil, "setfsuid") else { return }
        // Safe: the type that sys/fsuid.h declares.
        let setfsuid = unsafeBitCast(address, to: (@convention(c) (UInt32) -> Int32).self)
        _ = setfsuid(65534)
    }

    @Test func `a file that may not be written is refused when it is opened for writing`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        try SQLiteConnection(path: path, configuration: SQLiteConfiguration(journal: nil))
            .execute("CREATE TABLE people (name TEXT)")
        chmod(path, 0o444)
        let error = #expect(throws: SQLiteError.self) {
            try Thread.run {
                Self.becomeNobody()
                return Result { try SQLiteConnection(path: path).close() }
            }
        }
        expect(error?.kind, equals: .readOnly)
        expect(error?.description, equals: "\(path) is read-only: the file may not be written")
        try Thread.run {
            Self.becomeNobody()
            return Result {
                try SQLiteConnection(
                    path: path,
                    configuration: SQLiteConfiguration(access: .readOnly)
                ).execute("SELECT name FROM people")
            }
        }
    }
    #endif
}
