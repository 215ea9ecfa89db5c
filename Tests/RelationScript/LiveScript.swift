import Foundation
import ModelKitFields
package import ModelKitModels
package import ModelKitStores
import Synchronization
import TestSupport

/// What a live list is made of in the script.
// Safe: its properties are constants of types that guard themselves.
package class LiveEntry: ModelObject, @unchecked Sendable {
    let id = Field<String>()
    let name = Field<String>()
    let rank = Field<Int>().indexed()
    let weight = Field<Double>()
    let isOpen = Field<Bool>()
    let price = Field<Decimal>()
    let folder = ModelField<LiveFolder>(foreignKey: true)
    let parts = Field<String>()*
}

// Safe: as the one above.
package class LiveItem: LiveEntry, @unchecked Sendable {
    override package class var subclasses: [ModelObject.Type] { [LiveNote.self] }
}

// Safe: as the one above.
package final class LiveNote: LiveItem, @unchecked Sendable {
    let text = Field<String>()
}

final class LiveFolder: Model {
    let id = Field<String>()
    let isShared = Field<Bool>()
}

/// A random script of commits under live queries: after each of them every query's answer has to be the one that is
/// found anew, and its edits have to lead there.
package struct LiveScript<Item: LiveEntry> {
    /// How many steps a test makes.
    package static var steps: Int { RelationScript.steps / 4 }

    private let store: any RecordModelStore
    /// The one whose queries are followed.
    private let observer: any RecordModelStore
    /// One that writes the same records, too.
    private let other: any RecordModelStore
    /// The classes of new models.
    private let types: [Item.Type]
    private let seed: UInt64
    private var random: SplitMix
    private var items: [Item] = []
    private var folders: [LiveFolder] = []
    private var lastNumber = 0
    private let queries: [Query]
    package var queryCount: Int { queries.count }
    private let values: LiveValues
    /// How often a list whose condition looks at folders may be asked for again: a deletion does not report which
    /// items led to it.
    package private(set) var deletedFolders = 0
    /// How many records the step has written, each of which may move a window by one row.
    private var written = 0
    /// How often each window may have needed rows that it does not hold, which are 16 on each side after each time.
    private var shifts = 0.0
    /// How often a window was moved.
    private var jumps = 0

    package init(
        _ store: any RecordModelStore,
        observedBy observer: (any RecordModelStore)? = nil,
        of types: [Item.Type],
        queries: [Query] = LiveScript.lists,
        values: LiveValues = .none,
        seed: UInt64
    ) {
        self.values = values
        (self.store, self.observer) = (store, observer ?? store)
        (other, self.types) = (OtherSession(store.records), types)
        (self.seed, random, self.queries) = (seed, SplitMix(seed: seed), queries)
    }

    package typealias Query = (name: String, query: LiveQueryOf)

    /// Windows whose conditions are on own fields.
    package static var windows: [Query] {
        [
            ("first 10 of all", { $0.observe(Item.self, window: 0..<10).live }),
            (
                "40 to 60",
                { $0.observe(Item.self, orderBy: .ascending(\.id), window: 40..<60).live }
            ),
            (
                "the end by name",
                { $0.observe(Item.self, orderBy: .descending(\.name), window: 130..<170).live }
            ),
            ("beyond", { $0.observe(Item.self, window: 500..<510).live }),
            ("everything", { $0.observe(Item.self, window: -3..<Int.max).live }),
            (
                "nothing",
                { $0.observe(Item.self, orderBy: .ascending(\.name), window: 20..<20).live }
            ),
            (
                "30 to 70 by rank and name",
                {
                    $0.observe(
                        Item.self,
                        orderBy: .ascending(\.rank),
                        .descending(\.name),
                        window: 30..<70
                    ).live
                }
            ),
            (
                "open by weight",
                {
                    $0.observe(
                        Item.self,
                        where: \.isOpen == true,
                        orderBy: .descending(\.weight),
                        window: 5..<15
                    ).live
                }
            ),
            (
                "rank above 4 or none",
                {
                    $0.observe(
                        Item.self,
                        where: \.rank > 4 || \.rank == nil,
                        orderBy: .descending(\.rank),
                        window: 3..<30
                    ).live
                }
            ),
            (
                "with a part",
                { $0.observe(Item.self, where: .contains(\.parts, "b"), window: 1..<4).live }
            ),
        ]
    }

    /// Windows whose conditions look at other records.
    package static var relatedWindows: [Query] {
        [
            (
                "in a shared folder",
                {
                    $0.observe(
                        Item.self,
                        where: .has(\.folder, \.isShared == true),
                        orderBy: .ascending(\.rank),
                        window: 4..<14
                    ).live
                }
            ),
            (
                "in no open folder",
                {
                    $0.observe(Item.self, where: !.has(\.folder, \.isShared == true), window: 0..<9)
                        .live
                }
            ),
            (
                "of a folder, all",
                {
                    $0.observe(
                        Item.self,
                        where: .has(\.folder, !(\.id == "none")),
                        orderBy: .descending(\.name),
                        window: 0..<200
                    ).live
                }
            ),
        ]
    }

    package static var lists: [Query] {
        [
            ("all", { $0.observe(Item.self) }),
            ("first 5", { $0.observe(Item.self, limit: 5) }),
            ("none", { $0.observe(Item.self, limit: 0) }),
            ("by name", { $0.observe(Item.self, orderBy: .ascending(\.name)) }),
            ("by name, last first", { $0.observe(Item.self, orderBy: .descending(\.name)) }),
            (
                "3 of the highest rank",
                { $0.observe(Item.self, orderBy: .descending(\.rank), limit: 3) }
            ),
            (
                "20 by rank and name",
                {
                    $0.observe(
                        Item.self,
                        orderBy: .ascending(\.rank),
                        .descending(\.name),
                        limit: 20
                    )
                }
            ),
            ("open", { $0.observe(Item.self, where: \.isOpen == true) }),
            (
                "7 open by weight",
                {
                    $0.observe(
                        Item.self,
                        where: \.isOpen == true,
                        orderBy: .ascending(\.weight),
                        limit: 7
                    )
                }
            ),
            ("rank 2", { $0.observe(Item.self, where: \.rank == 2, orderBy: .ascending(\.name)) }),
            (
                "rank above 4 or none",
                {
                    $0.observe(
                        Item.self,
                        where: \.rank > 4 || \.rank == nil,
                        orderBy: .descending(\.weight)
                    )
                }
            ),
            ("named n", { $0.observe(Item.self, where: .hasPrefix(\.name, "n1"), limit: 4) }),
            ("with a part", { $0.observe(Item.self, where: .contains(\.parts, "b")) }),
            (
                "in no open folder",
                { $0.observe(Item.self, where: !.has(\.folder, \.isShared == true), limit: 9) }
            ),
            ("in no folder", { $0.observe(Item.self, where: \.folder == nil, limit: 6) }),
            (
                "in a shared folder",
                {
                    $0.observe(
                        Item.self,
                        where: .has(\.folder, \.isShared == true),
                        orderBy: .ascending(\.rank)
                    )
                }
            ),
            (
                "not open and light",
                { $0.observe(Item.self, where: !(\.isOpen == true) && \.weight < 3.0) }
            ),
        ]
    }

    package typealias LiveQueryOf = @Sendable (any RecordModelStore) -> LiveQuery<Item>

    /// Runs the script.
    package mutating func run() async throws {
        for number in 0..<3 {
            let folder = LiveFolder()
            (folder.id.value, folder.isShared.value) = ("f\(number)", number == 0)
            folders.append(try await store.create(folder).value)
        }
        items = []
        // More than a node of the list has, and than are kept of what has a limit.
        for _ in 0..<3 { try await store.perform(newItems(50).map { .create($0) }).value }
        let mirrors = queries.map { LiveMirror($0.query(observer), $0.name) }
        let values = valueMirrors(values, of: observer)
        // Of a commit that comes before the first answer nobody knows more than its types.
        try await check(mirrors, values, "first answer")
        for step in 0..<Self.steps {
            if Int.random(in: 0..<3, using: &random) == 0 { jump(random.pick(mirrors).live) }
            written = 0
            let what = try await self.step()
            shifts += min(1, Double(written) / 16)
            // Some commits are seen together.
            if Int.random(in: 0..<3, using: &random) == 0 { continue }
            try await check(mirrors, values, "step \(step), \(what)")
        }
        var updates = 0
        for mirror in mirrors { updates += await mirror.updates }
        expect(updates > 0)
    }

    /// Windows ask for everything never, and for a part where they were moved, or as many rows were moved as they hold
    /// beside those that they show.
    package func expectFewPages(_ counter: RefetchCounter) {
        expect(counter.count, equals: 0, "seed \(seed)")
        let most = jumps + Int(Double(queries.count) * shifts)
        expect(counter.pages <= most, "seed \(seed): \(counter.pages) pages, at most \(most)")
        expect(counter.pages > 0, "seed \(seed)")
    }

    private func check(
        _ mirrors: [LiveMirror<Item>],
        _ values: [any ValueMirroring],
        _ what: String
    ) async throws {
        for value in values { try await value.check("seed \(seed), \(what): \(value.name)") }
        for mirror in mirrors {
            let found: Promise<[Item]> = observer.list(Item.self, matching: mirror.live.query)
            try await mirror.check(found.value, "seed \(seed), \(what): \(mirror.name)")
        }
    }

    /// Moves a window: by some rows, far, or to another size.
    private mutating func jump(_ live: LiveQuery<Item>) {
        guard let frame = live.frame else { return }
        jumps += 1
        let old = frame.window
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where old.upperBound < 1_000:
            let by = Int.random(in: -5...5, using: &random)
            frame.show(max(0, old.lowerBound + by)..<max(0, old.upperBound + by))
        case 1:
            let size = Int.random(in: 0..<40, using: &random)
            frame.show(old.lowerBound..<(old.lowerBound + size))
        default:
            let start = Int.random(in: 0..<200, using: &random)
            frame.show(start..<(start + Int.random(in: 0..<40, using: &random)))
        }
    }

    private mutating func newItem() -> Item {
        written += 1
        let item = random.pick(types).init()
        lastNumber += 1
        item.id.value = "i\(Int.random(in: 0..<1_000, using: &random))-\(lastNumber)"
        fill(item)
        fill(item)
        items.append(item)
        return item
    }

    private mutating func newItems(_ count: Int) -> [Item] { (0..<count).map { _ in newItem() } }

    private mutating func edit(_ item: Item) {
        written += 1
        fill(item)
    }

    private mutating func fill(_ item: Item) {
        if let note = item as? LiveNote, Bool.random(using: &random) {
            note.text.value = "\(lastNumber)"
        }
        switch Int.random(in: 0..<7, using: &random) {
        case 6:
            item.price.value = random.pick([
                0, 1.25, -7, nil, Decimal(string: "0.000000000001"),
                Decimal(string: "-12345678901234567890.5"),
            ])
        case 0: item.name.value = random.pick(["n1", "n10", "n2", "m", nil, "ñ", "N"])
        case 1: item.rank.value = random.pick([0, 1, 2, 2, 3, 5, 8, nil])
        case 2: item.weight.value = random.pick([0.5, 1, 2.5, -1, nil, 1e9])
        case 3: item.isOpen.value = random.pick([true, false, nil])
        case 4: item.folder.value = random.pick(folders + [nil])
        default: item.parts.value = random.pick([[], ["a"], ["a", "b"], ["b"], nil])
        }
    }

    private mutating func step() async throws -> String {
        let item = items.isEmpty ? newItem() : random.pick(items)
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1:
            _ = try await store.create(newItem()).value
            return "create"
        case 2 where items.count > 4:
            written += 1
            items.removeAll { $0 === item }
            _ = try await store.delete(item).value
            return "delete"
        case 3:
            let (new, edited) = ([newItem(), newItem()], items.prefix(5))
            for item in edited { edit(item) }
            try await store.perform(new.map { .create($0) } + edited.map { .save($0) }).value
            return "batch"
        case 4:
            let new = newItem()
            edit(item)
            try await store.transaction { transaction in
                try transaction.create(new)
                try transaction.save(item)
                try transaction.delete(new)
                try transaction.create(new)
            }.value
            return "transaction"
        case 5:
            let new = newItem()
            items.removeLast()
            let failed = store.transaction { transaction in
                try transaction.create(new)
                throw StoreError.unsupported("rolled back")
            }
            _ = try? await failed.value
            return "rollback"
        case 6 where items.count > 40:
            items.shuffle(using: &random)
            let gone = Array(items.prefix(30))
            written += 30
            items.removeFirst(30)
            try await store.perform(gone.map { .delete($0) }).value
            return "batch of deletions"
        case 7:
            let theirs = try await other.list(Item.self, limit: 3).value
            for item in theirs { edit(item) }
            try await other.perform(theirs.map { .save($0) }).value
            // What is edited next is what they have written.
            _ = try await store.list(Item.self)
            return "another session"
        case 8:
            let folder = random.pick(folders)
            folder.isShared.value = random.pick([true, false])
            _ = try await store.update(folder).value
            return "folder"
        case 9 where items.count < 100:
            let new = newItems(40)
            try await store.perform(new.map { .create($0) }).value
            return "batch of creations"
        case 10:
            let edited = Array(items.prefix(8))
            for item in edited { edit(item) }
            // Side by side, also with what is found of them.
            let writes: [Promise<Item>] = edited.map { store.save($0) }
            for write in writes { _ = try await write.value }
            return "side by side"
        case 11 where Bool.random(using: &random):
            let folder = folders.removeLast()
            deletedFolders += 1
            _ = try await store.delete(folder).value
            let new = LiveFolder()
            (new.id.value, new.isShared.value) = ("g\(lastNumber)", true)
            folders.append(try await store.create(new).value)
            return "deleted folder"
        default:
            edit(item)
            _ = try await store.save(item).value
            return "update"
        }
    }
}

/// What somebody has made of the edits of a live query.
private actor LiveMirror<Item: LiveEntry> {
    private var models: [Item] = []
    private var problem: String?
    private(set) var updates = 0
    private var task: Task<Void, Never>?
    private var place: (range: Range<Int>, total: Int) = (0..<0, -1)
    let name: String
    let live: LiveQuery<Item>

    init(_ query: LiveQuery<Item>, _ name: String) {
        (live, self.name) = (query, name)
        Task { await begin(query) }
    }

    deinit { task?.cancel() }

    private func begin(_ query: LiveQuery<Item>) {
        task = Task { [weak self] in
            do {
                for try await result in query {
                    guard let self else { return }
                    await take(result)
                }
            } catch {
                await self?.fail("\(error)")
            }
        }
    }

    private func fail(_ text: String) { problem = problem ?? text }

    private func take(_ result: LiveResult<Item>) {
        let old = models
        let before = Set(models.map { ObjectIdentifier($0) })
        if result.edits.isEmpty, result.updated.isEmpty, place == (result.range, result.total) {
            fail("a result without a change")
        }
        place = (result.range, result.total)
        if result.range.count != result.models.count {
            fail("\(result.range) is not that of the models")
        }
        do {
            for edit in result.edits { try edit.apply(to: &models) }
        } catch {
            fail("\(error)")
        }
        if models != Array(result.models) { fail("the edits lead elsewhere") }
        // Of what was asked for again, one that has moved is removed and inserted.
        if let problem = ArrayEdit.problem(in: result.edits, from: old, to: models, most: 2) {
            fail(problem)
        }
        let now = Set(models.map { ObjectIdentifier($0) })
        if !result.updated.allSatisfy({ before.intersection(now).contains(ObjectIdentifier($0)) }) {
            fail("what was updated was not there before, or is not now")
        }
        updates += result.updated.count
    }

    func check(_ all: [Item], _ comment: String) async {
        let range = live.frame?.window.clamped(to: 0..<all.count) ?? 0..<all.count
        let expected = Array(all[range])
        // Long, as thousands of other tests may be first; what is lost never comes.
        let end = ContinuousClock.now + .seconds(1_800)
        while models != expected || place != (range, all.count), problem == nil,
            ContinuousClock.now < end
        {
            try? await Task.sleep(for: .milliseconds(1))
        }
        expect(problem, equals: nil, comment)
        expect(models.map(\.id.value), equals: expected.map(\.id.value), comment)
        expect(place == (range, all.count), "\(comment): \(place), not \(range) of \(all.count)")
        problem = nil
    }
}

/// Counts how often live lists are asked for again, and parts of windows for others.
package final class RefetchCounter: Sendable {
    private let counter = Atomic<Int>(0)
    private let pageCounter = Atomic<Int>(0)

    package init() {}

    package var count: Int { counter.load(ordering: .relaxed) }
    package var pages: Int { pageCounter.load(ordering: .relaxed) }

    package var events: StoreEvents {
        StoreEvents { [self] event in
            guard case .ended = event.phase else { return }
            if event.operation == .refetch { counter.add(1, ordering: .relaxed) }
            if event.operation == .page { pageCounter.add(1, ordering: .relaxed) }
        }
    }
}
