#if os(Linux)
import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import ScriptSupport
import TestSupport
import Testing

private final class Entry: Model {
    let id = Field<Int>()
    let name = Field<String>().indexed()
    let amount = Field<Int>().indexed()
    let isOpen = Field<Bool>()
}

/// An entry, as the test keeps it for itself.
private struct Row: Hashable {
    var id: Int
    var name: String
    var amount: Int
    var isOpen: Bool
}

/// The last result of a live query or value.
private final class Latest<Result: Sendable & Equatable>: Sendable {
    private let result = Guarded<Result?>(nil)
    private let problem = Guarded<String?>(nil)
    private let task = Guarded<Task<Void, Never>?>(nil)

    init<Results: AsyncSequence & Sendable>(
        _ results: Results,
        _ read: @escaping @Sendable (Results.Element) -> Result
    ) {
        let reading = Task { [weak self] in
            do {
                for try await element in results { self?.set(read(element)) }
            } catch {
                self?.problem.withLock { $0 = "\(error)" }
            }
        }
        task.withLock { $0 = reading }
    }

    deinit { task.withLock { $0 }?.cancel() }

    private func set(_ new: Result) { result.withLock { $0 = new } }

    func wait(for expected: Result, _ comment: String) async throws {
        while result.withLock({ $0 }) != expected {
            if let problem = problem.withLock({ $0 }) { throw StoreError.unsupported(problem) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

@Suite struct SQLiteLiveCostTests {
    /// What was spent on statements that write nothing.
    private func reads(_ runs: [SQLiteCounters.Run]) -> Int {
        let writes = ["INSERT", "UPDATE", "DELETE"]
        return runs.filter { run in !writes.contains { run.sql.hasPrefix($0) } }
            .map(\.steps).reduce(0, +)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [1, 2] as [UInt64])
    func `SQLite's own counters show that commits ask for no list again`(_ seed: UInt64)
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file()
        SQLiteCounters.watch(path)
        let store = try SQLiteModelStore(path: path)
        var random = SplitMix(seed: seed)
        var rows: [Int: Row] = [:]
        var entries: [Int: Entry] = [:]
        func fill(_ entry: Entry, _ id: Int) {
            let row = Row(
                id: id,
                name: "n\(Int.random(in: 0..<5_000, using: &random))",
                amount: Int.random(in: 0..<100_000, using: &random),
                isOpen: Bool.random(using: &random)
            )
            (entry.id.value, entry.name.value) = (id, row.name)
            (entry.amount.value, entry.isOpen.value) = (row.amount, row.isOpen)
            (rows[id], entries[id]) = (row, entry)
        }
        func make() -> Entry {
            let entry = Entry()
            fill(entry, 1 + (rows.keys.max() ?? 0))
            return entry
        }
        _ = try await store.create((0..<1_000).map { _ in make() }).value

        func identifiers(_ rows: some Sequence<Row>) -> [Int] { rows.map(\.id) }
        let read = { @Sendable (result: LiveResult<Entry>) in result.models.compactMap(\.id.value) }
        let byName = Latest(store.observe(Entry.self, orderBy: .ascending(\.name)), read)
        let open = Latest(
            store.observe(Entry.self, where: \.isOpen == true, orderBy: .descending(\.amount)),
            read
        )
        let greatest = Latest(
            store.observe(Entry.self, orderBy: .descending(\.amount), limit: 20),
            read
        )
        let window = Latest(
            store.observe(Entry.self, orderBy: .ascending(\.name), window: 400..<450),
            read
        )
        let sum = Latest(store.observe(sum: \.amount, of: Entry.self)) { $0 }
        let sums = Latest(store.observe(sum: \.amount, of: Entry.self, by: \.isOpen)) { $0 }
        let count = Latest(store.observe(count: Entry.self, where: \.amount < 5_000)) { $0 }
        func check(_ comment: String) async throws {
            let names = rows.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            let amounts = rows.values.sorted { ($1.amount, $0.id) < ($0.amount, $1.id) }
            try await byName.wait(for: identifiers(names), comment)
            try await open.wait(for: identifiers(amounts.filter(\.isOpen)), comment)
            try await greatest.wait(for: identifiers(amounts.prefix(20)), comment)
            try await window.wait(for: identifiers(names[400..<450]), comment)
            try await sum.wait(for: amounts.map(\.amount).reduce(0, +), comment)
            let groups = Dictionary(grouping: rows.values) { Bool?.some($0.isOpen) }
            try await sums.wait(
                for: groups.mapValues { $0.map(\.amount).reduce(0, +) },
                comment
            )
            try await count.wait(for: rows.values.count { $0.amount < 5_000 }, comment)
        }
        try await check("first results")
        _ = SQLiteCounters.take(path)

        // What a list costs, by the same counters.
        _ = try await store.list(Entry.self, orderBy: .ascending(\.name)).value
        let ofList = reads(SQLiteCounters.take(path))
        expect(ofList > 5_000, "\(ofList)")

        var costs: [Int] = []
        for step in 0..<200 {
            let id = rows.keys.sorted()[Int.random(in: 0..<rows.count, using: &random)]
            let entry = try #require(entries[id])
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try await store.create(make())
            case 1:
                try await store.delete(entry)
                (rows[id], entries[id]) = (nil, nil)
            case 2:
                let others = entries.values.prefix(5)
                for other in others { fill(other, other.id.value ?? 0) }
                try await store.perform(others.map { .update($0) } + [.create(make())]).value
            case 3:
                fill(entry, id)
                let new = make()
                try await store.transaction { transaction in
                    try transaction.update(entry)
                    try transaction.create(new)
                }.value
            default:
                fill(entry, id)
                try await store.update(entry)
            }
            try await check("seed \(seed), step \(step)")
            costs.append(reads(SQLiteCounters.take(path)))
        }
        let asked = costs.count { $0 > ofList / 4 }
        print(
            "a list: \(ofList) steps of SQLite; commits: \(costs.sorted()[100]), at most \(costs.max() ?? 0)"
        )
        expect(asked <= costs.count / 20, "seed \(seed): \(asked) of \(costs.count) commits")
    }
}
#endif
