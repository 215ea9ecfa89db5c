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

    convenience init(_ id: String) {
        self.init()
        (self.id.value, amount.value) = (id, 1)
    }
}

private final class Counter: Model {
    let id = Field<Int>()
    let count = Field<Int>()

    convenience init(_ id: Int) {
        self.init()
        (self.id.value, count.value) = (id, 0)
    }
}

/// When records were named, by a clock that all processes have.
private final class Sightings: Sendable {
    private let times = Guarded<[String: [UInt64]]>([:])

    var all: [String: [UInt64]] { times.withLock { $0 } }

    func observe(_ store: PostgreSQLModelStore) -> RecordObservation? {
        store.records.observeChanges { changes in
            let now = DispatchTime.now().uptimeNanoseconds
            self.times.withLock { times in
                for change in changes.changes {
                    times[change.identifier.map { "\($0)" } ?? "any", default: []].append(now)
                }
            }
        }
    }

    /// Waits for two minutes at most.
    func wait(for names: [String]) async throws {
        for _ in 0..<12_000 {
            let all = all
            if names.allSatisfy({ all[$0] != nil }) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        let all = all
        Issue.record("\(names.filter { all[$0] == nil }.prefix(10)) were not seen")
    }
}

/// Several processes with stores of one database.
@Suite(
    .enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason),
    .timeLimit(.minutes(10))
)
struct PostgreSQLProcessTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// For how long something stays open, and how much is done beside it.
    private static let seconds = environment["MODELKIT_SECONDS"].flatMap { Int($0) } ?? 1
    /// At how many places a process is killed.
    private static let kills = environment["MODELKIT_KILLS"].flatMap { Int($0) } ?? 5
    /// Where nothing else runs on the machine, times are looked at as well.
    private static let isAlone = environment["MODELKIT_TEST_ALONE"] != nil

    /// Those in which others are followed.
    private static let followed = PostgreSQLRoute.all.filter { $0.mode != .portable }

    private let server: PostgreSQLServer
    private let space: String

    init() throws {
        server = try .shared
        space = try server.schema()
    }

    private static var load: String {
        var load = 0.0
        getloadavg(&load, 1)
        return "load \(load)"
    }

    private static func milliseconds(_ from: Substring, _ to: UInt64) -> Double {
        (Double(to) - (Double(from) ?? 0)) / 1e6
    }

    @Test(arguments: followed)
    func `commits of another process are seen soon and once, whoever holds theirs back`(
        _ route: PostgreSQLRoute
    ) async throws {
        let store = try route.store(space)
        try await store.create(Entry("first"))
        let seen = Sightings()
        let observation = seen.observe(store)
        _ = try await store.list(Entry.self)
        let strangers = try Strangers(server, space)
        let other = try OtherProcess("entries", route, route.connection(), space, ["other", "20"])
        // Others that do not notify, as a program which is not the store's.
        var shells: [String] = []
        for number in 0..<Self.seconds {
            try await Task.sleep(for: .seconds(1))
            shells.append("shell-\(number)")
            _ = try server.shell(PostgreSQLLog(in: space).row("shell-\(number)"))
        }
        try await other.say(20)
        try await expect(other.end(), equals: 0)
        let said = other.lines
        let names = said.map { String($0[0]) }
        try await seen.wait(for: names + shells)
        expect(seen.all["held"] == nil && seen.all["prepared"] == nil)
        try strangers.end("COMMIT")
        try await seen.wait(for: ["held"])
        expect(seen.all["prepared"] == nil)
        try strangers.endPrepared("COMMIT")
        try await seen.wait(for: ["prepared"])
        try await store.create(Entry("last"))
        try await seen.wait(for: ["last"])
        let all = seen.all
        expect(Set(all.keys), equals: Set(names + shells + ["held", "prepared", "last"]))
        for (name, times) in all { expect(times.count, equals: 1, name) }
        let delays = said.compactMap { words in
            all[String(words[0])].map { Self.milliseconds(words[1], $0[0]) }
        }.sorted()
        let (half, most) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
        print(
            "\(route.mode), \(Self.seconds) s: \(delays.count) commits, p50 \(half) ms, p99 \(most) ms, \(Self.load)"
        )
        if Self.isAlone { expect(most <= (route.mode == .pooled ? 150 : 100)) }
        // The other program is there as a whole, by another one again.
        let count = "SELECT count(*) FROM \"\(space)\".\"Entry\" WHERE id LIKE 'other%'"
        try expect(server.shell(count), equals: ["\(names.count)"])
        try await store.close()
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: followed)
    func `what a process has committed that was killed before it could notify is seen`(
        _ route: PostgreSQLRoute
    ) async throws {
        let store = try route.store(space)
        try await store.create(Entry("first"))
        let seen = Sightings()
        let observation = seen.observe(store)
        _ = try await store.list(Entry.self)
        let listener = try server.connect()
        try listener.execute("LISTEN \"\(PostgreSQLLog(in: space).channel)\"")
        var delays: [Double] = []
        for number in 0..<5 {
            let writer = try OtherProcess(
                "entries-killed",
                route,
                route.connection(),
                space,
                ["killed-\(number)"]
            )
            try await expect(writer.end(), equals: SIGKILL)
            let words = try #require(writer.lines.last)
            let name = String(words[0])
            try await seen.wait(for: [name])
            let times = seen.all[name] ?? []
            expect(times.count, equals: 1, name)
            let notifications = try listener.notifications(waiting: .milliseconds(100))
            // On a busy machine it may have come to notify of the last one.
            let own = notifications.filter { $0.payload != store.postgreSQL.tokens.name }.count
            if own <= 2 { delays.append(Self.milliseconds(words[1], times.first ?? 0)) }
        }
        let most = delays.max() ?? 0
        print(
            "\(route.mode): of \(delays.count) killed processes seen after \(most) ms at most, \(Self.load)"
        )
        if Self.isAlone { expect(!delays.isEmpty && most <= 600) }
        try await store.close()
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `what a process has migrated by half that was killed the next one ends`(
        _ route: PostgreSQLRoute
    ) async throws {
        let places = Self.kills
        func run(_ command: String, _ space: String) async throws -> Int32 {
            try await OtherProcess(command, route, route.connection(), space).end()
        }
        func migrator(_ space: String) async throws -> OtherProcess {
            try await expect(run("served-books", space), equals: 0)
            let migrator = try OtherProcess("served-migrate", route, route.connection(), space)
            try await migrator.say(1)
            return migrator
        }
        let clock = ContinuousClock()
        let whole = try await migrator(space)
        let start = clock.now
        try await expect(whole.end(), equals: 0)
        var time = clock.now - start
        var (killed, ran) = (0, [0, 0, 0])
        // One that has ended before is tried anew, sooner.
        for _ in 0..<10 * places where killed < places {
            let (place, space) = (killed, try server.schema())
            let other = try await migrator(space)
            try await Task.sleep(for: time * (2 * place + 1) / (2 * places))
            other.stop()
            if try await other.end() == SIGKILL { killed += 1 } else { time = time * 4 / 5 }
            let ledger = "\"\(space)\".\"_modelkit_migrations\""
            let isThere = try server.shell("SELECT to_regclass('\(ledger)') IS NOT NULL") == ["t"]
            let count = isThere ? try server.shell("SELECT count(*) FROM \(ledger)") : ["0"]
            ran[count.first.flatMap { Int($0) } ?? 0] += 1
            var indexes: [String] = []
            // The server may be making one for the process that is gone, for which nobody waits who closes a store.
            for _ in 0..<100 where indexes != ["t|5"] {
                try await expect(run("served-check", space), equals: 0, "killed at place \(place)")
                indexes = try server.shell(
                    """
                    SELECT indisvalid, count(*) FROM pg_index \
                    WHERE indrelid = '"\(space)"."Book"'::regclass GROUP BY 1
                    """
                )
            }
            expect(indexes, equals: ["t|5"], "killed at place \(place)")
            try expect(server.shell("SELECT count(*) FROM \(ledger)"), equals: ["2"])
        }
        print(
            "\(route.mode): \(places) migrators were killed; \(ran) had made 0, 1 and 2 migrations"
        )
        expect(killed, equals: places)
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `counters that several processes count up in transactions end right`(
        _ route: PostgreSQLRoute
    ) async throws {
        let store = try route.store(space)
        try await store.create((0..<64).map { Counter($0) })
        let rounds = 10 + 10 * Self.seconds
        let processes = try (0..<8).map { _ in
            try OtherProcess("counters", route, route.connection(), space, ["\(rounds)"])
        }
        for process in processes {
            try await expect(process.end(), equals: 0)
            expect(process.lines, equals: [["\(2 * rounds)"]])
        }
        let sum = "SELECT count(*), sum(count) FROM \"\(space)\".\"Counter\""
        try expect(server.shell(sum), equals: ["64|\(8 * 2 * rounds)"])
        try await expect(store.sum(Counter.self, of: \.count), equals: 8 * 2 * rounds)
        print("\(route.mode): 64 counters, \(8 * 2 * rounds) increments by 8 processes")
        try await store.close()
    }

    @Test func `a server that ends at once has lost nothing of what processes have written`()
        async throws
    {
        let server = try PostgreSQLServer(["fsync": "on"])
        let route = PostgreSQLRoute(mode: .direct)
        let writers = try (0..<4).map { number in
            try OtherProcess("entries", route, server.connection(), "public", ["w\(number)", "0"])
        }
        @Sendable func write() async throws {
            for writer in writers { try await writer.say(writer.lines.count + 20 * Self.seconds) }
        }
        for _ in 0..<2 {
            try await write()
            try server.stop()
            try server.start()
        }
        try await write()
        for writer in writers { try await expect(writer.end(), equals: 0) }
        let said = writers.flatMap(\.lines)
        let applied = said.filter { UInt64($0[1]) != nil }
        for words in said where UInt64(words[1]) == nil {
            expect(words[1], equals: "notApplied", "\(words[0])")
        }
        let found = try server.shell("SELECT id FROM \"Entry\"")
        expect(found.sorted(), equals: applied.map { String($0[0]) }.sorted())
        // Nor is anything logged twice.
        let logged = try server.shell(
            "SELECT unnest(keys) FROM \"\(PostgreSQLLog.tableName)\" WHERE kind > 0"
        )
        expect(logged.sorted(), equals: found.sorted())
        print(
            "\(said.count) said by 4 processes, \(applied.count) as written, \(found.count) are there"
        )
    }
}
