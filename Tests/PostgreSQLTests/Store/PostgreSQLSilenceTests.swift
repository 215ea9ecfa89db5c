import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Page: Model {
    let id = Field<String>()
    let text = Field<String>()
    let count = Field<Int>(value: 1)

    convenience init(_ id: String, _ text: String = "") {
        self.init()
        (self.id.value, self.text.value) = (id, text)
    }
}

/// A call of a store, and what its end shows of it.
private struct Call: Sendable {
    enum Kind: CaseIterable { case create, batch, update, delete, transaction, list, lookup, sum }

    let kind: Kind
    let number: Int

    /// What it changes, which is there before.
    var old: String { "\(number)-old" }
    var new: String { "\(number)-new" }

    func run(_ store: PostgreSQLModelStore) async throws {
        switch kind {
        case .create: try await store.create(Page(new))
        case .batch: try await store.create((0..<20).map { Page("\(new)\($0)") } + [Page(new)])
        case .update: try await store.save(Page(old, "changed"), onConflict: .replace)
        case .delete: try await store.delete(Page.self, identifier: old)
        case .transaction:
            let (old, new) = (old, new)
            try await store.transaction { transaction in
                try transaction.create(Page(new))
                try transaction.delete(Page.self, identifier: old)
            }.value
        case .list: _ = try await store.list(Page.self)
        case .lookup: _ = try await store.records.record(.string(old), of: Page.schema).value
        case .sum: _ = try await store.sum(Page.self, of: \.count)
        }
    }

    /// Whether it was done, by the texts of the rows; nil of a read.
    func isApplied(_ rows: [String: String]) -> Bool? {
        switch kind {
        case .create: rows[new] != nil
        case .batch:
            rows.keys.filter { $0.hasPrefix(new) }.count == 21
                ? true : rows[new] == nil ? false : nil
        case .update: rows[old] == "changed"
        case .delete: rows[old] == nil
        case .transaction: rows[old] == nil && rows[new] != nil
        case .list, .lookup, .sum: nil
        }
    }
}

/// A server or a pooler that stands still, and a network that swallows what is sent, at the store.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLSilenceTests {
    private enum Silence: CaseIterable {
        case server, pooler, requests, answers

        static var possible: [Silence] {
            allCases.filter { $0 != .pooler || PgBouncer.isInstalled }
        }
    }

    private static let deadline = Duration.seconds(1)
    private static let isAlone =
        ProcessInfo.processInfo.environment["MODELKIT_TEST_ALONE"] != nil

    /// For how long a call took, and how it ended.
    private struct End: Sendable {
        let call: Call
        let time: Duration
        let error: StoreError?
    }

    private func ends(
        _ calls: [Call],
        _ store: PostgreSQLModelStore
    ) async -> [End] {
        await withTaskGroup { group in
            for call in calls {
                group.addTask {
                    let start = ContinuousClock.now
                    do {
                        try await call.run(store)
                        return End(call: call, time: .now - start, error: nil)
                    } catch {
                        return End(call: call, time: .now - start, error: error as? StoreError)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: Silence.possible)
    private func `each call ends at its deadline, and the pool is whole soon after`(
        silence: Silence
    ) async throws {
        let server = try PostgreSQLServer()
        let proxy = try PostgreSQLProxy(to: server)
        let name = "application_name=silence"
        let pooler = silence == .pooler ? try PgBouncer(to: server, connections: 8) : nil
        let connection =
            switch silence {
            case .server: server.connection()
            case .pooler: pooler?.connection() ?? ""
            case .requests, .answers: proxy.connection()
            }
        func makeStore(_ deadline: Duration) throws -> PostgreSQLModelStore {
            try PostgreSQLModelStore(
                "\(connection) \(name)",
                PostgreSQLOptions(
                    connections: 8,
                    mode: silence == .pooler ? .pooled : .direct,
                    connectTimeout: .seconds(1),
                    deadline: deadline
                )
            )
        }
        let kinds = Call.Kind.allCases
        let calls = (0..<kinds.count * 2).map { Call(kind: kinds[$0 % kinds.count], number: $0) }
        let warm = kinds.indices.map { Call(kind: kinds[$0], number: 1_000 + $0) }
        let observer = try server.connect()
        // The time of a warm one is that of the machine.
        let patient = try makeStore(.seconds(300))
        try await patient.create((calls + warm).map { Page($0.old, "old") })
        try await patient.close()
        let store = try makeStore(Self.deadline)
        var isWarm = false
        while !isWarm {
            let missing = await ends(warm.map { Call(kind: .list, number: $0.number) }, store)
            isWarm = missing.allSatisfy { $0.error == nil }
        }
        let threads = threadCount()

        switch silence {
        case .server: server.signal(SIGSTOP)
        case .pooler: pooler?.signal(SIGSTOP)
        case .requests: proxy.fail(.swallow, .toServer, after: 0)
        case .answers: proxy.fail(.swallow, .toClient, after: 0)
        }
        var found = await ends(calls, store)
        found += await ends(
            Array(calls.prefix(2)).map { Call(kind: .list, number: $0.number) },
            store
        )
        let longest = found.map(\.time).max() ?? .zero
        var codes: [String: Int] = [:]
        for end in found {
            let error = try #require(end.error, "\(end.call)")
            codes["\(error.code) \(error.outcome)", default: 0] += 1
            expect(["timedOut", "unavailable"].contains(error.code), "\(end.call): \(error)")
            expect(end.time >= Self.deadline * 0.9, "\(end.call): \(end.time), \(error)")
            // A second to cancel it, and two to find out its outcome; and whatever the machine takes.
            let most = Duration.seconds(Self.isAlone ? 5 : 30)
            expect(end.time < most, "\(end.call): \(end.time), \(error)")
        }
        expect(codes["timedOut unknown", default: 0] > 0, "\(codes)")

        let start = ContinuousClock.now
        switch silence {
        case .server: server.signal(SIGCONT)
        case .pooler: pooler?.signal(SIGCONT)
        case .requests, .answers:
            proxy.heal()
            // What was swallowed is lost for those who wait for it.
            proxy.cutAll()
        }
        let patience = try makeStore(.seconds(300))
        let reads = (0..<8).map { Call(kind: .list, number: $0) }
        var whole: Duration?
        while whole == nil {
            let again = await ends(reads, store)
            if again.allSatisfy({ $0.error == nil }) { whole = .now - start }
            expect(start.duration(to: .now) < .seconds(120), "it is not whole again")
            if start.duration(to: .now) > .seconds(120) { break }
        }
        if Self.isAlone { expect(whole ?? .seconds(120) < .seconds(2), "\(silence)") }
        print("\(silence): longest \(longest), whole after \(whole ?? .zero), \(codes)")

        // The truth is known when nobody writes any more.
        server.wait(until: "NOT EXISTS (\(Self.busy)) AND pid = pg_backend_pid()")
        let pages = try await patience.list(Page.self)
        let rows = Dictionary(
            uniqueKeysWithValues: pages.map { ($0.id.value ?? "", $0.text.value ?? "") }
        )
        for end in found {
            guard let isApplied = end.call.isApplied(rows) else { continue }
            switch end.error?.outcome {
            case .notApplied?: expect(!isApplied, "\(end.call): \(end.error as Any)")
            case .applied?: expect(isApplied, "\(end.call): \(end.error as Any)")
            default: break
            }
        }
        for end in await ends(warm, patience) { expect(end.error, equals: nil, "\(end.call)") }
        try await patience.close()
        try await store.close()
        // It keeps connections.
        pooler?.signal(SIGKILL)
        let left = PostgreSQLStatement(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'silence'"
        )
        while try observer.run(left).number() ?? 0 > 0 { usleep(10_000) }
        try await checkThreads(threads, silence)
    }

    @Test func `a write waits no longer for a transaction before it than its deadline`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let store = try PostgreSQLModelStore(
            server.connection(),
            PostgreSQLOptions(deadline: .seconds(5)),
            schema: try server.schema()
        )
        _ = try await store.list(Page.self)
        let gate = DispatchSemaphore(value: 0)
        let transaction: Promise<Void> = store.transaction { _ in gate.wait() }
        let create: Promise<Page> = store.create(Page("late"))
        let error = await #expect(throws: StoreError.self) { try await create.value }
        expect(error, equals: .timedOut(.notApplied))
        gate.signal()
        _ = try? await transaction.value
        expect(try await store.list(Page.self).count, equals: 0)
        try await store.close()
    }

    @Test
    func `a lookup that is cancelled in vain gives its connection up long before its deadline`()
        async throws
    {
        let server = try PostgreSQLServer.shared
        let proxy = try PostgreSQLProxy(to: server)
        let store = try PostgreSQLModelStore(
            proxy.connection(),
            PostgreSQLOptions(connections: 1, deadline: .seconds(600)),
            schema: try server.schema()
        )
        try await store.create(Page("a"))
        let sent = proxy.count(.toServer)
        proxy.fail(.swallow, .toClient, after: 0)
        let lookup: Promise<Page> = store.lookup(Page.self, identifier: "a")
        while proxy.count(.toServer) == sent { try await Task.sleep(for: .milliseconds(1)) }
        lookup.cancel()
        await #expect(throws: StoreError.cancelled(.notApplied)) { try await lookup.value }
        proxy.heal()
        let next: Promise<Page> = store.lookup(Page.self, identifier: "a")
        for _ in 0..<600 where !next.isSettled { try await Task.sleep(for: .milliseconds(50)) }
        expect(next.isSettled)
        proxy.cutAll()
        try await expect(next.value.id.value, equals: "a")
        try await store.close()
    }

    private static let busy = """
        SELECT FROM pg_stat_activity AS a WHERE a.application_name = 'silence' AND a.state <> 'idle'
        """

    // MARK: Threads

    private func threadCount() -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }

    /// Where nothing else runs in the process, no thread is left; idle ones end after a time.
    private func checkThreads(_ before: Int?, _ silence: Silence) async throws {
        guard Self.isAlone, let before else { return }
        var after = before
        for _ in 0..<600 {
            after = threadCount() ?? 0
            if after <= before { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        print("\(silence): \(before) threads before, \(after) after")
        expect(after <= before)
    }
}
