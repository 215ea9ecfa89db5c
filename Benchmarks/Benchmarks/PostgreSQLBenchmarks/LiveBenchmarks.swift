import Benchmark
import ModelKit
import ModelKitPostgreSQL

// Live lists: what one changed record costs, from the write to the edits, by the change log.

func addLiveBenchmarks() {
    for (rows, name) in [(100_000, "ModelKit"), (1_000, "among 1000")] {
        Benchmark(
            "PostgreSQL: change seen in a list among 100000, \(name)",
            closure: { (benchmark: Benchmark, list: ObservedList) async throws in
                for _ in benchmark.scaledIterations { try await list.change() }
            },
            setup: { try await ObservedList(of: rows) }
        )
    }
}

private actor ObservedList {
    private let store: PostgreSQLModelStore
    private let results: LiveQuery<Contact>.Iterator
    private var last: LiveResult<Contact>?
    private let contacts: [Contact]
    private var number = 0

    init(of rows: Int) async throws {
        store = try await filledDatabase(rows).store
        results = store.observe(Contact.self, orderBy: .ascending(\.visits)).makeAsyncIterator()
        contacts = try await store.list(Contact.self, limit: 1_000).value
        last = try await results.next(isolation: self)
    }

    func change() async throws {
        number += 7_919
        let contact = contacts[number % contacts.count]
        // Each second one moves.
        if number % 2 == 0 { contact.visits.value = number % 1_009 }
        contact.notes.value = "\(number)"
        _ = try await store.update(contact).value
        last = try await results.next(isolation: self)
    }
}
