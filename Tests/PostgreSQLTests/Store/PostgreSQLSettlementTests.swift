import Foundation
import ModelKitEssentials
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Note: Model {
    let id = Field<Int>()
    let text = Field<String>().indexed()
    let code = Field<String>().unique()

    convenience init(_ text: String) {
        self.init()
        (self.text.value, code.value) = (text, text)
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLSettlementTests {
    private let server: PostgreSQLServer
    private let space: String

    init() throws {
        server = try .shared
        space = try server.schema()
    }

    /// A log of a mode without known backends.
    private func log(_ mode: PostgreSQLMode) throws -> PostgreSQLLog {
        let log = try PostgreSQLLog(in: space, mode)
        let connection = try server.connect()
        for part in log.parts { try connection.execute(part.definition) }
        return log
    }

    private func outcome(
        _ log: PostgreSQLLog,
        _ token: UUID,
        _ connection: PostgreSQLConnection
    ) throws -> [PostgreSQLLog.Entry]? {
        try PostgreSQLSettlement(log: log, token: token, backend: nil)
            .entries(by: connection, until: .now + .seconds(60))
    }

    private func row(
        _ log: PostgreSQLLog,
        _ token: UUID,
        _ number: Int32
    ) -> PostgreSQLStatement {
        var parameters = PostgreSQLParameters()
        parameters.append(token)
        return PostgreSQLStatement(
            """
            INSERT INTO \(log.name) (n, token, type, kind, keys, revisions) \
            VALUES (\(number), $1, 'Note', 1, '{a}', '{\(number)}')
            """,
            parameters
        )
    }

    @Test(arguments: [PostgreSQLMode.pooled, .portable])
    func `a transaction whose token was taken is not committed, however late it comes`(
        _ mode: PostgreSQLMode
    ) throws {
        let log = try log(mode)
        let (late, other) = (try server.connect(), try server.connect())
        let commit = PostgreSQLStatement("COMMIT")
        for isMarked in [false, true] {
            let token = UUID()
            if isMarked {
                try late.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
                try late.run(row(log, token, 1))
            }
            // As often as it is asked for.
            for _ in 0..<3 { expect(try outcome(log, token, other) == nil) }
            let error = #expect(throws: PostgreSQLError.self) {
                try late.run(
                    isMarked
                        ? [log.taking(token, PostgreSQLLog.mark), commit] : [row(log, token, 0)]
                )
            }
            expect(error?.kind, equals: .uniqueViolation)
            if isMarked { try late.execute("ROLLBACK") }
            let rows = try other.run(log.rows(of: token))
            expect(rows.rowCount, equals: 1)
        }
    }

    @Test(arguments: [PostgreSQLMode.pooled, .portable])
    func `a transaction that is under way is waited for`(_ mode: PostgreSQLMode) async throws {
        let log = try log(mode)
        for end in ["COMMIT", "ROLLBACK"] {
            let token = UUID()
            let running = try server.connect()
            try running.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
            try running.run([
                row(log, token, 1), row(log, token, 2), log.taking(token, PostgreSQLLog.mark),
            ])
            // On a thread of its own, as it waits.
            let (outcome, resolver) = Promise<[Int64]?>.withResolvers()
            Thread {
                let result = Result {
                    try self.outcome(log, token, server.connect())?.flatMap(\.revisions)
                }
                resolver.resolve(result)
            }.start()
            server.wait(until: "wait_event_type = 'Lock' AND query LIKE 'INSERT%\(space)%'")
            try running.execute(end)
            expect(try await outcome.value, equals: end == "COMMIT" ? [1, 2] : nil)
        }
    }

    @Test func `stores of two modes share a log, and each finds its own outcomes`() async throws {
        let stores = try PostgreSQLRoute.all.filter { $0.mode != .portable }
            .map { try $0.store(space) }
        try await withThrowingTaskGroup { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    for round in 0..<20 {
                        try await store.create(Note("\(number)-\(round)"))
                        try await store.transaction { transaction in
                            try transaction.create(Note("\(number)-\(round) too"))
                        }.value
                    }
                }
            }
            try await group.waitForAll()
        }
        let statement = PostgreSQLStatement(
            """
            SELECT count(*), count(DISTINCT token) FROM \(space)."_modelkit_log" WHERE kind > 0
            """
        )
        let counts = try server.connect().run(statement)
        expect(counts.number(0, 0), equals: Int64(40 * stores.count))
        expect(counts.number(0, 1), equals: Int64(40 * stores.count))
    }

    @Test func `stores of all modes that begin at once make what a table lacks, once`() async throws
    {
        let first = try PostgreSQLRoute(mode: .direct).store(space)
        try await first.create((0..<200).map { Note("\($0)") })
        let connection = try server.connect()
        let table = try PostgreSQLTable(of: Note.schema, in: space)
        let names = table.indexes.map(\.name)
        expect(names.count, equals: 2)
        try connection.execute("DROP INDEX \(space).\"\(names[0])\"")
        // What is left of one that was not made to its end.
        try connection.execute(
            """
            UPDATE pg_index SET indisvalid = false \
            WHERE indexrelid = '\(space).\"\(names[1])\"'::regclass
            """
        )
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                for route in PostgreSQLRoute.all where route.mode != .portable {
                    let store = try route.store(space)
                    group.addTask { expect(try await store.count(Note.self), equals: 200) }
                }
            }
            try await group.waitForAll()
        }
        let lack = try table.lack(connection.run(table.inspection))
        expect(lack.isEmpty, "\(lack.indexes.map(\.name)), \(lack.needlessIndexes)")
        // A server without others of its kind does so, too.
        try connection.execute("DROP INDEX \(space).\"\(names[0])\"")
        expect(
            try await PostgreSQLRoute(mode: .portable).store(space).count(Note.self),
            equals: 200
        )
        expect(try table.lack(connection.run(table.inspection)).isEmpty)
    }

    @Test(.enabled(if: PgBouncer.isInstalled, PgBouncer.reason))
    func `one connection behind a pooler is enough for many stores`() async throws {
        let pooler = try PgBouncer(to: server, connections: 1)
        let space = space
        try await withThrowingTaskGroup { group in
            for number in 0..<4 {
                let store = try PostgreSQLModelStore(
                    pooler.connection(),
                    PostgreSQLOptions(connections: 2, mode: .pooled, deadline: .seconds(60)),
                    schema: space
                )
                group.addTask {
                    for round in 0..<5 {
                        try await store.transaction { transaction in
                            try transaction.create(Note("\(number)-\(round)"))
                        }.value
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try PostgreSQLRoute(mode: .direct).store(space)
        expect(try await store.count(Note.self), equals: 20)
    }
}
