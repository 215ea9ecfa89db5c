import Benchmark
import Foundation
import ModelKit
import ModelKitSQL

// Decimal numbers, which are kept as texts, beside the same numbers as integers.

private final class Price: Model {
    let id = Field<Int>()
    let amount = Field<Decimal>().indexed()
}

private final class WholePrice: Model {
    let id = Field<Int>()
    let amount = Field<Int>().indexed()
}

private let rows = 100_000

func addDecimalBenchmarks() {
    Benchmark(
        "50 above a number of 100000, ModelKit",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            var last: Promise<[Price]>?
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: rows - 50)) {
                last = store.list(
                    Price.self,
                    where: \.amount > Decimal(key),
                    orderBy: .ascending(\.amount),
                    limit: 50
                )
            }
            let found = try await last?.value
            precondition(found?.count == 50)
        },
        setup: { try await filled(Price.self) { .string("\($0)") } }
    )
    Benchmark(
        "50 above a number of 100000, integers",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            var last: Promise<[WholePrice]>?
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: rows - 50)) {
                last = store.list(
                    WholePrice.self,
                    where: \.amount > key,
                    orderBy: .ascending(\.amount),
                    limit: 50
                )
            }
            let found = try await last?.value
            precondition(found?.count == 50)
        },
        setup: { try await filled(WholePrice.self) { .int(Int64($0)) } }
    )
    Benchmark("insert 10000 decimals, ModelKit", configuration: whole) { benchmark in
        try await insert(Price.self, benchmark) { .string("\($0).25") }
    }
    Benchmark("insert 10000 decimals, integers", configuration: whole) { benchmark in
        try await insert(WholePrice.self, benchmark) { .int(Int64($0)) }
    }
}

/// So many new records of a type with an identifier and a number.
private func creations<M: Model>(
    _ count: Int,
    _ type: M.Type,
    _ amount: (Int) -> AttributeValue
) -> [RecordWrite] {
    (1...count).map { number in
        let id = Int64(number)
        return RecordWrite(
            .create(.int(id), ["id": .int(id), "amount": amount(number)]),
            of: M.schema
        )
    }
}

private func filled<M: Model>(
    _ type: M.Type,
    _ amount: (Int) -> AttributeValue
) async throws -> SQLiteModelStore {
    let store = try await Scratch.store(for: type)
    _ = try await store.records.perform(creations(rows, type, amount)).value
    return store
}

private func insert<M: Model>(
    _ type: M.Type,
    _ benchmark: Benchmark,
    _ amount: (Int) -> AttributeValue
) async throws {
    let store = try await Scratch.store(for: type)
    let writes = creations(10_000, type, amount)
    benchmark.startMeasurement()
    blackHole(try await store.records.perform(writes).value)
    benchmark.stopMeasurement()
    try await store.close().value
}
