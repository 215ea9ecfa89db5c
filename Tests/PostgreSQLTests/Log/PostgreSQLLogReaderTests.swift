import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Entry: Model {
    let id = Field<String>()

    convenience init(_ id: String) {
        self.init()
        self.id.value = id
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLLogReaderTests {
    private let server: PostgreSQLServer
    private let space: String
    private let log: PostgreSQLLog
    private let tokens = PostgreSQLTokens()

    init() throws {
        server = try .shared
        space = try server.schema()
        log = try PostgreSQLLog(in: space)
    }

    private func makeLog(_ connection: PostgreSQLConnection) throws {
        for part in log.parts { try connection.execute(part.definition) }
        try connection.execute(log.beginning)
    }

    /// Adds rows whose keys are numbers, in a transaction.
    private func add(
        _ numbers: Range<Int>,
        age: String = "0 s",
        _ connection: PostgreSQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO \(log.name) (n, token, type, kind, keys, revisions, at) \
            SELECT i, gen_random_uuid(), 'Entry', 1, ARRAY[i::text], ARRAY[i], \
            clock_timestamp() - interval '\(age)' \
            FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) AS i
            """
        )
    }

    private func keys(_ news: PostgreSQLLogReader.News) -> [String]? {
        var keys: [String] = []
        for entry in news.entries {
            guard let more = entry.keys else { return nil }
            keys += more
        }
        return keys.sorted()
    }

    private func rowCount(_ connection: PostgreSQLConnection) throws -> Int64? {
        let sql = "SELECT count(*) FROM \(log.name) WHERE xid > '0'"
        return try connection.run(PostgreSQLStatement(sql, isPrepared: false)).number()
    }

    @Test func `tokens are the store's, and no two are the same`() {
        let other = PostgreSQLTokens()
        let made = (0..<1_000).map { _ in tokens.next() }
        expect(Set(made).count, equals: 1_000)
        func isOwn(_ token: UUID) -> Bool {
            let (first, last) = tokens.own
            return token.uuidString >= first.uuidString && token.uuidString <= last.uuidString
        }
        expect(made.allSatisfy(isOwn))
        expect(!isOwn(other.next()))
        expect(tokens.name != other.name)
        for _ in 0..<200 { tokens.noteUnsettled(tokens.next()) }
        expect(tokens.allUnsettled.count, equals: 100)
    }

    @Test func `a log is read from the moment on at which it was looked for`() throws {
        let connection = try server.connect()
        let reader = try PostgreSQLLogReader(log, tokens, connection)
        expect(reader.hasPlace)
        let none = try reader.read(after: nil, by: connection)
        expect(none.cursor.log, equals: nil)
        try makeLog(connection)
        try add(0..<3, connection)
        // All that was written since, although there was no log.
        let first = try reader.read(after: none.cursor, by: connection)
        expect(keys(first), equals: ["0", "1", "2"])
        expect(first.isIncomplete, equals: false)
        expect(try keys(reader.read(after: nil, by: connection)), equals: [])
        try add(3..<4, connection)
        let second = try reader.read(after: first.cursor, by: connection)
        expect(keys(second), equals: ["3"])
        expect(try keys(reader.read(after: second.cursor, by: connection)), equals: [])
        // One that holds what was committed in the meantime again is harmless.
        expect(try keys(reader.read(after: first.cursor, by: connection)), equals: ["3"])
    }

    @Test func `more than 10000 keys are those of a type`() throws {
        let connection = try server.connect()
        try makeLog(connection)
        let reader = try PostgreSQLLogReader(log, tokens, connection)
        let cursor = try reader.read(after: nil, by: connection).cursor
        try add(0..<10_000, connection)
        let news = try reader.read(after: cursor, by: connection)
        expect(keys(news)?.count, equals: 10_000)
        try add(10_000..<10_001, connection)
        let more = try reader.read(after: cursor, by: connection)
        expect(more.entries.map(\.type), equals: ["Entry"])
        expect(keys(more), equals: nil)
    }

    enum Loss: CaseIterable {
        case dropped, emptied, other, restored, restarted, older, pruned
    }

    @Test(arguments: Loss.allCases)
    func `a log that may lack something says so`(_ loss: Loss) throws {
        let connection = try server.connect()
        try makeLog(connection)
        try add(0..<10, connection)
        let reader = try PostgreSQLLogReader(log, tokens, connection)
        var cursor = try reader.read(after: nil, by: connection).cursor
        switch loss {
        case .dropped: try connection.execute("DROP TABLE \(log.name)")
        case .emptied: try connection.execute("TRUNCATE \(log.name)")
        case .other:
            try connection.execute("DROP TABLE \(log.name)")
            try makeLog(connection)
        case .restored: cursor.place = "another"
        case .restarted: cursor.start = "1"
        case .older: cursor.snapshot = "9000000:9000000:"
        case .pruned:
            try add(10..<20, connection)
            try add(20..<21, connection)
            var pruning = PostgreSQLPruning(log, age: .zero, size: .max, leastAge: .zero)
            expect(try pruning.prune(by: connection), equals: 20)
        }
        let news = try reader.read(after: cursor, by: connection)
        expect(news.isIncomplete)
        expect(try reader.read(after: news.cursor, by: connection).isIncomplete, equals: false)
    }

    @Test func `what was seen may be removed`() throws {
        let connection = try server.connect()
        try makeLog(connection)
        let reader = try PostgreSQLLogReader(log, tokens, connection)
        var isIncomplete = true
        // Other tests may have transactions that end just then, one of which might have been removed.
        for round in 0..<100 where isIncomplete {
            try add((round * 10)..<(round * 10 + 10), connection)
            try add(0..<1, connection)
            let cursor = try reader.read(after: nil, by: connection).cursor
            var pruning = PostgreSQLPruning(log, age: .zero, size: .max, leastAge: .zero)
            expect(try pruning.prune(by: connection) >= 10)
            let news = try reader.read(after: cursor, by: connection)
            expect(news.cursor.pruned > cursor.pruned)
            isIncomplete = news.isIncomplete
        }
        expect(!isIncomplete)
    }

    @Test func `a log is read along its key`() throws {
        let connection = try server.connect()
        try makeLog(connection)
        try connection.execute(
            """
            INSERT INTO \(log.name) (xid, n, token, type, kind, keys) \
            SELECT (1 + i / 100)::text::xid8, i, gen_random_uuid(), 'Entry', 1, ARRAY[i::text] \
            FROM generate_series(1, 50000) AS i
            """
        )
        try connection.execute("ANALYZE \(log.name)")
        let reader = try PostgreSQLLogReader(log, tokens, connection)
        let cursor = try reader.read(after: nil, by: connection).cursor
        try add(0..<10, connection)
        let statement = reader.statement(after: cursor)
        let plan = try connection.run(
            PostgreSQLStatement("EXPLAIN " + statement.sql, statement.parameters, isPrepared: false)
        )
        let lines = (0..<plan.rowCount).compactMap { plan.text($0) }
        expect(!lines.contains { $0.contains("Seq Scan") }, "\(lines)")
    }

    @Test func `a log is pruned by its age, but for its newest transaction`() throws {
        let connection = try server.connect()
        try makeLog(connection)
        try add(0..<2_500, age: "8 days", connection)
        try add(0..<7, age: "8 days", connection)
        var pruning = PostgreSQLPruning(log, PostgreSQLOptions())
        var counts: [Int] = []
        repeat { try counts.append(pruning.prune(by: connection)) } while counts.last != 0
        expect(counts, equals: [1_000, 1_000, 500, 0])
        expect(try rowCount(connection), equals: 7)
        try add(0..<1, connection)
        expect(try pruning.prune(by: connection), equals: 7)
        expect(try pruning.prune(by: connection), equals: 0)
        expect(try rowCount(connection), equals: 1)
    }

    @Test func `a log is pruned by its size, as far as it is old enough`() throws {
        let connection = try server.connect()
        try makeLog(connection)
        try add(0..<4_000, age: "1 hour", connection)
        try add(0..<4_000, connection)
        // The statistics say how many there are.
        try connection.execute("ANALYZE \(log.name)")
        func prune(to size: Int) throws -> Int {
            var pruning = PostgreSQLPruning(
                log,
                age: .seconds(86_400),
                size: size,
                leastAge: .seconds(600)
            )
            var count = 0
            while case let more = try pruning.prune(by: connection), more > 0 { count += more }
            return count
        }
        expect(try prune(to: 10_000_000), equals: 0)
        let some = try prune(to: 800_000)
        expect((1_000..<4_000).contains(some), "\(some)")
        expect(try prune(to: 1), equals: 4_000 - some)
        expect(try rowCount(connection), equals: 4_000)
    }

    @Test func `one process prunes a log at a time, and the others do not wait`() throws {
        let (connection, other) = (try server.connect(), try server.connect())
        try makeLog(connection)
        try add(0..<10, age: "8 days", connection)
        try add(0..<1, connection)
        try other.execute("BEGIN; SELECT FROM \(log.name) WHERE xid = '0' FOR UPDATE")
        var pruning = PostgreSQLPruning(log, PostgreSQLOptions())
        connection.deadline = .now + .seconds(60)
        expect(try pruning.prune(by: connection), equals: 0)
        try other.execute("ROLLBACK")
        expect(try pruning.prune(by: connection), equals: 10)
    }

    @Test func `what is kept of a log is never less than an outcome needs`() {
        func ages(_ options: PostgreSQLOptions) -> [Duration] {
            let pruning = PostgreSQLPruning(log, options)
            return [pruning.age, pruning.leastAge]
        }
        expect(ages(PostgreSQLOptions()), equals: [.seconds(604_800), .seconds(600)])
        expect(ages(PostgreSQLOptions(logAge: .zero)), equals: [.seconds(600), .seconds(600)])
        expect(
            ages(PostgreSQLOptions(deadline: .seconds(3_600), logAge: .seconds(900))),
            equals: [.seconds(7_200), .seconds(7_200)]
        )
        // Of what is for ever no time of the server can be made.
        let ever = Duration.seconds(Int64.max)
        let century = Duration.seconds(3_155_760_000)
        expect(
            ages(PostgreSQLOptions(deadline: ever, logAge: ever)),
            equals: [century * 2, century * 2]
        )
        expect(ages(PostgreSQLOptions(logAge: ever)), equals: [century, .seconds(600)])
    }

    @Test func `a store prunes the log beside what it writes`() async throws {
        let ended = Counts()
        let events = StoreEvents { event in
            if event.operation == .prune, case .ended = event.phase { ended.add(event.count ?? 0) }
        }
        let connection = try server.connect()
        try makeLog(connection)
        try add(0..<1_500, age: "8 days", connection)
        let store = try PostgreSQLModelStore(server.connection(), schema: space, events: events)
        try await store.create(Entry("a"))
        while ended.all.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        expect(ended.all, equals: [1_500])
        expect(try rowCount(connection), equals: 1)
    }

    @Test func `a log that was copied from another server begins anew`() async throws {
        let connection = try server.connect()
        try makeLog(connection)
        let reader = try PostgreSQLLogReader(log, tokens, connection)
        let cursor = try reader.read(after: nil, by: connection).cursor
        try connection.execute(
            """
            INSERT INTO \(log.name) (xid, n, token, type, kind) \
            SELECT (9000000 + i)::text::xid8, 0, gen_random_uuid(), 'Entry', 1 \
            FROM generate_series(1, 10) AS i
            """
        )
        let store = try PostgreSQLModelStore(server.connection(), schema: space)
        try await store.create(Entry("a"))
        expect(try rowCount(connection), equals: 1)
        expect(try reader.read(after: cursor, by: connection).isIncomplete)
    }
}

private final class Counts: Sendable {
    private let counts = Guarded<[Int]>([])

    var all: [Int] { counts.withLock { $0 } }

    func add(_ count: Int) { counts.withLock { $0.append(count) } }
}
