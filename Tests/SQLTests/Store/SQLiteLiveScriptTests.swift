import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct SQLiteLiveScriptTests {
    @Test(arguments: [5, 6] as [UInt64])
    func `live lists of a file are those that are found anew`(_ seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteModelStore(path: directory.file())
        var script = LiveScript(store, seed: seed)
        try await script.run()
    }
}
