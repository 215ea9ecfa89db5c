import ModelKitREST
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct RemoteRelationScriptTests {
    private func run(_ seed: UInt64, _ store: some RecordModelStore) async throws {
        var stage = RelationScript.Stage(isNotified: false, reportsEffects: false) {
            try (0..<2).map { _ in try ServedAPI(store, RelationScript.types) }
        }
        stage.hasTransactions = false
        let script = RelationScript(seed: seed, on: stage)
        try await script.run(steps: RelationScript.steps)
        expect(script.missing, equals: [], "seed \(seed)")
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `relations of clients of a memory store are those of plain values`(
        _ seed: UInt64
    ) async throws {
        try await run(seed, MemoryModelStore())
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `relations of clients of a SQLite store are those of plain values`(
        _ seed: UInt64
    ) async throws {
        try await run(seed, SQLiteModelStore(path: ":memory:"))
    }
}
