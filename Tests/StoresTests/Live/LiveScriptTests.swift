import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

@Suite struct LiveScriptTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `live lists of the memory store are those that are found anew`(
        _ seed: UInt64
    ) async throws {
        let refetches = RefetchCounter()
        let store = MemoryModelStore(events: refetches.events)
        var script = LiveScript(store, of: [LiveNote.self], seed: seed)
        try await script.run()
        expect(refetches.count, equals: 0, "seed \(seed)")
    }

    @Test func `live lists of several classes are those that are found anew`() async throws {
        let refetches = RefetchCounter()
        let store = MemoryModelStore(events: refetches.events)
        var script = LiveScript(store, of: [LiveItem.self, LiveNote.self], seed: 4)
        try await script.run()
        expect(refetches.count, equals: 0)
    }

    @Test func `live lists of an archive are those that are found anew`() async throws {
        let directory = try Directory()
        let refetches = RefetchCounter()
        let store = try ArchiveModelStore(
            directory: directory.path,
            events: refetches.events
        )
        var script = LiveScript(store, of: [LiveItem.self, LiveNote.self], seed: 5)
        try await script.run()
        expect(refetches.count, equals: 0)
    }
}
