import ModelKitFields
import ModelKitModels
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
        expect(refetches.count <= script.deletedFolders * 2, "\(refetches.count), seed \(seed)")
    }

    @Test func `live lists of several classes are those that are found anew`() async throws {
        let refetches = RefetchCounter()
        let store = MemoryModelStore(events: refetches.events)
        var script = LiveScript(store, of: [LiveItem.self, LiveNote.self], seed: 4)
        try await script.run()
        expect(refetches.count <= script.deletedFolders * 2, "\(refetches.count)")
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
        expect(refetches.count <= script.deletedFolders * 2, "\(refetches.count)")
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `windows of the memory store are parts of the list that is found anew`(
        _ seed: UInt64
    ) async throws {
        let counter = RefetchCounter()
        let store = MemoryModelStore(events: counter.events)
        var script = LiveScript(
            store,
            of: [LiveNote.self],
            queries: LiveScript.windows,
            values: .exact,
            seed: seed
        )
        try await script.run()
        script.expectFewPages(counter)
    }

    @Test func `windows of several classes are parts of the list that is found anew`() async throws
    {
        let counter = RefetchCounter()
        let store = MemoryModelStore(events: counter.events)
        var script = LiveScript(
            store,
            of: [LiveItem.self, LiveNote.self],
            queries: LiveScript.windows,
            values: .exact,
            seed: 14
        )
        try await script.run()
        script.expectFewPages(counter)
    }

    @Test func `windows of an archive are parts of the list that is found anew`() async throws {
        let directory = try Directory()
        let counter = RefetchCounter()
        let store = try ArchiveModelStore(directory: directory.path, events: counter.events)
        var script = LiveScript(
            store,
            of: [LiveItem.self, LiveNote.self],
            queries: LiveScript.windows,
            values: .exact,
            seed: 15
        )
        try await script.run()
        script.expectFewPages(counter)
    }

    @Test func `windows of what is related are parts of the list that is found anew`() async throws
    {
        var script = LiveScript(
            MemoryModelStore(),
            of: [LiveItem.self, LiveNote.self],
            queries: LiveScript.relatedWindows,
            values: .others,
            seed: 16
        )
        try await script.run()
    }

    private final class Entry: Model {
        let id = Field<Int>()
        let rank = Field<Int>()

        convenience init(_ id: Int, _ rank: Int) {
            self.init()
            (self.id.value, self.rank.value) = (id, rank)
        }
    }

    @Test func `a long live list stays in order while it grows and shrinks`() async throws {
        let store = MemoryModelStore()
        var random = SplitMix(seed: 8)
        var entries = (0..<6_000).map { Entry($0, Int.random(in: 0..<2_000, using: &random)) }
        _ = try await store.create(entries).value
        let results = store.observe(Entry.self, orderBy: .ascending(\.rank)).makeAsyncIterator()
        var mirror: [Entry] = []
        for round in 0..<12 {
            if let result = try await results.next() {
                for edit in result.edits { try edit.apply(to: &mirror) }
                expect(mirror == Array(result.models), "round \(round)")
            }
            try expect(
                mirror == store.listImmediately(Entry.self, orderBy: .ascending(\.rank)),
                "round \(round)"
            )
            var writes: [ModelWrite] = []
            // First it shrinks, from one end and then anywhere, and then it grows.
            let gone =
                round < 3
                ? Array(mirror.prefix(900))
                : Array(entries.shuffled(using: &random).prefix(round < 6 ? 900 : 0))
            writes += gone.map { .delete($0) }
            let left = Set(gone.map { ObjectIdentifier($0) })
            entries.removeAll { left.contains(ObjectIdentifier($0)) }
            for entry in entries.shuffled(using: &random).prefix(100) {
                entry.rank.value = Int.random(in: 0..<2_000, using: &random)
                writes.append(.update(entry))
            }
            let new = (0..<(round < 6 ? 50 : 900)).map {
                Entry(10_000 * (round + 1) + $0, Int.random(in: 0..<2_000, using: &random))
            }
            entries += new
            writes += new.map { .create($0) }
            try await store.perform(writes).value
        }
    }
}
