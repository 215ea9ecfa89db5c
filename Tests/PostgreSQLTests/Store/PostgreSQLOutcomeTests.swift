import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitStores
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

private final class Mark: Model {
    let id = Field<String>()
    let name = Field<String>()
    let count = Field<Int>(value: 0)

    convenience init(_ id: String, _ name: String) {
        self.init()
        (self.id.value, self.name.value) = (id, name)
    }
}

/// What is written while the connection is cut, and what of it is there.
private struct Cut {
    enum Kind: CaseIterable { case create, batch, update, delete, transaction, copy }

    let kind: Kind
    let number: Int
    let store: PostgreSQLModelStore

    var names: [String] {
        let count =
            switch kind {
            case .batch: 20
            case .copy: 300
            default: 1
            }
        return (0..<count).map { "\(number)-\($0)" }
    }

    /// What is there before, which nobody cuts.
    func prepare() async throws {
        switch kind {
        case .create, .batch, .copy: return
        case .update, .delete, .transaction: try await store.create(Mark(names[0], "old"))
        }
    }

    func run() async throws {
        let names = names
        switch kind {
        case .create: try await store.create(Mark(names[0], "new"))
        case .batch: try await store.create(names.map { Mark($0, "new") })
        case .copy: try await store.importModels(AsyncStream.of(names.map { Mark($0, "new") }))
        case .update:
            let mark = try await store.lookup(Mark.self, identifier: names[0])
            mark.name.value = "new"
            try await store.update(mark)
        case .delete: try await store.delete(Mark.self, identifier: names[0])
        case .transaction:
            let number = number
            try await store.transaction { transaction in
                let mark = try transaction.lookup(Mark.self, identifier: names[0])
                mark.name.value = "new"
                try transaction.update(mark)
                try transaction.create(Mark("\(number)-other", "new"))
            }.value
        }
    }

    /// Whether all of it is there, by the names of the rows; nil where a part is.
    func isApplied(_ rows: [String: String]) -> Bool? {
        switch kind {
        case .create, .batch, .copy:
            let found = names.filter { rows[$0] == "new" }.count
            return found == names.count ? true : found == 0 ? false : nil
        case .update: return rows[names[0]] == "new"
        case .delete: return rows[names[0]] == nil
        case .transaction:
            let all = [rows[names[0]], rows["\(number)-other"]]
            return all == ["new", "new"] ? true : all == ["old", nil] ? false : nil
        }
    }
}

/// Where connections are cut between a store and the server.
private struct Line {
    let proxies: [PostgreSQLProxy]
    /// Keeps it.
    var pooler: PgBouncer?
    var connection: String { proxies[0].connection() }

    init(_ mode: PostgreSQLMode, to server: PostgreSQLServer) throws {
        switch mode {
        case .direct: proxies = [try PostgreSQLProxy(to: server)]
        case .pooled:
            let inner = try PostgreSQLProxy(to: server)
            let pooler = try PgBouncer(to: server, by: inner.folder)
            self.pooler = pooler
            proxies = [try PostgreSQLProxy(to: pooler.folder, in: server), inner]
        case .portable:
            let engine = PostgreSQLEngine(seed: PostgreSQLRoute.seed)
            proxies = [try PostgreSQLProxy(to: server, engine)]
        }
    }
}

@Suite(.enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason))
struct PostgreSQLOutcomeTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let cuts = environment["MODELKIT_CUTS"].flatMap { Int($0) } ?? 60

    /// The names of what is stored, as another connection sees them.
    private func rows(_ space: String, _ connection: PostgreSQLConnection) throws
        -> [String: String]
    {
        let result = try connection.run(
            PostgreSQLStatement("SELECT id, name FROM \"\(space)\".\"Mark\"", isPrepared: false)
        )
        return try Dictionary(
            (0..<result.rowCount).map { row in
                (try result.bytes(row, 0).text, try result.bytes(row, 1).text)
            }
        ) { first, _ in first }
    }

    /// Does something, also where a pooler lets nobody in for a second, as its own connection was cut.
    private func retrying(_ body: () async throws -> Void) async throws {
        for _ in 0..<100 {
            do {
                return try await body()
            } catch StoreError.unavailable(_, .notApplied) {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await body()
    }

    @Test(arguments: PostgreSQLRoute.all)
    func `what a write says of itself is so, wherever its connection is cut`(
        _ route: PostgreSQLRoute
    ) async throws {
        let server = try PostgreSQLServer.shared
        let line = try Line(route.mode, to: server)
        let space = try server.schema()
        let store = try PostgreSQLModelStore(
            line.connection,
            PostgreSQLOptions(connections: 2, mode: route.mode, deadline: .seconds(20)),
            schema: space
        )
        let observer = try server.connect()
        let seed = PostgreSQLRoute.seed
        var said: [(cut: Cut, isApplied: Bool)] = []
        var chance = SplitMix(seed: seed)
        try await store.create(Mark("first", "new"))
        let before = line.proxies[0].count(.toServer)
        try await retrying(Cut(kind: .copy, number: -1, store: store).run)
        let most = line.proxies[0].count(.toServer) - before + 600
        var (applied, failed, settled) = (0, 0, 0)
        for number in 0..<Self.cuts {
            let cut = Cut(kind: chance.pick(Cut.Kind.allCases), number: number, store: store)
            try await retrying(cut.prepare)
            let direction: PostgreSQLProxy.Direction =
                Bool.random(using: &chance) ? .toServer : .toClient
            let proxy = chance.pick(line.proxies)
            // What is copied is sent in many more bytes than all else, and what is open is its beginning and its end.
            let isLong =
                cut.kind == .copy && direction == .toServer && Bool.random(using: &chance)
            let end = isLong ? most : 1_200
            proxy.fail(.cut, direction, after: .random(in: 0..<end, using: &chance))
            let what = "\(route.mode), seed \(seed), cut \(number): \(cut.kind) \(direction)"
            var error: (any Error)?
            do { try await cut.run() } catch let failure { error = failure }
            proxy.heal()
            let isApplied = try cut.isApplied(rows(space, observer))
            if let isApplied { said.append((cut, isApplied)) }
            switch (error as? StoreError)?.outcome {
            case nil where error == nil:
                applied += 1
                expect(isApplied, equals: true, "\(what) has succeeded")
            case .notApplied?:
                failed += 1
                expect(isApplied, equals: false, "\(what): \(error.map { "\($0)" } ?? "")")
            case .applied?:
                settled += 1
                expect(isApplied, equals: true, "\(what): \(error.map { "\($0)" } ?? "")")
            default: Issue.record("\(what): \(error.map { "\($0)" } ?? "")")
            }
        }
        print(
            "\(route.mode), seed \(seed): \(applied) applied, \(failed) not, \(settled) by what they say"
        )
        expect(applied + failed + settled == Self.cuts)
        // Nothing has come late.
        let end = try rows(space, observer)
        for (cut, isApplied) in said {
            expect(cut.isApplied(end), equals: isApplied, "\(route.mode), cut \(cut.number)")
        }
        // It is as whole as before.
        try await retrying { try await store.create(Mark("last", "new")) }
        let promise: Promise<Void> = store.close()
        try await promise.value
    }
}
