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

    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func `edits have only what is shown before or after them, each once`(
        _ seed: UInt64
    ) async throws {
        let counter = RefetchCounter()
        let store = MemoryModelStore(events: counter.events)
        var random = SplitMix(seed: seed)
        var entries = (0..<300).map { Entry($0, Int.random(in: 0..<50, using: &random)) }
        _ = try await store.create(entries).value
        let lists = [2, 30, 100].map {
            store.observe(Entry.self, where: \.rank < 40, orderBy: .ascending(\.rank), limit: $0)
        }
        let windows = [0..<2, 20..<60, 100..<170, 0..<Int.max].map {
            store.observe(Entry.self, where: \.rank < 40, orderBy: .ascending(\.rank), window: $0)
        }
        var shown = [0..<2, 0..<30, 0..<100] + windows.map(\.places)
        let results =
            lists.map { $0.makeAsyncIterator() } + windows.map { $0.makeAsyncIterator() }
        var mirrors = shown.map { _ in [Entry]() }
        for step in 0..<80 {
            let all = try store.listImmediately(
                Entry.self,
                where: \.rank < 40,
                orderBy: .ascending(\.rank)
            )
            for index in shown.indices {
                let expected = Array(all[shown[index].clamped(to: all.indices)])
                let old = mirrors[index]
                if old == expected { continue }
                let pages = counter.pages
                let result = try #require(try await results[index].next())
                for edit in result.edits { try edit.apply(to: &mirrors[index]) }
                let comment = "seed \(seed), step \(step), \(shown[index])"
                expect(mirrors[index].map(\.id.value), equals: expected.map(\.id.value), comment)
                // Of what was asked for, one that has moved is removed and inserted.
                let most = counter.pages > pages ? 2 : 1
                let problem = ArrayEdit.problem(
                    in: result.edits,
                    from: old,
                    to: expected,
                    most: most
                )
                expect(problem, equals: nil, comment)
            }
            if Bool.random(using: &random) {
                let start = Int.random(in: 10..<30, using: &random)
                windows[1].show(start..<(start + Int.random(in: 20..<50, using: &random)))
                shown[lists.count + 1] = windows[1].places
            }
            let count = Int.random(in: 0..<3, using: &random) == 0 ? 60 : 4
            entries.shuffle(using: &random)
            let gone = (0..<Int.random(in: 0...count, using: &random)).compactMap { _ in
                entries.popLast()
            }
            let edited = entries.prefix(Int.random(in: 0...count, using: &random))
            for entry in edited { entry.rank.value = Int.random(in: 0..<50, using: &random) }
            let new = (0..<Int.random(in: 0...count, using: &random)).map {
                Entry(1_000 * (step + 1) + $0, Int.random(in: 0..<50, using: &random))
            }
            entries += new
            let writes: [ModelWrite] =
                gone.map { .delete($0) } + edited.map { .update($0) } + new.map { .create($0) }
            try await store.perform(writes.shuffled(using: &random)).value
        }
        expect(counter.count, equals: 0, "seed \(seed)")
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
