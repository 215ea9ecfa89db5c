import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct SQLiteRelationScriptTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `relations of a file are those of plain values, with two stores in one process`(
        _ seed: UInt64
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let stage = RelationScript.Stage {
            let store = try SQLiteModelStore(path: path)
            return [store, RelationScript.second(store)]
        } close: { stores in
            _ = try await (stores[0] as? SQLiteModelStore)?.close().value
        }
        let script = RelationScript(seed: seed, on: stage)
        try await script.run(steps: RelationScript.steps)
        expect(script.missing, equals: [], "seed \(seed)")
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `relations of a file that two stores have open are those of plain values`(
        _ seed: UInt64
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        let stage = RelationScript.Stage(isNotified: false) {
            try (0..<2).map { _ in try SQLiteModelStore(path: path, sharing: .severalProcesses) }
        } close: { stores in
            for case let store as SQLiteModelStore in stores { _ = try await store.close().value }
        }
        let script = RelationScript(seed: seed, on: stage)
        try await script.run(steps: RelationScript.steps)
        expect(script.missing, equals: [], "seed \(seed)")
    }
}
