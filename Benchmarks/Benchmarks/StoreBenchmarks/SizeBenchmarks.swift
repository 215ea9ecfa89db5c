import Benchmark
import Foundation
import ModelKit
import ModelKitSQL

// The same work on tables of several sizes, which takes the same time. That of a million rows is made
// only where the environment has MODELKIT_LARGE.

func addSizeBenchmarks() {
    let isLarge = ProcessInfo.processInfo.environment["MODELKIT_LARGE"] != nil
    for size in [100_000] + (isLarge ? [1_000_000] : []) {
        for (rows, name) in [(size, "ModelKit"), (10_000, "among 10000")] {
            addSizeBenchmarks(of: rows, "among \(size), \(name)")
        }
    }
}

private func addSizeBenchmarks(of rows: Int, _ name: String) {
    Benchmark(
        "lookup \(name)",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            var last: Promise<IndexedContact>?
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: rows)) {
                last = store.lookup(IndexedContact.self, identifier: key)
            }
            blackHole(try await last?.value)
        },
        setup: { try await Scratch.store(of: rows, IndexedContact.self) }
    )
    Benchmark(
        "indexed filter \(name)",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            var last: Promise<[IndexedContact]>?
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: rows)) {
                let email = "someone.\(key)@example.com"
                last = store.list(IndexedContact.self, where: \.email == email)
            }
            let found = try await last?.value
            precondition(found?.count == 1)
        },
        setup: { try await Scratch.store(of: rows, IndexedContact.self) }
    )
    Benchmark(
        "page of 50 \(name)",
        configuration: whole,
        closure: { (_: Benchmark, paged: Paged) async throws in
            let page = try await paged.page(50, after: paged.middle)
            precondition(page.items.count == 50)
        },
        setup: { try await Paged(Scratch.store(of: rows, IndexedContact.self), of: rows) }
    )
}

/// A store with a place amid its models in the order of their cities.
private struct Paged: Sendable {
    let store: SQLiteModelStore
    private(set) var middle: PageCursor?

    init(_ store: SQLiteModelStore, of rows: Int) async throws {
        self.store = store
        middle = try await page(rows / 2, after: nil).next
    }

    func page(_ limit: Int, after cursor: PageCursor?) async throws -> Page<IndexedContact> {
        try await store.page(
            IndexedContact.self,
            orderBy: .ascending(\.city),
            limit: limit,
            after: cursor
        ).value
    }
}
