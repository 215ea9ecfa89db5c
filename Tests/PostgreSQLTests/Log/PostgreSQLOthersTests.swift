import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Entry: Model {
    let id = Field<String>()
    let amount = Field<Int>()

    convenience init(_ id: String, _ amount: Int = 10) {
        self.init()
        (self.id.value, self.amount.value) = (id, amount)
    }
}

private final class Owner: Model {
    let id = Field<String>()
    let parts = ModelField<Part>(inverse: \.owner)*

    init() { linkFields() }
}

private final class Part: Model {
    let id = Field<String>()
    let owner = ModelField<Owner>(foreignKey: true)

    init() { linkFields() }
}

/// What live queries and observers of a store make of what others commit.
@Suite(
    .enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason),
    .timeLimit(.minutes(10))
)
struct PostgreSQLOthersTests {
    private let server: PostgreSQLServer
    private let space: String
    private let log: PostgreSQLLog

    init() throws {
        server = try .shared
        space = try server.schema()
        log = try PostgreSQLLog(in: space)
    }

    private func open(
        deadline: Duration = .seconds(120),
        events: StoreEvents? = nil
    ) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(connections: 2, deadline: deadline),
            schema: space,
            events: events
        )
    }

    @Test(arguments: [false, true])
    func `what another store commits comes by itself`(isSkipping: Bool) async throws {
        let other = try open()
        try await other.create(Entry("1"))
        let own = try open()
        let store: any RecordModelStore = isSkipping ? own.skippingDamaged { _ in } : own
        let list = store.observe(Entry.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        let window = store.observe(Entry.self, orderBy: .descending(\.id), window: 0..<2)
            .makeAsyncIterator()
        let sums = store.observe(sum: \.amount, of: Entry.self).makeAsyncIterator()
        for count in 1...3 {
            if count > 1 { try await other.create(Entry("\(count)")) }
            try await expect(
                list.next()?.models.map(\.id.value),
                equals: (1...count).map { "\($0)" }
            )
            try await expect(window.next()?.total, equals: count)
            try await expect(sums.next(), equals: count * 10)
        }
        try await other.delete(Entry.self, identifier: "2")
        try await expect(list.next()?.models.map(\.id.value), equals: ["1", "3"])
        try await expect(window.next()?.total, equals: 2)
        try await expect(sums.next(), equals: 20)
    }

    @Test func `what SQL of another program writes is seen if it adds a row to the log`()
        async throws
    {
        let store = try open()
        try await store.create(Entry("1"))
        let results = store.observe(Entry.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        _ = try await results.next()
        try server.connect().execute(
            """
            BEGIN; SET LOCAL search_path = "\(space)"; UPDATE "Entry" SET id = '2', \
            "_revision" = nextval('"_modelkit_revisions_Entry"'); \
            INSERT INTO _modelkit_log (n, token, type, kind) \
            VALUES (1, gen_random_uuid(), 'Entry', 2); COMMIT
            """
        )
        try await expect(results.next()?.models.map(\.id.value), equals: ["2"])
    }

    @Test(.enabled(if: PgBouncer.isInstalled, PgBouncer.reason))
    func `commits are seen through a pooler, and beside it`() async throws {
        let pooler = try PgBouncer(to: server)
        func open() throws -> PostgreSQLModelStore {
            let options = PostgreSQLOptions(
                connections: 2,
                mode: .pooled,
                deadline: .seconds(120)
            )
            return try PostgreSQLModelStore(pooler.connection(), options, schema: space)
        }
        let stores = [try self.open(), try open(), try open()]
        try await stores[0].create(Entry("first"))
        let notes = stores.map { _ in LogNotes() }
        let observations = zip(notes, stores).map { $0.observe($1) }
        for store in stores { _ = try await store.list(Entry.self) }
        let names = (0..<30).map { "\($0)" }
        for name in names { try await stores[(Int(name) ?? 0) % 3].create(Entry(name)) }
        for notes in notes {
            try await notes.wait(for: names)
            expect(notes.counts, equals: Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        }
        withExtendedLifetime(observations) {}
    }

    @Test func `the first list has what was committed before others are followed`() async throws {
        let other = try open()
        try await other.create(Entry("0"))
        for round in 1...10 {
            let store = try open()
            let list = store.observe(Entry.self).makeAsyncIterator()
            async let made: Void = {
                try await Task.sleep(for: .microseconds(.random(in: 0...20_000)))
                try await other.create(Entry("\(round)"))
            }()
            var count = 0
            // Two results, or one that has it already.
            while count <= round { count = try await list.next()?.models.count ?? .max }
            try await made
            expect(count, equals: round + 1)
        }
    }

    @Test func `every commit is notified once, whoever has made it`() async throws {
        let (store, other) = (try open(), try open())
        try await store.create(Entry("first"))
        let notes = LogNotes()
        let observation = notes.observe(store)
        _ = try await store.list(Entry.self)
        var expected: [String] = []
        for number in 0..<20 {
            for (name, writer) in [("own", store), ("other", other)] {
                let names = (0..<3).map { "\(name)-\(number)-\($0)" }
                try await writer.create(Entry(names[0]))
                try await writer.create([Entry(names[1])])
                try await writer.transaction { try $0.create(Entry(names[2])) }.value
                expected += names
            }
        }
        try await notes.wait(for: expected)
        try await other.create(Entry("last"))
        try await notes.wait(for: ["last"])
        let counts = notes.counts
        for name in expected { expect(counts[name], equals: 1, "\(name)") }
        expect(counts.count, equals: expected.count + 1)
        withExtendedLifetime(observation) {}
    }

    @Test func `what is committed late is not skipped, and nobody waits for it`() async throws {
        let (store, other) = (try open(), try open())
        try await store.create(Entry("first"))
        let notes = LogNotes()
        let observation = notes.observe(store)
        _ = try await store.list(Entry.self)
        let late = try server.connect()
        try late.execute("BEGIN; \(log.row("late"))")
        let strangers = try Strangers(server, space)
        let names = (0..<10).map { "other-\($0)" }
        for name in names {
            try await other.create(Entry(name))
            try await notes.wait(for: [name])
        }
        expect(notes.counts["late"], equals: nil)
        expect(notes.counts["prepared"], equals: nil)
        try late.execute("COMMIT")
        try await notes.wait(for: ["late"])
        try strangers.endPrepared("COMMIT")
        try await notes.wait(for: ["prepared"])
        try strangers.end("ROLLBACK")
        try await other.create(Entry("last"))
        try await notes.wait(for: ["last"])
        expect(
            notes.counts,
            equals: Dictionary(
                uniqueKeysWithValues: (names + ["late", "prepared", "last"]).map { ($0, 1) }
            )
        )
        withExtendedLifetime(observation) {}
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let changes = environment["MODELKIT_LOG_CHANGES"].flatMap { Int($0) } ?? 1_000
    private static let commits = environment["MODELKIT_LOG_COMMITS"].flatMap { Int($0) } ?? 100

    @Test func `nothing is missed of what 16 writers commit at any time`() async throws {
        let store = try open()
        try await store.create(Entry("first"))
        let notes = LogNotes()
        let observation = notes.observe(store)
        _ = try await store.list(Entry.self)
        let (writers, log) = (16, log)
        let share = Self.changes / writers
        let seed = UInt64.random(in: 0 ... .max)
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                let connection = try Writer(server.connect())
                group.addTask {
                    // On a thread of its own, as it waits.
                    try await connection.run { connection in
                        var chance = SplitMix(seed: seed &+ UInt64(writer))
                        var number = 0
                        while number < share {
                            let count = min(share - number, .random(in: 1...10, using: &chance))
                            let rows = (number..<(number + count)).map { number in
                                """
                                INSERT INTO \(log.name) (n, token, type, kind, keys, revisions) VALUES \
                                (\(number), gen_random_uuid(), 'Entry', 1, '{\(writer)-\(number)}', '{1}')
                                """
                            }
                            try connection.execute("BEGIN; \(rows.joined(separator: ";"))")
                            usleep(.random(in: 0...20_000, using: &chance))
                            let isKept = Int.random(in: 0..<20, using: &chance) > 0
                            try connection.execute(isKept ? "COMMIT" : "ROLLBACK")
                            if isKept { number += count }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = (0..<writers).flatMap { w in (0..<share).map { "\(w)-\($0)" } }
        try await notes.wait(for: expected)
        let counts = notes.counts
        let wrong = expected.filter { counts[$0] != 1 }
        expect(wrong.isEmpty, "seed \(seed): \(wrong.prefix(10))")
        let missed = expected.filter { counts[$0] == nil }.count
        print("seed \(seed): \(expected.count) changes, \(missed) missed, \(wrong.count) not once")
        withExtendedLifetime(observation) {}
    }

    @Test func `a commit of very many records is one of their type`() async throws {
        let (store, other) = (try open(), try open())
        try await store.create(Entry("first"))
        let notes = LogNotes()
        let observation = notes.observe(store)
        _ = try await store.list(Entry.self)
        try await other.create((0..<10_001).map { Entry("\($0)") })
        try await notes.wait(for: ["any Entry"])
        expect(notes.counts, equals: ["any Entry": 1])
        withExtendedLifetime(observation) {}
    }

    @Test func `what a write that has failed may have committed is notified of`() async throws {
        let store = try open()
        try await store.create(Entry("first"))
        let notes = LogNotes()
        let observation = notes.observe(store)
        _ = try await store.list(Entry.self)
        let token = store.postgreSQL.tokens.next()
        store.postgreSQL.tokens.noteUnsettled(token)
        let connection = try server.connect()
        // One that was settled is excluded, as it was notified of by itself.
        for (n, token) in [store.postgreSQL.tokens.next(), token].enumerated() {
            let sql = log.row("\(n)", n).replacingOccurrences(
                of: "gen_random_uuid()",
                with: "'\(token.uuidString)'"
            )
            try connection.execute(sql)
        }
        try await notes.wait(for: ["1"])
        expect(notes.counts, equals: ["1": 1])
        withExtendedLifetime(observation) {}
    }

    @Test func `a connection that is cut is made anew, and nothing is missed`() async throws {
        let phases = Phases()
        let events = StoreEvents { if $0.operation == .follow { phases.add($0.phase) } }
        let (store, other) = (try open(events: events), try open())
        try await store.create(Entry("first"))
        let notes = LogNotes()
        let observation = notes.observe(store)
        _ = try await store.list(Entry.self)
        let connection = try server.connect()
        let reader = PostgreSQLStatement(
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
            WHERE query LIKE '%\(space)%pg_snapshot_xip%' AND pid <> pg_backend_pid()
            """,
            isPrepared: false
        )
        for number in 0..<5 {
            try await notes.wait(for: number == 0 ? [] : ["\(number - 1)"])
            expect(try connection.run(reader).number() ?? 0 > 0)
            try await other.create(Entry("\(number)"))
        }
        try await notes.wait(for: (0..<5).map { "\($0)" })
        for number in 0..<5 { expect(notes.counts["\(number)"], equals: 1) }
        // One before each failure, and after the last one.
        let all = phases.all
        expect(all.filter { $0 == "began" }.count, equals: 6)
        expect(all.filter { $0 == "unavailable" }.count, equals: 5)
        withExtendedLifetime(observation) {}
    }

    @Test func `a server that is away is an error, until it is there again`() async throws {
        let server = try PostgreSQLServer(["fsync": "on"])
        func open() throws -> PostgreSQLModelStore {
            try PostgreSQLModelStore(
                server.connection(),
                PostgreSQLOptions(connections: 2, deadline: .seconds(1))
            )
        }
        let other = try open()
        // A busy machine may need more than one attempt to do it in a second.
        func create(_ id: String) async throws {
            for _ in 0..<60 {
                do {
                    _ = try await other.create(Entry(id))
                    return
                } catch StoreError.alreadyExists {
                    return
                } catch is StoreError {
                    continue
                }
            }
        }
        try await create("first")
        let store = try open()
        let list = store.observe(Entry.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        func next() async -> [String?] {
            while true {
                if let models = try? await list.next()?.models { return models.map(\.id.value) }
            }
        }
        await expect(next(), equals: ["first"])
        try server.stop()
        // By itself, as nobody writes here.
        await #expect(throws: StoreError.self) { _ = try await list.next() }
        try server.start()
        try await create("second")
        var found: [String?] = []
        while found != ["first", "second"] { found = await next() }
    }

    @Test func `nothing is asked of the server while nobody observes`() async throws {
        let store = try open()
        try await store.create(Entry("first"))
        let connection = try server.connect()
        let readers = PostgreSQLStatement(
            """
            SELECT count(*) FROM pg_stat_activity \
            WHERE query LIKE '%\(space)%pg_snapshot_xip%' AND pid <> pg_backend_pid()
            """,
            isPrepared: false
        )
        /// The server sees a little later that a connection is closed.
        func waitForNone() async throws {
            while try connection.run(readers).number() != 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        // Relations follow the store, and not others.
        try await store.create(Owner())
        expect(try connection.run(readers).number(), equals: 0)
        for _ in 0..<2 {
            let observation = LogNotes().observe(store)
            _ = try await store.list(Entry.self)
            expect(try connection.run(readers).number(), equals: 1)
            observation?.end()
            try await waitForNone()
        }
        let observation = LogNotes().observe(store)
        _ = try await store.list(Entry.self)
        try await store.close()
        try await waitForNone()
        withExtendedLifetime(observation) {}
    }

    @Test func `a store that only reads has no live queries`() async throws {
        try await open().create(Entry("first"))
        let store = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(isReadOnly: true),
            schema: space
        )
        await #expect(
            throws: StoreError.unsupported("live queries, as the store does not report changes")
        ) { _ = try await store.observe(Entry.self).makeAsyncIterator().next() }
        expect(LogNotes().observe(store) == nil)
        try await expect(store.list(Entry.self).count, equals: 1)
    }

    @Test func `a store that writes much notifies at most 20 times a second`() async throws {
        let store = try open()
        try await store.create(Entry("first"))
        let listener = try server.connect()
        try listener.execute("LISTEN \"\(log.channel)\"")
        let start = ContinuousClock.now
        for number in 0..<200 { try await store.create(Entry("\(number)")) }
        try await store.close()
        let time = ContinuousClock.now - start
        var count = 0
        while case let found = try listener.notifications(waiting: .milliseconds(100)),
            !found.isEmpty
        {
            count += found.count
            for notification in found {
                expect(notification.payload, equals: store.postgreSQL.tokens.name)
            }
        }
        expect(count > 0)
        // One at once, one at the end, and one that began before.
        expect(Double(count) <= time / .milliseconds(50) + 3, "\(count) in \(time)")
    }

    @Test func `how soon the commits of others are seen`() async throws {
        let (store, other) = (try open(), try open())
        try await store.create(Entry("first"))
        let notes = Times()
        let observation = store.records.observeChanges { changes in
            for change in changes.changes { notes.note(change.identifier) }
        }
        _ = try await store.list(Entry.self)
        let strangers = try Strangers(server, space)
        var committed: [(String, ContinuousClock.Instant)] = []
        for number in 0..<Self.commits {
            try await other.create(Entry("\(number)"))
            committed.append(("\(number)", .now))
            try await Task.sleep(for: .milliseconds(.random(in: 0...20)))
        }
        while notes.count < committed.count { try await Task.sleep(for: .milliseconds(10)) }
        let delays = committed.compactMap { id, time in notes[id].map { $0 - time } }.sorted()
        expect(delays.count, equals: Self.commits)
        let (half, most99) = (delays[delays.count / 2], delays[delays.count * 99 / 100 - 1])
        print("\(delays.count) seen after \(half) (p50), \(most99) (p99)")
        try strangers.end("ROLLBACK")
        try strangers.endPrepared("ROLLBACK")
        // Of writers that have ended before they could notify.
        let connection = try server.connect()
        var most = Duration.zero
        for number in 0..<5 {
            try connection.execute(log.row("killed-\(number)"))
            let time = ContinuousClock.now
            while notes["killed-\(number)"] == nil {
                try await Task.sleep(for: .milliseconds(5))
            }
            most = max(most, (notes["killed-\(number)"] ?? .now) - time)
        }
        print("seen after \(most) at most, without a notification")
        withExtendedLifetime(observation) {}
    }
}

/// What was said of an operation, with the errors it has ended with.
private final class Phases: Sendable {
    private let phases = Guarded<[String]>([])

    var all: [String] { phases.withLock { $0 } }

    func add(_ phase: StoreEvent.Phase) {
        let text =
            switch phase {
            case .began: "began"
            case .ended(_, let failure): failure ?? "ended"
            }
        phases.withLock { $0.append(text) }
    }
}

/// When records were first named.
private final class Times: Sendable {
    private let times = Guarded<[String: ContinuousClock.Instant]>([:])

    func note(_ identifier: Identifier?) {
        let (name, now) = (identifier.map { "\($0)" } ?? "", ContinuousClock.now)
        times.withLock { $0[name] = $0[name] ?? now }
    }

    var count: Int { times.withLock { $0.count } }
    subscript(name: String) -> ContinuousClock.Instant? { times.withLock { $0[name] } }
}

/// A connection with a thread of its own.
private final class Writer: Sendable {
    private let queue = DispatchQueue(label: "writer")
    // Safe: only touched in blocks of `queue`, which is serial.
    nonisolated(unsafe) private let connection: PostgreSQLConnection

    init(_ connection: sending PostgreSQLConnection) { self.connection = connection }

    func run(_ body: @escaping @Sendable (PostgreSQLConnection) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self.connection) }) }
        }
    }
}
