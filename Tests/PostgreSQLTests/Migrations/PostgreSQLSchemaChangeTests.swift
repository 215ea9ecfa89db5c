import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

// Two versions of a program.

private enum Old {
    final class Account: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let count = Field<Int>(value: 0)

        convenience init(_ id: Int?) {
            self.init()
            if let id { self.id.value = id }
            name.value = "n"
        }
    }
}

private enum New {
    final class Account: Model {
        let id = Field<Int>()
        let name = Field<String>().indexed()
        let count = Field<Int>(value: 0)
        let limit = Field<Int>(value: 7).indexed()
    }
}

private final class Writers: Sendable {
    let haveEnded = Guarded(false)
    let count = Guarded(0)
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLSchemaChangeTests {
    private static let rows =
        ProcessInfo.processInfo.environment["MODELKIT_ROWS"].flatMap { Int($0) } ?? 20_000
    private static let writers = 16

    private let schema: MigratedSchema

    init() throws { schema = try MigratedSchema() }

    private func makeStore(_ connections: Int = 2) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            schema.server.connection(),
            PostgreSQLOptions(connections: connections, deadline: .seconds(600)),
            schema: schema.space
        )
    }

    private func fill(_ store: PostgreSQLModelStore, _ count: Int) async throws {
        for first in stride(from: 1, through: count, by: 10_000) {
            let numbers = first...min(first + 9_999, count)
            try await store.create(numbers.map { Old.Account($0) })
        }
    }

    /// The indexes of the fields, and whether they can be used.
    private func indexes() throws -> [String] {
        try schema.column(
            """
            SELECT split_part(x.relname, '_', 5) || ' ' || i.indisvalid::text \
            FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid \
            WHERE i.indrelid = 'SPACE."Account"'::regclass \
            AND x.relname LIKE '\\_modelkit\\_index%' ORDER BY 1
            """
        )
    }

    @Test func `columns and indexes are added to a large table while many write`() async throws {
        let old = try makeStore(Self.writers)
        try await fill(old, Self.rows)
        let writers = Writers()
        let schema = schema
        @Sendable func write(_ writer: Int) async throws -> Duration {
            var longest = Duration.zero
            var account = Old.Account(nil)
            for number in 1... {
                if writers.haveEnded.withLock({ $0 }) { break }
                let start = ContinuousClock.now
                if number % 4 == 1 {
                    account = Old.Account(nil)
                    try await old.create(account)
                } else {
                    account.count.value = number
                    try await old.update(account)
                }
                longest = max(longest, .now - start)
                writers.count.withLock { $0 += 1 }
            }
            return longest
        }
        let longest = try await withThrowingTaskGroup(of: Duration.self) { group in
            for writer in 0..<Self.writers { group.addTask { try await write(writer) } }
            // Somebody reads for so long that the column cannot be added the first time.
            let reader = try schema.server.connect()
            try reader.execute("BEGIN; LOCK \(schema.space).\"Account\" IN ACCESS SHARE MODE")
            let new = try makeStore()
            let adding = Task { try await new.list(New.Account.self, where: \.id == 1) }
            let waiting = """
                wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE "\(schema.space)"%'
                """
            try await schema.reachTwice(waiting)
            try reader.execute("COMMIT")
            let found = try await adding.value
            expect(found.map(\.limit.value), equals: [7])
            // Both versions write on.
            try await new.create((0..<10).map { _ in New.Account() })
            writers.haveEnded.withLock { $0 = true }
            return try await group.reduce(.zero, max)
        }
        let writes = writers.count.withLock { $0 }
        print("\(Self.rows) rows, \(writes) writes, the longest took \(longest)")
        // On a busy machine; it is about the two seconds for which a lock is waited for.
        expect(longest < .seconds(60))
        try expect(indexes(), equals: ["limit true", "name true"])
        let rows = Int(try schema.column("SELECT count(*) FROM SPACE.\"Account\"")[0]) ?? 0
        expect(rows > Self.rows)
        try expect(
            schema.column(
                "SELECT count(*) FROM SPACE.\"Account\" WHERE id <= \(Self.rows) AND \"limit\" IS DISTINCT FROM 7"
            ),
            equals: ["0"]
        )
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `an index that was not made to its end is made again`(
        _ route: PostgreSQLRoute
    ) async throws {
        let old = try makeStore()
        try await fill(old, 100)
        // Its transaction is waited for by who makes an index.
        let writer = try schema.server.connect()
        try writer.execute(
            "BEGIN; UPDATE \(schema.space).\"Account\" SET count = 1 WHERE id = 1"
        )
        // The column waits for nobody.
        let plain = """
            ALTER TABLE \(schema.space)."Account" ADD COLUMN "limit" bigint
            """
        try writer.execute(plain)
        try writer.execute(
            "COMMIT; BEGIN; UPDATE \(schema.space).\"Account\" SET count = 1 WHERE id = 1"
        )
        let new = try makeStore()
        let listing = Task { try await new.list(New.Account.self) }
        let making = """
            wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONCURRENTLY%"\(schema.space)"%'
            """
        try await schema.server.reach(making)
        try schema.server.connect().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(making)"
        )
        await #expect(throws: StoreError.self) { try await listing.value }
        let left = try indexes()
        expect(left.count == 1 && left[0].hasSuffix("false"), "\(left)")
        try writer.execute("COMMIT")
        // By a store of any mode.
        let next = try route.store(schema.space)
        try await expect(next.list(New.Account.self).count, equals: 100)
        try expect(indexes(), equals: ["limit true", "name true"])
        try await next.close()
    }
}
