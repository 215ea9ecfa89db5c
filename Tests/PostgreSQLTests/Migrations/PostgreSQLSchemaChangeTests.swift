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

private enum Newer {
    final class Account: Model {
        let id = Field<Int>()
        let name = Field<String>()
        let count = Field<Int>(value: 0)
        let code = Field<String>().unique()
    }
}

private final class Person: Model {
    let id = Field<Int>()
    let email = Field<String>().unique()
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

    private func makeStore(
        _ connections: Int = 2,
        deadline: Duration = .seconds(600),
        settings: String = "",
        events: StoreEvents? = nil
    ) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            schema.server.connection() + settings,
            PostgreSQLOptions(connections: connections, deadline: deadline),
            schema: schema.space,
            events: events
        )
    }

    /// What a session does that makes an index and waits for the transactions of others.
    private var making: String {
        """
        wait_event_type = 'Lock' AND query LIKE 'CREATE %INDEX CONCURRENTLY%"\(schema.space)"%'
        """
    }

    /// A transaction that has written to the table, for which whoever makes an index waits.
    private func writer(adding column: String) throws -> PostgreSQLConnection {
        let writer = try schema.server.connect()
        let type = column == "code" ? "text COLLATE \"C\"" : "bigint"
        // Otherwise it would be the column that has to wait.
        try writer.execute(
            """
            ALTER TABLE \(schema.space)."Account" ADD COLUMN "\(column)" \(type)
            """
        )
        try writer.execute(
            "BEGIN; UPDATE \(schema.space).\"Account\" SET count = 1 WHERE id = 1"
        )
        return writer
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
            try await new.close()
            return try await group.reduce(.zero, max)
        }
        let writes = writers.count.withLock { $0 }
        print("\(Self.rows) rows, \(writes) writes, the longest took \(longest)")
        // It is about the two seconds for which a lock is waited for; more on a busy machine.
        let isAlone = ProcessInfo.processInfo.environment["MODELKIT_TEST_ALONE"] != nil
        expect(longest < .seconds(isAlone ? 3 : 60))
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
        let writer = try writer(adding: "limit")
        let new = try makeStore()
        let listing = Task { try await new.list(New.Account.self) }
        try await schema.server.reach(making)
        try schema.server.connect().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(making)"
        )
        // It fails, too, unless it has waited long enough.
        _ = await listing.result
        try await new.close()
        let left = try indexes()
        expect(left.count == 1 && left[0].hasSuffix("false"), "\(left)")
        try writer.execute("COMMIT")
        // By a store of any mode.
        let next = try route.store(schema.space)
        try await expect(next.list(New.Account.self).count, equals: 100)
        try await next.close()
        try expect(indexes(), equals: ["limit true", "name true"])
    }

    @Test func `a limit of the waits for locks ends no making of an index`() async throws {
        try await fill(try makeStore(), 100)
        let writer = try writer(adding: "limit")
        let new = try makeStore(settings: " options='-c lock_timeout=50'")
        let listing = Task { try await new.list(New.Account.self) }
        let waiting = "\(making) AND query_start < now() - interval '500 milliseconds'"
        try await schema.server.reach(waiting)
        try expect(
            schema.column("SELECT count(*) FROM pg_stat_activity WHERE \(waiting)"),
            equals: ["1"]
        )
        try writer.execute("COMMIT")
        try await expect(listing.value.count, equals: 100)
        try await new.close()
        try expect(indexes(), equals: ["limit true", "name true"])
    }

    @Test func `a table is used while indexes are made of it that take long`() async throws {
        try await fill(try makeStore(), 100)
        let writer = try writer(adding: "limit")
        let seen = Guarded<[String]>([])
        let events = StoreEvents { event in
            guard event.operation == .index else { return }
            let failure =
                if case .ended(_, let failure) = event.phase { failure ?? "ended" } else { "began" }
            seen.withLock { $0.append("\(event.type ?? "") \(failure)") }
        }
        let new = try makeStore(events: events)
        try await expect(new.list(New.Account.self).count, equals: 100)
        let account = New.Account()
        account.id.value = 1_000
        try await new.create(account)
        try await expect(new.list(New.Account.self, where: \.limit == 7).count, equals: 1)
        expect(seen.withLock { $0 }, equals: ["Account began"])
        // They are made to their end before it is closed.
        let closed: Promise<Void> = new.close()
        try await schema.server.reach(making)
        expect(!closed.isSettled)
        try writer.execute("COMMIT")
        try await closed.value
        try expect(indexes(), equals: ["limit true", "name true"])
        expect(seen.withLock { $0 }, equals: ["Account began", "Account ended"])
    }

    @Test func `a store is closed though another one has begun what it waits for`() async throws {
        try await fill(try makeStore(), 100)
        let writer = try writer(adding: "limit")
        let (first, second) = (try makeStore(), try makeStore())
        // Each uses the table while it has no index yet.
        let listing: Promise<[New.Account]> = first.list(New.Account.self)
        try await schema.server.reach(making)
        try await expect(second.list(New.Account.self).count, equals: 100)
        let closed: Promise<Void> = second.close()
        for _ in 0..<600 where !closed.isSettled { try await Task.sleep(for: .milliseconds(50)) }
        expect(closed.isSettled)
        try writer.execute("COMMIT")
        try await expect(listing.value.count, equals: 100)
        try await closed.value
        try await first.close()
        try expect(indexes(), equals: ["limit true", "name true"])
    }

    @Test func `a store is closed though others lock a table whose indexes are to be made anew`()
        async throws
    {
        try await fill(try makeStore(), 100)
        let first = try makeStore()
        _ = try await first.list(New.Account.self)
        try await first.close()
        // One was not made to its end, and another one is lacking.
        let names = try schema.column(
            """
            SELECT x.relname FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid \
            WHERE i.indrelid = 'SPACE."Account"'::regclass \
            AND x.relname LIKE '\\_modelkit\\_index%' ORDER BY 1
            """
        )
        expect(names.count, equals: 2)
        let other = try schema.server.connect()
        try other.execute(
            """
            UPDATE pg_index SET indisvalid = false \
            WHERE indexrelid = '\(schema.space)."\(names[0])"'::regclass;
            DROP INDEX \(schema.space)."\(names[1])"
            """
        )
        try other.execute(
            "BEGIN; LOCK TABLE \(schema.space).\"Account\" IN SHARE UPDATE EXCLUSIVE MODE"
        )
        let second = try makeStore()
        try await expect(second.list(New.Account.self).count, equals: 100)
        let closed: Promise<Void> = second.close()
        for _ in 0..<600 where !closed.isSettled { try await Task.sleep(for: .milliseconds(50)) }
        expect(closed.isSettled)
        try other.execute("COMMIT")
        try await closed.value
        let third = try makeStore()
        _ = try await third.list(New.Account.self)
        try await third.close()
        try expect(indexes(), equals: ["limit true", "name true"])
    }

    @Test func `a store is closed though another one migrates`() async throws {
        try await fill(try makeStore(), 1)
        let endless = PostgreSQLMigration("endless") { try $0.execute("SELECT pg_sleep(3601)") }
        let schema = schema
        let task = Task { try await schema.withStore([endless]) }
        try await schema.server.reach("query = 'SELECT pg_sleep(3601)' AND state = 'active'")
        let second = try PostgreSQLModelStore(
            schema.server.connection(),
            PostgreSQLOptions(connections: 2, deadline: .seconds(5)),
            schema: schema.space,
            migrations: [endless]
        )
        await #expect(throws: StoreError.timedOut(.notApplied)) {
            try await second.list(Old.Account.self)
        }
        let closed: Promise<Void> = second.close()
        for _ in 0..<600 where !closed.isSettled { try await Task.sleep(for: .milliseconds(50)) }
        expect(closed.isSettled)
        task.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await task.value }
        // If it waits still, it begins now.
        while !closed.isSettled {
            try schema.server.connect().execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(3601)'"
            )
            try await Task.sleep(for: .milliseconds(100))
        }
        try await closed.value
    }

    @Test func `a write goes on where the server ends what makes its table`() async throws {
        try await fill(try makeStore(), 1)
        let writer = try writer(adding: "code")
        let new = try makeStore()
        let account = Newer.Account()
        (account.id.value, account.code.value) = (1_000, "x")
        let creating: Promise<Newer.Account> = new.create(account)
        try await schema.server.reach(making)
        let other = Newer.Account()
        (other.id.value, other.code.value) = (1_001, "y")
        let transaction: Promise<Void> = new.transaction { try $0.create(other) }
        try schema.server.connect().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(making)"
        )
        try writer.execute("COMMIT")
        _ = try await creating.value
        try await transaction.value
        try await expect(new.list(Newer.Account.self).count, equals: 3)
        try await new.close()
    }

    @Test
    func `why a unique index cannot be made is the error of a use, though none has waited`()
        async throws
    {
        try await fill(try makeStore(), 2)
        let writer = try writer(adding: "code")
        try writer.execute("UPDATE \(schema.space).\"Account\" SET code = 'x'")
        let (ends, continuation) = AsyncStream<String?>.makeStream()
        let events = StoreEvents { event in
            guard event.operation == .index, case .ended(_, let failure) = event.phase else {
                return
            }
            continuation.yield(failure)
        }
        let new = try makeStore(events: events)
        let listing: Promise<[Newer.Account]> = new.list(Newer.Account.self)
        try await schema.server.reach(making)
        listing.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await listing.value }
        try writer.execute("COMMIT")
        let failure = await ends.first { _ in true }
        expect(failure, equals: "schema")
        let reason = "Account.code is declared as unique, but 1 and 2 have the same value"
        for _ in 0..<2 {
            await #expect(throws: StoreError.schema(reason)) {
                try await new.list(Newer.Account.self)
            }
        }
        try await new.close()
    }

    @Test
    func `a use waits for a unique index until its deadline, and those of other types do not`()
        async throws
    {
        let old = try makeStore()
        try await fill(old, 100)
        let writer = try writer(adding: "code")
        let new = try makeStore()
        let listing: Promise<[Newer.Account]> = new.list(Newer.Account.self)
        try await schema.server.reach(making)
        // Of each that waits, its own time counts.
        listing.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await listing.value }
        let other = try makeStore(deadline: .seconds(5))
        await #expect(throws: StoreError.timedOut(.notApplied)) {
            try await other.list(Newer.Account.self)
        }
        try await new.create(Person())
        try await expect(new.list(Person.self).count, equals: 1)
        try await expect(old.list(Old.Account.self).count, equals: 100)
        // What they have waited for goes on.
        try writer.execute("COMMIT")
        try await expect(new.list(Newer.Account.self).count, equals: 100)
        for store in [old, new, other] { try await store.close() }
        let unique =
            "SELECT count(*) FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid "
            + "WHERE i.indrelid = 'SPACE.\"Account\"'::regclass AND i.indisunique AND i.indisvalid "
            + "AND x.relname LIKE '\\_modelkit\\_unique%'"
        try expect(schema.column(unique), equals: ["1"])
    }
}
