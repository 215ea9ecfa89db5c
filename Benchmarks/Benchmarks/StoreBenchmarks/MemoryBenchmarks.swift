import Benchmark
import ModelKit
import Synchronization

// The store in memory. A name that began with "memory" would be of its peak.

func addMemoryBenchmarks() {
    let count = 100_000

    Benchmark(
        "live lookup in memory, ModelKit",
        closure: { (benchmark: Benchmark, live: LiveContacts) throws in
            guard let store = live.store as? MemoryModelStore else { return }
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: 10_000)) {
                blackHole(try store.lookupImmediately(Contact.self, identifier: key))
            }
        },
        setup: { try await LiveContacts(store: memory(of: 10_000, Contact.self)) }
    )
    Benchmark(
        "live lookup in memory, a locked dictionary",
        closure: { (benchmark: Benchmark, contacts: LockedContacts) in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: 10_000)) {
                blackHole(contacts[Identifier.int(Int64(key))])
            }
        },
        setup: { LockedContacts(10_000) }
    )

    Benchmark("lookup in memory, ModelKit") { benchmark in
        let store = try await memory(of: 10_000, Contact.self)
        benchmark.startMeasurement()
        for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: 10_000)) {
            blackHole(try store.lookupImmediately(Contact.self, identifier: key))
        }
    }
    Benchmark("create in memory, ModelKit") { benchmark in
        let store = MemoryModelStore()
        let models = benchmark.scaledIterations.map { Contact.filled($0 + 1) }
        benchmark.startMeasurement()
        for model in models { blackHole(store.create(model)) }
        benchmark.stopMeasurement()
    }

    Benchmark(
        "filter 100000 in memory, ModelKit",
        configuration: whole,
        closure: { (_: Benchmark, filtered: Filtered<Contact>) throws in
            let found = try filtered.store.listImmediately(Contact.self, where: \.visits == 77)
            precondition(found.count == filtered.visited.count)
        },
        setup: { try await Filtered(memory(of: count, Contact.self), \.visits == 77) }
    )
    Benchmark("filter 100000 in memory, a loop over values", configuration: whole) { benchmark in
        let contacts = PlainContact.all(count)
        benchmark.startMeasurement()
        blackHole(contacts.filter { $0.visits == 77 })
        benchmark.stopMeasurement()
    }
    Benchmark(
        "filter 100000 texts in memory, ModelKit",
        configuration: whole,
        closure: { (_: Benchmark, filtered: Filtered<Contact>) throws in
            let found = try filtered.store.listImmediately(Contact.self, where: \.city == "City 7")
            precondition(found.count == filtered.visited.count)
        },
        setup: { try await Filtered(memory(of: count, Contact.self), \.city == "City 7") }
    )
    Benchmark(
        "filter 100000 in memory by an index, ModelKit",
        closure: { (benchmark: Benchmark, filtered: Filtered<IndexedContact>) throws in
            let email = "someone.4711@example.com"
            for _ in benchmark.scaledIterations {
                blackHole(
                    try filtered.store.listImmediately(IndexedContact.self, where: \.email == email)
                )
            }
        },
        setup: {
            let email = "someone.4711@example.com"
            return try await Filtered(memory(of: count, IndexedContact.self), \.email == email)
        }
    )
}

private func memory<M: Model>(of count: Int, _ type: M.Type) async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    try await Scratch.fill(store.records, count, type)
    return store
}

/// A store with the models in use that a condition finds.
private struct Filtered<M: Model>: Sendable {
    let store: MemoryModelStore
    let visited: [M]

    init(_ store: MemoryModelStore, _ condition: Condition<M>) throws {
        self.store = store
        visited = try store.listImmediately(M.self, where: condition)
    }
}

private final class LockedContacts: Sendable {
    private let contacts: Mutex<[Identifier: Contact]>

    init(_ count: Int) {
        let models = (1...count).map { (Identifier.int(Int64($0)), Contact.filled($0)) }
        contacts = Mutex(Dictionary(uniqueKeysWithValues: models))
    }

    subscript(identifier: Identifier) -> Contact? { contacts.withLock { $0[identifier] } }
}
