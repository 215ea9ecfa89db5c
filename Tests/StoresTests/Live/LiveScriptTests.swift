import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct LiveScriptTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `live lists of the memory store are those that are found anew`(_ seed: UInt64) async throws {
        var script = LiveScript(MemoryModelStore(), seed: seed)
        try await script.run()
    }

    @Test func `live lists of an archive are those that are found anew`() async throws {
        let directory = try Directory()
        var script = LiveScript(try ArchiveModelStore(directory: directory.path), seed: 4)
        try await script.run()
    }
}
