import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Tally: Model {
    let id = Field<Int>()
    let count = Field<Int>(value: 0)
    let owner = Field<String>().indexed()

    convenience init(_ id: Int?) {
        self.init()
        self.id.value = id
    }
}

private final class Shared<Value: Sendable>: Sendable {
    let value: Guarded<Value>

    init(_ value: Value) { self.value = Guarded(value) }
}

/// An object that waits for a list when it ends.
private final class LastUse: Sendable {
    private let store: PostgreSQLModelStore
    private let end: @Sendable (Bool) -> Void

    init(of store: PostgreSQLModelStore, _ end: @escaping @Sendable (Bool) -> Void) {
        (self.store, self.end) = (store, end)
    }

    deinit {
        let list: Promise<[Tally]> = store.list(Tally.self)
        let isThere = DispatchSemaphore(value: 0)
        list.observe { _ in isThere.signal() }
        end(isThere.wait(timeout: .now() + 30) == .success)
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLConcurrencyTests {
    private func makeStore(
        _ server: PostgreSQLServer,
        _ space: String,
        connections: Int = 2,
        deadline: Duration = .seconds(60),
        events: StoreEvents? = nil
    ) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(connections: connections, deadline: deadline),
            schema: space,
            events: events
        )
    }

    /// Begins a use, and has a handler block where it is settled until somebody signals.
    private func blocking<Value: Sendable>(
        _ server: PostgreSQLServer,
        _ space: String,
        _ use: () -> Promise<Value>
    ) async throws -> (Promise<Value>, DispatchSemaphore) {
        // What is settled already is handed on where the handler is added.
        let locking = try server.connect()
        try locking.execute("BEGIN; LOCK TABLE \(space).\"Tally\"")
        let (held, continuation) = AsyncStream<Void>.makeStream()
        let other = DispatchSemaphore(value: 0)
        let blocked = use().tap { _ in
            continuation.yield()
            other.wait()
        }
        try locking.execute("COMMIT")
        await held.first { true }
        return (blocked, other)
    }

    @Test func `who waits for a write where another one is settled does not wait in vain`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let store = try makeStore(server, space, connections: 3)
        try await store.create(Tally(1))
        let (blocked, other) = try await blocking(server, space) {
            store.create(Tally(2)) as Promise<Tally>
        }
        try await store.create(Tally(3))
        other.signal()
        _ = try await blocked.value
        try await expect(store.list(Tally.self).count, equals: 3)
        try await store.close()
    }

    @Test
    func
        `a use that is refused does not wait for a handler that blocks where another one was settled`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let store = try makeStore(server, space, connections: 3)
        try await store.create(Tally(1))
        let (blocked, other) = try await blocking(server, space) {
            store.list(Tally.self) as Promise<[Tally]>
        }
        // Why it is refused is found out on a thread that waits for the server.
        let refused: Promise<Tally> = store.create(Tally(1))
        let later: Promise<[Tally]> = store.list(Tally.self)
        for _ in 0..<600 where !refused.isSettled || !later.isSettled {
            try await Task.sleep(for: .milliseconds(50))
        }
        expect(refused.isSettled)
        expect(later.isSettled)
        other.signal()
        await #expect(throws: StoreError.alreadyExists(type: "Tally", identifier: 1)) {
            try await refused.value
        }
        _ = try await (blocked.value, later.value)
        try await store.close()
    }

    @Test func `an object that a transaction alone has had may wait for the store at its end`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let store = try makeStore(server, try server.schema(), connections: 3)
        try await store.create(Tally(1))
        for _ in 0..<10 {
            let (ends, continuation) = AsyncStream<Bool>.makeStream()
            let transaction: Promise<Void>
            do {
                let last = LastUse(of: store) { continuation.yield($0) }
                transaction = store.transaction { _ in withExtendedLifetime(last) {} }
            }
            try await transaction.value
            await expect(ends.first { _ in true }, equals: true)
        }
        try await store.close()
    }

    @Test func `a lookup that is cancelled ends on the server, and others use its connection`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let store = try makeStore(server, space, connections: 1)
        try await store.create(Tally(1))
        let process = PostgreSQLStatement(
            """
            SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
            AND query LIKE 'SELECT %"\(space)"."Tally"%'
            """,
            isPrepared: false
        )
        let (other, observer) = (try server.connect(), try server.connect())
        for _ in 0..<3 {
            try other.execute("BEGIN; LOCK TABLE \(space).\"Tally\"")
            let lookup: Promise<Tally> = store.lookup(Tally.self, identifier: 1)
            while try observer.run(process).rowCount == 0 {
                try await Task.sleep(for: .milliseconds(2))
            }
            lookup.cancel()
            await #expect(throws: StoreError.cancelled(.notApplied)) { try await lookup.value }
            while try observer.run(process).rowCount > 0 {
                try await Task.sleep(for: .milliseconds(2))
            }
            try other.execute("COMMIT")
            try await expect(store.lookup(Tally.self, identifier: 1).id.value, equals: 1)
        }
        try await store.close()
    }

    @Test func `what is not done as its connection has ended is done by another one`() async throws
    {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let store = try makeStore(server, space, deadline: .seconds(600))
        try await store.create((1...2).map { Tally($0) })
        let other = try server.connect()
        try other.execute("BEGIN; UPDATE \(space).\"Tally\" SET count = 0")
        let tallies = try await store.list(Tally.self, orderBy: .ascending(\.id))
        for tally in tallies { tally.count.value = 7 }
        let bodies = Guarded(0)
        async let update: Void = { try await store.update(tallies[0]) }()
        let waiting = """
            wait_event_type = 'Lock' AND query LIKE '%"\(space)"."Tally"%'
            """
        for _ in 0..<3 {
            try await server.reach(waiting)
            try server.connect().execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(waiting)"
            )
        }
        try await server.reach(waiting)
        try other.execute("COMMIT; BEGIN; UPDATE \(space).\"Tally\" SET count = 0 WHERE id = 2")
        _ = try await update
        let transaction: Promise<Void> = store.transaction { transaction in
            bodies.withLock { $0 += 1 }
            try transaction.update(tallies[1])
        }
        try await server.reach(waiting)
        try server.connect().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(waiting)"
        )
        try await server.reach(waiting)
        expect(bodies.withLock { $0 }, equals: 2)
        try other.execute("ROLLBACK")
        try await transaction.value
        let stored = try makeStore(server, space)
        try await expect(stored.list(Tally.self).compactMap(\.count.value), equals: [7, 7])
        for store in [store, stored] { try await store.close() }
    }

    @Test func `a write that ends its own process is given up soon`() async throws {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let store = try makeStore(server, space, deadline: .seconds(20))
        try await store.create(Tally(1))
        let admin = try server.connect()
        try admin.execute(
            """
            CREATE SEQUENCE \(space).attempts; CREATE FUNCTION \(space).fail() RETURNS trigger \
            LANGUAGE plpgsql AS $$BEGIN PERFORM nextval('\(space).attempts'); \
            PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END$$; \
            CREATE TRIGGER fail BEFORE INSERT ON \(space)."Tally" \
            FOR EACH ROW EXECUTE FUNCTION \(space).fail()
            """
        )
        let error = await #expect(throws: StoreError.self) { try await store.create(Tally(2)) }
        expect(error?.code, equals: "unavailable", "\(error as Any)")
        expect(error?.outcome, equals: .notApplied)
        let attempts = PostgreSQLStatement("SELECT last_value FROM \(space).attempts")
        expect(try admin.run(attempts).number() ?? 100 <= 6)
        try await store.close()
    }

    @Test(arguments: ["a lookup", "a list", "a write", "a transaction"])
    func `what comes after all connections have ended unnoticed succeeds`(
        _ use: String
    ) async throws {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let proxy = try PostgreSQLProxy(to: server)
        let store = try PostgreSQLModelStore(
            proxy.connection(),
            PostgreSQLOptions(connections: 8, deadline: .seconds(120)),
            schema: space
        )
        try await store.create(Tally(1))
        // As many connections as there may be.
        let (begun, gate) = (Shared(0), DispatchSemaphore(value: 0))
        let transactions = (0..<8).map { _ in
            store.records.transaction { _ in
                begun.value.withLock { $0 += 1 }
                gate.wait()
            }
        }
        while begun.value.withLock({ $0 }) < 8 { try await Task.sleep(for: .milliseconds(5)) }
        for _ in 0..<8 { gate.signal() }
        for transaction in transactions { try await transaction.value }
        proxy.forgetAll()
        switch use {
        case "a lookup": _ = try await store.lookup(Tally.self, identifier: 1)
        case "a list": try await expect(store.list(Tally.self).count, equals: 1)
        case "a write": try await store.create(Tally(2))
        default: try await store.transaction { try $0.create(Tally(2)) }.value
        }
        try await store.close()
    }

    @Test func `a transaction that is repeated does not wait for its own locks`() async throws {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let proxy = try PostgreSQLProxy(to: server)
        let store = try PostgreSQLModelStore(
            proxy.connection(),
            PostgreSQLOptions(connections: 2, deadline: .seconds(30)),
            schema: space
        )
        try await store.create([Tally(1), Tally(2)])
        let runs = Guarded(0)
        try await store.transaction { transaction in
            let tally = try transaction.lookup(Tally.self, identifier: 1)
            tally.count.value = 7
            try transaction.update(tally)
            let isFirst = runs.withLock { count in
                count += 1
                return count == 1
            }
            // The server does not notice that the connection has ended.
            if isFirst { proxy.leaveAll() }
            _ = try transaction.lookup(Tally.self, identifier: 2)
        }.value
        expect(runs.withLock { $0 }, equals: 2)
        proxy.cutAll()
        let stored = try makeStore(server, space)
        try await expect(stored.list(Tally.self).compactMap(\.count.value).max(), equals: 7)
        for store in [store, stored] { try await store.close() }
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `counters that several stores count up in transactions end right`(
        _ route: PostgreSQLRoute
    ) async throws {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let first = try route.store(space)
        try await first.create((1...4).map { Tally($0) })
        try await withThrowingTaskGroup { group in
            for number in 0..<6 {
                let store = try route.store(space)
                group.addTask {
                    var round = 0
                    while round < 10 {
                        let id = (number + round) % 4 + 1
                        do {
                            try await store.transaction { transaction in
                                let tally = try transaction.lookup(Tally.self, identifier: id)
                                tally.count.value = (tally.count.value ?? 0) + 1
                                try transaction.update(tally)
                            }.value
                            round += 1
                        } catch StoreError.unavailable(_, .notApplied) {
                            // Given up for others ten times; it has left nothing behind.
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try await makeStore(server, space).list(Tally.self)
        expect(all.compactMap(\.count.value).reduce(0, +), equals: 60)
    }

    @Test func `a closure that runs again finds its models as before its first run`() async throws {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let reruns = Shared(0)
        let events = StoreEvents { event in
            if event.operation == .rerun { reruns.value.withLock { $0 += 1 } }
        }
        let (store, other) = (
            try makeStore(server, space, events: events), try makeStore(server, space)
        )
        try await store.create(Tally(1))
        let runs = Guarded(0)
        let made = Tally(nil)
        try await store.transaction { transaction in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            let tally = try transaction.lookup(Tally.self, identifier: 1)
            // Another store writes what this one has read.
            if run == 1 {
                try other.transaction { transaction in
                    let tally = try transaction.lookup(Tally.self, identifier: 1)
                    tally.count.value = 10
                    try transaction.update(tally)
                }.wait()
            }
            tally.count.value = (tally.count.value ?? 0) + 1
            try transaction.update(tally)
            try transaction.create(made)
        }.value
        expect(runs.withLock { $0 }, equals: 2)
        // Its beginning and its end.
        expect(reruns.value.withLock { $0 }, equals: 2)
        let rows = try await makeStore(server, space).list(Tally.self, orderBy: .ascending(\.id))
        expect(rows.map(\.count.value), equals: [11, 0])
        expect(made.id.value, equals: rows.last?.id.value)
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `new models that are made at once by several stores have numbers of their own`(
        _ route: PostgreSQLRoute
    ) async throws {
        let server = try PostgreSQLServer.shared
        let space = try server.schema()
        let numbers = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                let store = try route.store(space)
                group.addTask {
                    var numbers: [Int] = []
                    for _ in 0..<10 {
                        let made = try await store.create((0..<5).map { _ in Tally(nil) })
                        numbers += made.compactMap(\.id.value)
                    }
                    return numbers
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        expect(Set(numbers).count, equals: 200)
    }

    @Test func `a server that ends at once has lost nothing that was said to be written`()
        async throws
    {
        let server = try PostgreSQLServer(["fsync": "on"])
        let space = try server.schema()
        let writers = 4
        let stores = try (0..<writers).map { _ in
            try makeStore(server, space, connections: 2, deadline: .seconds(300))
        }
        let end = Shared(false)
        let count = Shared(0)
        @Sendable func write(_ writer: Int) async throws -> [Int: Bool] {
            var said: [Int: Bool] = [:]
            var number = writer * 100_000
            while !end.value.withLock({ $0 }) {
                number += 1
                do {
                    try await stores[writer].create(Tally(number))
                    said[number] = true
                    count.value.withLock { $0 += 1 }
                } catch let error as StoreError {
                    expect(error.outcome, equals: .notApplied, "\(error)")
                    said[number] = false
                }
            }
            return said
        }
        @Sendable func waitForWrites() async throws {
            let goal = count.value.withLock { $0 } + 20
            while count.value.withLock({ $0 }) < goal {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let said = try await withThrowingTaskGroup(of: [Int: Bool].self) { group in
            for writer in 0..<writers { group.addTask { try await write(writer) } }
            for _ in 0..<2 {
                try await waitForWrites()
                try server.stop()
                try server.start()
            }
            try await waitForWrites()
            end.value.withLock { $0 = true }
            return try await group.reduce(into: [Int: Bool]()) { $0.merge($1) { $1 } }
        }
        let rows = try await makeStore(server, space).list(Tally.self)
        let found = Set(rows.compactMap(\.id.value))
        expect(found, equals: Set(said.filter(\.value).keys))
        expect(rows.count, equals: found.count)
    }
}
