import ModelKitPostgreSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite(
    .enabled(if: PostgreSQLServer.isInstalled, PostgreSQLServer.reason),
    .timeLimit(.minutes(20))
)
struct PostgreSQLLiveScriptTests {
    private let refetches = RefetchCounter()

    private func stores(_ route: PostgreSQLRoute) throws -> [PostgreSQLModelStore] {
        let space = try PostgreSQLServer.shared.schema()
        return try [nil, refetches.events].map {
            try route.store(space, connections: 3, events: $0)
        }
    }

    @Test(arguments: PostgreSQLRoute.all, [false, true])
    func `live lists follow what the store itself and another one write`(
        _ route: PostgreSQLRoute,
        _ isOther: Bool
    ) async throws {
        // Of others nothing is seen there.
        if isOther, route.mode == .portable { return }
        let stores = try stores(route)
        let seed = PostgreSQLRoute.seed
        var script = LiveScript(
            stores[isOther ? 0 : 1],
            observedBy: stores[1],
            of: [LiveItem.self, LiveNote.self],
            seed: seed
        )
        try await script.run()
        // Once when a type is written for the first time; and of a deletion it is not known what had led to it.
        let most = script.queryCount + script.deletedFolders * 2
        if route.mode != .portable {
            expect(refetches.count <= most, "\(refetches.count) of \(most), seed \(seed)")
        }
    }

    @Test(arguments: [false, true])
    func `windows and totals ask again`(_ isOther: Bool) async throws {
        let stores = try stores(PostgreSQLRoute(mode: .direct))
        var script = LiveScript(
            stores[isOther ? 0 : 1],
            observedBy: stores[1],
            of: [LiveNote.self],
            queries: LiveScript.windows,
            values: .exact,
            seed: PostgreSQLRoute.seed
        )
        try await script.run()
    }
}
