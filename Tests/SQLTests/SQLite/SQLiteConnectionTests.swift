import Foundation
import ModelKitSQL
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func text(_ sql: String, of connection: SQLiteConnection) throws -> String {
        try connection.withStatement(sql) { select in
            try #require(try select.step())
            return try select.string(at: 0)
        }
    }

    // MARK: Opening

    @Test func `a file is opened for writing safely by default`() throws {
        let connection = try SQLiteConnection(path: directory.file())
        try expect(text("PRAGMA journal_mode", of: connection), equals: "wal")
        try expect(text("PRAGMA synchronous", of: connection), equals: "2")
        try expect(text("PRAGMA foreign_keys", of: connection), equals: "1")
        try expect(text("PRAGMA busy_timeout", of: connection), equals: "5000")
    }

    @Test func `the configuration is applied`() throws {
        let connection = try SQLiteConnection(
            path: directory.file(),
            configuration: SQLiteConfiguration(
                busyTimeout: .milliseconds(1_250),
                journal: .truncate,
                synchronous: .normal
            )
        )
        try expect(text("PRAGMA journal_mode", of: connection), equals: "truncate")
        try expect(text("PRAGMA synchronous", of: connection), equals: "1")
        try expect(text("PRAGMA busy_timeout", of: connection), equals: "1250")
    }

    @Test(arguments: [
        (Duration.seconds(-5), "0"), (.zero, "0"), (.seconds(Int64.max), "2147483647"),
        (.seconds(Int64.min), "0"), (.milliseconds(-1), "0"), (.seconds(2_147_483), "2147483647"),
    ])
    func `a busy timeout out of range is clamped`(_ timeout: Duration, _ text: String) throws {
        let connection = try SQLiteConnection(
            path: ":memory:",
            configuration: SQLiteConfiguration(busyTimeout: timeout)
        )
        try expect(self.text("PRAGMA busy_timeout", of: connection), equals: text)
    }

    @Test func `a database in memory is of its connection alone`() throws {
        let first = try SQLiteConnection(path: ":memory:")
        try first.execute("CREATE TABLE people (name TEXT)")
        let second = try SQLiteConnection(path: ":memory:")
        try expect(text("SELECT count(*) FROM sqlite_master", of: second), equals: "0")
    }

    @Test func `what was written is there when the file is opened again`() throws {
        let writer = try SQLiteConnection(path: directory.file())
        try writer.execute("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ada')")
        writer.close()
        let reader = try SQLiteConnection(
            path: directory.file(),
            configuration: SQLiteConfiguration(access: .readOnly)
        )
        try expect(text("SELECT name FROM people", of: reader), equals: "Ada")
    }

    @Test(arguments: [SQLiteConfiguration.Access.readOnly, .readWrite])
    func `only create makes a file`(_ access: SQLiteConfiguration.Access) throws {
        let path = directory.file("none.db")
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(
                path: path,
                configuration: SQLiteConfiguration(access: access)
            )
        }
        expect(error?.kind, equals: .cantOpen)
        expect(
            error?.description,
            equals: "\(path) could not be opened: there is no such file or directory"
        )
        expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a path that SQLite would take for something else is refused or taken as it is`()
        throws
    {
        #expect(throws: SQLiteError.self) { try SQLiteConnection(path: "") }
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: directory.file("a.db\u{0}b"))
        }
        expect(error?.kind, equals: .cantOpen)
        expect(error?.message, equals: "the path contains U+0000")
        expect(!FileManager.default.fileExists(atPath: directory.file("a.db")))
        let odd = directory.file("what?mode=memory&#%20'\".db")
        try SQLiteConnection(path: odd).execute("CREATE TABLE people (name TEXT)")
        expect(FileManager.default.fileExists(atPath: odd))
    }

    @Test func `a directory is not a database`() throws {
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: directory.path)
        }
        expect(error?.kind, equals: .cantOpen)
        expect(
            error?.description,
            equals: "\(directory.path) could not be opened: it is a directory"
        )
    }

    @Test func `a text file is not a database`() throws {
        let path = directory.file("letter.txt")
        let letter = Data(String(repeating: "Dear Ada, ", count: 200).utf8)
        try letter.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: path) }
        expect(error?.kind, equals: .notADatabase)
        expect(
            error?.description,
            equals: "\(path) is not a database or is damaged: file is not a database"
        )
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), equals: letter)
    }

    @Test func `a damaged page is an error when it is read`() throws {
        let path = directory.file()
        let writer = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(journal: nil)
        )
        try writer.execute("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ada')")
        writer.close()
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        let reader = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(access: .readOnly)
        )
        let error = #expect(throws: SQLiteError.self) {
            try text("SELECT name FROM people", of: reader)
        }
        expect(error?.kind, equals: .corrupt)
        expect(
            error?.description,
            equals: "\(path) is damaged: database disk image is malformed"
        )
    }

    @Test func `a connection that only reads cannot write`() throws {
        let path = directory.file()
        try SQLiteConnection(path: path).execute("CREATE TABLE people (name TEXT)")
        let reader = try SQLiteConnection(
            path: path,
            configuration: SQLiteConfiguration(access: .readOnly)
        )
        let error = #expect(throws: SQLiteError.self) {
            try reader.execute("INSERT INTO people VALUES ('Ada')")
        }
        expect(error?.kind, equals: .readOnly)
        expect(
            error?.description,
            equals: "\(path) is read-only: attempt to write a readonly database"
        )
    }

    @Test func `a failed opening closes what it had opened`() throws {
        var functions = try SQLiteLibrary.system.functions
        functions.closeV2 = { handle in
            if handle != nil { closedAfterFailure.signal() }
            return (try? SQLiteLibrary.system)?.functions.closeV2(handle) ?? 1
        }
        let library = try SQLiteLibrary(functions: functions)
        let path = directory.file("letter.txt")
        try Data("Dear Ada, how are you? I am not a database.".utf8)
            .write(to: URL(fileURLWithPath: path))
        for path in [path, directory.path] {
            #expect(throws: SQLiteError.self) {
                try SQLiteConnection(path: path, library: library)
            }
            expect(closedAfterFailure.wait(timeout: .now()), equals: .success)
        }
    }

    @Test func `many connections may open a new file at once`() throws {
        for round in 0..<20 {
            let path = directory.file("new \(round).db")
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                #expect(throws: Never.self) {
                    let connection = try SQLiteConnection(path: path)
                    try connection.transaction {
                        try connection.execute("CREATE TABLE IF NOT EXISTS people (name TEXT)")
                    }
                }
            }
        }
    }

    // MARK: Closing

    @Test func `a closed connection and its statements answer with an error`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let kept = try connection.withStatement("SELECT ?1") { $0 }
        connection.close()
        connection.close()
        for attempt in [
            { try connection.execute("SELECT 1") },
            { try connection.withStatement("SELECT ?1") { _ = try $0.step() } },
            { try connection.transaction {} },
            { _ = try kept.step() },
            { try kept.bind("x", at: 1) },
            { try kept.bind(1 as Int64, at: 1) },
        ] {
            let error = #expect(throws: SQLiteError.self) { try attempt() }
            expect(error?.kind, equals: .misuse)
            expect(error?.message, equals: "it is closed")
        }
        expect(connection.changes, equals: 0)
        expect(kept.int64(at: 0), equals: 0)
        expect(kept.type(at: 0) == .null)
        expect(kept.columnName(at: 0), equals: nil)
        expect(kept.columnCount, equals: 0)
        kept.reset()
    }

    @Test func `closing inside a statement ends it with an error`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        #expect(throws: SQLiteError.self) {
            try connection.withStatement("SELECT 1 UNION SELECT 2") { select in
                try #require(try select.step())
                connection.close()
                _ = try select.step()
            }
        }
    }

    @Test func `closing ends also a statement that is not kept`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let sql = "SELECT ?1"
        try connection.withStatement(sql) { _ in
            try connection.withStatement(sql) { inner in
                connection.close()
                for attempt in [
                    { try inner.bind(1 as Int64, at: 1) }, { try inner.bind("x", at: 1) },
                    { _ = try inner.step() },
                ] {
                    let error = #expect(throws: SQLiteError.self) { try attempt() }
                    expect(error?.message, equals: "it is closed")
                }
            }
        }
    }

    // MARK: Statements

    @Test func `execute runs every statement of a script`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute(
            """
            -- grüße
            CREATE TABLE people (name TEXT);
            INSERT INTO people VALUES ('one; two'), ('é'); /* and */ SELECT * FROM people;
            DELETE FROM people WHERE name = 'é';  ;
            -- the end
            """
        )
        expect(connection.changes, equals: 1)
        try expect(text("SELECT name FROM people", of: connection), equals: "one; two")
        try connection.execute("")
        try connection.execute(" ; -- nothing")
    }

    // Beside other suites, which take turns on the same processors, times say nothing.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MODELKIT_TEST_ALONE"] != nil))
    func `a script takes time in proportion to its length`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute("CREATE TABLE people (name TEXT)")
        func time(_ count: Int) throws -> Duration {
            let line = "INSERT INTO people VALUES ('\(String(repeating: "x", count: 500))');\n"
            let script = String(repeating: line, count: count)
            return try ContinuousClock().measure { try connection.execute(script) }
        }
        // More than a hundred times as long, if the rest were copied after each statement.
        let short = try (0..<5).map { _ in try time(500) }.min() ?? .zero
        try expect((0..<3).contains { _ in try time(16_000) < short * 100 })
    }

    @Test func `an error in SQL shows the place`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement("SELEC  1\nFROM people") { _ in }
        }
        expect(error?.kind, equals: .other)
        expect(error?.sql, equals: "SELEC  1\nFROM people")
        expect(
            error?.description,
            equals: ":memory:: near \"SELEC\": syntax error (in \"SELEC 1 FROM people\")"
        )
    }

    @Test func `an error in a script names the statement that failed`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute(
                "CREATE TABLE t (x NOT NULL); INSERT INTO t VALUES (NULL); DROP TABLE t"
            )
        }
        expect(error?.kind, equals: .constraint(.notNull))
        expect(error?.sql, equals: " INSERT INTO t VALUES (NULL);")
    }

    @Test func `a statement with U+0000 is refused, as SQLite would stop there`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let sql = "SELECT 1\u{0}; DROP TABLE people"
        for attempt in [
            { try connection.execute(sql) }, { try connection.withStatement(sql) { _ in } },
        ] {
            let error = #expect(throws: SQLiteError.self) { try attempt() }
            expect(error?.message, equals: "the statement contains U+0000")
        }
    }

    @Test(arguments: [
        ("", "there is no statement"), ("  -- only this", "there is no statement"),
        ("SELECT 1; SELECT 2", "there is a second statement"),
    ])
    func `withStatement takes exactly one statement`(_ sql: String, _ message: String) throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let error = #expect(throws: SQLiteError.self) {
            try connection.withStatement(sql) { _ in }
        }
        expect(error?.message, equals: message)
        try connection.withStatement("SELECT 1 ; -- done") { try #require(try $0.step()) }
    }

    @Test func `a statement is compiled once and reused`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let first = try connection.withStatement("SELECT 1") { $0 }
        let other = try connection.withStatement("SELECT 2") { $0 }
        let again = try connection.withStatement("SELECT 1") { $0 }
        expect(first === again)
        expect(first !== other)
    }

    @Test func `a very long statement runs and is not kept`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let sql = "SELECT 1 IN (" + (0..<5_000).map(String.init).joined(separator: ", ") + ")"
        let statements = try (0..<2).map { _ in
            try connection.withStatement(sql) { select in
                try #require(try select.step())
                expect(select.int64(at: 0), equals: 1)
                return select
            }
        }
        expect(statements[0] !== statements[1])
    }

    @Test func `a statement is reused after its body threw in the middle of the rows`() throws {
        struct Stop: Error {}
        let connection = try SQLiteConnection(path: ":memory:")
        let sql = "SELECT 1 UNION SELECT 2"
        var statements: [SQLiteStatement] = []
        for _ in 0..<2 {
            #expect(throws: Stop.self) {
                try connection.withStatement(sql) { select in
                    try #require(try select.step())
                    expect(select.int64(at: 0), equals: 1)
                    statements.append(select)
                    throw Stop()
                }
            }
        }
        expect(statements[0] === statements[1])
    }

    @Test func `the same text may be used inside itself`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let sql = "SELECT 1 UNION SELECT 2"
        var pairs: [[Int64]] = []
        try connection.withStatement(sql) { outer in
            while try outer.step() {
                try connection.withStatement(sql) { inner in
                    expect(inner !== outer)
                    while try inner.step() {
                        pairs.append([outer.int64(at: 0), inner.int64(at: 0)])
                    }
                }
            }
        }
        expect(pairs, equals: [[1, 1], [1, 2], [2, 1], [2, 2]])
    }

    @Test func `the least recently used statement gives way`() throws {
        let connection = try SQLiteConnection(
            path: ":memory:",
            configuration: SQLiteConfiguration(cachedStatements: 2)
        )
        func statement(_ sql: String) throws -> SQLiteStatement {
            try connection.withStatement(sql) { $0 }
        }
        let (first, second) = (try statement("SELECT 1"), try statement("SELECT 2"))
        try expect(statement("SELECT 1") === first)
        _ = try statement("SELECT 3")
        try expect(statement("SELECT 1") === first)
        try expect(statement("SELECT 2") !== second)
    }

    @Test(arguments: [0, 1, -3])
    func `a small cache works, also when all of it is in use`(_ capacity: Int) throws {
        let connection = try SQLiteConnection(
            path: ":memory:",
            configuration: SQLiteConfiguration(cachedStatements: capacity)
        )
        var outermost: SQLiteStatement?
        let sum = try connection.withStatement("SELECT 1") { first in
            outermost = first
            return try connection.withStatement("SELECT 2") { second in
                try connection.withStatement("SELECT 3") { third in
                    try [first, second, third].reduce(0 as Int64) { sum, statement in
                        try #require(try statement.step())
                        return sum + statement.int64(at: 0)
                    }
                }
            }
        }
        expect(sum, equals: 6)
        // It was there first, and in use while the others came.
        let isKept = try connection.withStatement("SELECT 1") { $0 === outermost }
        expect(isKept, equals: capacity > 0)
    }

    @Test func `texts that Swift calls equal but differ in bytes are two statements`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let (composed, decomposed) = ("SELECT '\u{C5}'", "SELECT 'A\u{30A}'")
        expect(composed, equals: decomposed)
        for sql in [composed, decomposed, composed] {
            let expected = sql.utf8.dropFirst(8).dropLast(1)
            try expect(text(sql, of: connection).utf8.elementsEqual(expected))
        }
    }

    @Test func `a statement outlives a change of the schema`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('Ada')")
        try expect(text("SELECT * FROM people", of: connection), equals: "Ada")
        try connection.execute("ALTER TABLE people ADD COLUMN age INTEGER DEFAULT 36")
        try connection.withStatement("SELECT * FROM people") { select in
            try #require(try select.step())
            expect(select.columnCount, equals: 2)
            expect(select.columnName(at: 1), equals: "age")
            expect(select.int64(at: 1), equals: 36)
        }
    }

    @Test(
        arguments: SQLiteStatementTests.hostile.filter {
            !$0.utf8.contains(0) && $0.utf8.count < 2000
        }
    )
    func `a quoted name is a name whatever it contains`(_ name: String) throws {
        let connection = try SQLiteConnection(path: ":memory:")
        let (table, column) = (
            try quoted(identifier: "t" + name), try quoted(identifier: name + "c")
        )
        try connection.execute("CREATE TABLE \(table) (\(column) TEXT)")
        try connection.execute("INSERT INTO \(table) (\(column)) VALUES ('kept')")
        try connection.withStatement("SELECT \(table).\(column) FROM \(table)") { select in
            try #require(try select.step())
            try expect(select.string(at: 0), equals: "kept")
            expect(select.columnName(at: 0), equals: name + "c")
        }
        try expect(text("SELECT name FROM sqlite_master", of: connection), equals: "t" + name)
    }

    @Test func `a column that is misspelt is an error when it is written with its table`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute("CREATE TABLE people (name TEXT)")
        let name = "\(try quoted(identifier: "people")).\(try quoted(identifier: "nmae"))"
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("SELECT \(name) FROM people")
        }
        expect(error?.message, equals: "no such column: people.nmae")
    }

    @Test func `a name with U+0000 is refused`() {
        let error = #expect(throws: SQLiteError.self) { try quoted(identifier: "a\u{0}b") }
        expect(error?.description, equals: "SQLite: the name \"a\\0b\" contains U+0000")
    }
}

private let closedAfterFailure = DispatchSemaphore(value: 0)
