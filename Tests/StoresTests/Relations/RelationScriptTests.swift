import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct RelationScriptTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `relations of sessions over memory are those of plain values`(_ seed: UInt64) async throws
    {
        let script = RelationScript(seed: seed, on: .sessions(over: MemoryRecordStore()))
        try await script.run(steps: RelationScript.steps)
        expect(script.missing, equals: [], "seed \(seed)")
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `relations of an archive are those of plain values`(_ seed: UInt64) async throws {
        let directory = try Directory()
        let path = directory.path
        let stage = RelationScript.Stage {
            let store = try ArchiveModelStore(directory: path)
            return [store, RelationScript.second(store)]
        } close: { stores in
            _ = try await (stores[0] as? ArchiveModelStore)?.close().value
        }
        let script = RelationScript(seed: seed, on: stage)
        try await script.run(steps: RelationScript.steps)
        expect(script.missing, equals: [], "seed \(seed)")
    }
}
