import Foundation
import ModelKitFields
import ModelKitPostgreSQL
import ModelKitPromises
import ModelKitStores
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLPoolTests {
    private let server: PostgreSQLServer
    /// By which the connections of this test are known.
    private let name = "pool-\(UUID().uuidString)"

    init() throws { server = try .shared }

    private func makePool(
        _ connections: Int = 2,
        server: PostgreSQLServer? = nil,
        deadline: Duration = .seconds(60),
        idleTime: Duration = .seconds(60)
    ) throws -> PostgreSQLPool {
        try PostgreSQLPool(
            "\((server ?? self.server).connection()) application_name=\(name)",
            PostgreSQLOptions(connections: connections, deadline: deadline, idleTime: idleTime)
        )
    }

    @Sendable private static func process(_ connection: PostgreSQLConnection) -> Int32 {
        connection.backend?.process ?? 0
    }

    @Sendable private static func one(_ connection: PostgreSQLConnection) throws -> Int64? {
        try connection.run(PostgreSQLStatement("SELECT 1::bigint")).number()
    }

    /// How many connections the server has of this test.
    private func connectionCount(_ server: PostgreSQLServer? = nil) throws -> Int64? {
        try (server ?? self.server).connect().run(
            PostgreSQLStatement(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1",
                PostgreSQLParameters(name)
            )
        ).number()
    }

    // MARK: Turns

    @Test func `uses one after the other share a connection`() async throws {
        let pool = try makePool(8)
        var processes: Set<Int32> = []
        for _ in 0..<50 { processes.insert(try await pool.run(Self.process).value) }
        expect(processes.count, equals: 1)
        try expect(connectionCount(), equals: 1)
    }

    @Test func `uses at once have connections of their own, up to the limit`() async throws {
        let pool = try makePool(3)
        let running = Running()
        let all = (0..<30).map { _ in
            pool.run { connection in
                running.begin()
                defer { running.end() }
                // However long it takes to connect.
                while running.most < 3 { usleep(1_000) }
                try connection.execute("SELECT pg_sleep(0.01)")
                return Self.process(connection)
            }
        }
        let processes = try await Promise.all(all).value
        expect(Set(processes).count, equals: 3)
        expect(running.most, equals: 3)
        try expect(connectionCount(), equals: 3)
    }

    @Test func `a round trip is sent in place of the body, which is run where there is none`()
        async throws
    {
        let pool = try makePool(2)
        @Sendable func trip(_ sql: String) -> PostgreSQLRoundTrip<String> {
            PostgreSQLRoundTrip(statements: [PostgreSQLStatement(sql)]) { results in
                results.last?.text()
            } otherwise: { _, error in
                "otherwise \(error.map { "\($0.kind)" } ?? "without an error")"
            }
        }
        func run(_ trip: PostgreSQLRoundTrip<String>?) -> Promise<String> {
            pool.run(sending: { _ in trip }, { _ in "body" })
        }
        let all = (0..<40).map { run(trip("SELECT '\($0)'")) }
        expect(try await Promise.all(all).value, equals: (0..<40).map { "\($0)" })
        try await expect(run(trip("SELECT (1 / 0)::text")).value, equals: "otherwise other")
        try await expect(
            run(trip("SELECT '1' WHERE false")).value,
            equals: "otherwise without an error"
        )
        try await expect(run(nil).value, equals: "body")
        try expect(connectionCount(), equals: 2)
        // The connection of one that is cut goes on there, and is used no more.
        let cut = trip("SELECT pg_terminate_backend(pg_backend_pid())::text")
        try await expect(run(cut).value, equals: "otherwise connectionLost")
        try await expect(run(trip("SELECT 'a'")).value, equals: "a")
        try await pool.close().value
    }

    @Test func `uses begin in the order in which they were asked for`() async throws {
        let pool = try makePool(1)
        let order = Guarded<[Int]>([])
        let all = (0..<200).map { number in
            pool.run { _ in order.withLock { $0.append(number) } }
        }
        _ = try await Promise.all(all).value
        expect(order.withLock(\.self), equals: Array(0..<200))
    }

    @Test func `a handler may use the pool again, on the one connection`() async throws {
        let pool = try makePool(1)
        let value = try await pool.run(Self.one).then { first in
            pool.run { connection in (first, try Self.one(connection)) }
        }.value
        expect(value.0, equals: 1)
        expect(value.1, equals: 1)
    }

    @Test func `the body of a transaction cannot use the pool, which may wait for it`() async throws
    {
        let (pool, other) = (try makePool(1), try makePool(1))
        let errors = try await pool.run { connection in
            try pool.runTransactionBody {
                let refused: [Promise<Int64?>] = [pool.run(Self.one), pool.close().map { nil }]
                expect(try other.run(Self.one).wait(), equals: 1)
                return refused.map { promise in
                    if case .failure(let error) = promise.result { return "\(error)" }
                    return "it was run"
                }
            }
        }.value
        for error in errors { expect(error.contains("body of a transaction"), error) }
        expect(try await pool.run(Self.one).value, equals: 1)
    }

    // MARK: Cancelling

    @Test func `what is cancelled while it waits is never run`() async throws {
        let pool = try makePool(1)
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = pool.run { _ in
            begun.signal()
            gate.wait()
        }
        let hasRun = Guarded(false)
        let second = pool.run { _ in hasRun.withLock { $0 = true } }
        let third = pool.run(Self.one)
        await Task.detached { begun.wait() }.value
        second.cancel()
        let error = await #expect(throws: PostgreSQLError.self) { try await second.value }
        expect(error?.kind, equals: .cancelled)
        expect(error?.wasSent, equals: false)
        // What has begun goes on, as nothing else was said.
        first.cancel()
        gate.signal()
        try await first.value
        expect(try await third.value, equals: 1)
        expect(!hasRun.withLock(\.self))
    }

    @Test func `what may be cancelled is cancelled on the server`() async throws {
        let pool = try makePool(1)
        let endless = pool.run(isCancellable: true) { try $0.execute("SELECT pg_sleep(600)") }
        server.wait(
            until: "application_name = '\(name)' AND query LIKE '%pg_sleep%' AND state = 'active'"
        )
        let before = try await Task.detached { [server, name] in
            try server.connect().run(
                PostgreSQLStatement(
                    "SELECT pid::bigint FROM pg_stat_activity WHERE application_name = $1",
                    PostgreSQLParameters(name)
                )
            ).number()
        }.value
        endless.cancel()
        let error = await #expect(throws: PostgreSQLError.self) { try await endless.value }
        expect(error?.kind, equals: .cancelled)
        // The same connection goes on.
        expect(try await Int64(pool.run(Self.process).value), equals: before)
    }

    // MARK: Deadlines

    @Test func `who waits for a connection fails at its deadline`() async throws {
        let pool = try makePool(1)
        let gate = DispatchSemaphore(value: 0)
        let first = pool.run { _ in gate.wait() }
        let error = await #expect(throws: PostgreSQLError.self) {
            try await pool.run(deadline: .milliseconds(50), Self.one).value
        }
        expect(error?.kind, equals: .timedOut)
        expect(error?.message, equals: "no connection was free in time")
        expect(error?.wasSent, equals: false)
        gate.signal()
        try await first.value
        expect(try await pool.run(Self.one).value, equals: 1)
    }

    @Test func `a deadline is that of one use`() async throws {
        let pool = try makePool(1)
        let error = await #expect(throws: PostgreSQLError.self) {
            try await pool.run(deadline: .milliseconds(100)) {
                try $0.execute("SELECT pg_sleep(600)")
            }.value
        }
        // By the server, or without it where that takes long to answer.
        expect(error?.kind, equals: .timedOut)
        try await pool.run { try $0.execute("SELECT pg_sleep(0.2)") }.value
    }

    // MARK: Connections that end

    @Test func `a transaction that is left open is rolled back`() async throws {
        let pool = try makePool(1)
        let table = "\(try server.schema()).t"
        struct Stop: Error {}
        for fails in [false, true] {
            try? await pool.run { connection in
                try connection.execute("BEGIN; CREATE TABLE \(table) ()")
                if fails { throw Stop() }
            }.value
            let isOpen = try await pool.run { connection in
                expect(
                    try connection.run(PostgreSQLStatement("SELECT to_regclass('\(table)')"))
                        .isNull(0, 0)
                )
                return connection.isInTransaction
            }.value
            expect(!isOpen)
        }
        try expect(connectionCount(), equals: 1)
    }

    @Test func `a connection that has ended is replaced, also when nobody used it`() async throws {
        let pool = try makePool(1)
        let first = try await pool.run(Self.process).value
        try server.connect().execute("SELECT pg_terminate_backend(\(first), 5000)")
        let second = try await pool.run(Self.process).value
        expect(second != first)
        let error = await #expect(throws: PostgreSQLError.self) {
            try await pool.run { try $0.execute("SELECT pg_terminate_backend(pg_backend_pid())") }
                .value
        }
        expect(error?.kind, equals: .connectionLost)
        expect(error?.wasSent, equals: true)
        let third = try await pool.run(Self.process).value
        expect(third != second)
    }

    @Test func `a connection that nobody needs is closed after a time`() async throws {
        let pool = try makePool(4, idleTime: .milliseconds(20))
        let all = (0..<4).map { _ in pool.run { try $0.execute("SELECT pg_sleep(0.05)") } }
        _ = try await Promise.all(all).value
        while try connectionCount() ?? 0 > 0 { try await Task.sleep(for: .milliseconds(5)) }
        expect(try await pool.run(Self.one).value, equals: 1)
    }

    @Test func `connections are closed when the pool is gone`() async throws {
        var pool: PostgreSQLPool? = try makePool()
        expect(try await pool?.run(Self.one).value, equals: 1)
        // What waits keeps it.
        let last = pool?.run(Self.one)
        pool = nil
        expect(try await last?.value, equals: 1)
        while try connectionCount() ?? 0 > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func `closing waits for what was asked for before, and refuses what comes later`()
        async throws
    {
        let pool = try makePool()
        let count = Guarded(0)
        let all = (0..<20).map { _ in
            pool.run { connection in
                try connection.execute("SELECT pg_sleep(0.005)")
                count.withLock { $0 += 1 }
            }
        }
        let closed = pool.close()
        let error = await #expect(throws: PostgreSQLError.self) {
            try await pool.run(Self.one).value
        }
        expect(error?.message, equals: "it was closed")
        try await closed.value
        expect(count.withLock(\.self), equals: 20)
        try await pool.close().value
        while try connectionCount() ?? 0 > 0 { try await Task.sleep(for: .milliseconds(5)) }
        for promise in all { try await promise.value }
    }

    // MARK: Servers that are away

    @Test func `what cannot be connected to says why`() async throws {
        let missing = try PostgreSQLPool("\(server.connection("none"))")
        let none = await #expect(throws: PostgreSQLError.self) {
            try await missing.run(Self.one).value
        }
        expect(none?.kind, equals: .noSuchDatabase)
        let away = try PostgreSQLPool("host=/nowhere")
        let error = await #expect(throws: PostgreSQLError.self) {
            try await away.run(deadline: .milliseconds(100), Self.one).value
        }
        expect(error?.kind, equals: .cannotConnect)
        expect(error?.wasSent, equals: false)
        expect(error?.message.hasPrefix("there was no connection in time: ") ?? false)
        #expect(throws: PostgreSQLError.self) { try PostgreSQLPool("no string") }
        await #expect(throws: (any Error).self) {
            let promise = away.run(Self.one)
            promise.cancel()
            _ = try await promise.value
        }
        try await away.close().value
    }

    @Test func `who waits for a server that comes back is served`() async throws {
        let server = try PostgreSQLServer()
        let pool = try makePool(server: server)
        expect(try await pool.run(Self.one).value, equals: 1)
        try server.stop()
        let waiting = (0..<10).map { _ in pool.run(Self.one) }
        let late = await #expect(throws: PostgreSQLError.self) {
            try await pool.run(deadline: .milliseconds(50), Self.one).value
        }
        expect(late?.wasSent, equals: false)
        try server.start()
        for promise in waiting { expect(try await promise.value, equals: 1) }
    }

    @Test func `a server that stood still is used again as before`() async throws {
        let server = try PostgreSQLServer()
        let pool = try makePool(4, server: server)
        func all(_ deadline: Duration) -> [Promise<Int64?>] {
            (0..<12).map { _ in pool.run(deadline: deadline, Self.one) }
        }
        for promise in all(.seconds(60)) { expect(try await promise.value, equals: 1) }
        server.signal(SIGSTOP)
        let during = all(.milliseconds(100))
        for promise in during {
            let error = await #expect(throws: PostgreSQLError.self) { try await promise.value }
            expect([.timedOut, .cannotConnect].contains(error?.kind), "\(error as Any)")
        }
        let waiting = all(.seconds(60))
        server.signal(SIGCONT)
        for promise in waiting { expect(try await promise.value, equals: 1) }
        // Nothing is left of the connections before.
        while try connectionCount(server) ?? 0 > 4 { try await Task.sleep(for: .milliseconds(5)) }
        try await pool.close().value
    }

    @Test func `a server with too few connections is shared`() async throws {
        let server = try PostgreSQLServer(
            ["max_connections": "6", "superuser_reserved_connections": "0", "max_wal_senders": "0"]
        )
        let pool = try makePool(16, server: server)
        let all = (0..<64).map { _ in
            pool.run { connection in
                try connection.execute("SELECT pg_sleep(0.01)")
                return Self.process(connection)
            }
        }
        let processes = Set(try await Promise.all(all).value)
        expect(processes.count <= 6)
    }
}

private final class Running: Sendable {
    private let state = Guarded((now: 0, most: 0))

    func begin() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func end() { state.withLock { $0.now -= 1 } }
    var most: Int { state.withLock { $0.most } }
}
