import Benchmark
import Foundation
import GRDBSQLite
import ModelKit
import ModelKitSQL

// Counts and sums by the store, beside the SQL that somebody would write for them, on the same file.

private final class Sale: Model {
    let id = Field<Int>()
    let amount = Field<Int>()
    let price = Field<Decimal>()
    let category = Field<String>()
}

private let rows = 100_000

func addAggregateBenchmarks() {
    compare(
        "count of some of 100000",
        RecordAggregate(.count, filter: .compare("amount", .greater, 500_000)),
        "SELECT count(*) FROM Sale WHERE amount > 500000"
    )
    compare("sum of 100000", RecordAggregate(.sum("amount")), "SELECT sum(amount) FROM Sale")
    compare(
        "sum of some of 100000",
        RecordAggregate(.sum("amount"), filter: .compare("amount", .greater, 500_000)),
        "SELECT sum(amount) FROM Sale WHERE amount > 500000"
    )
    compare(
        "sum of 100000 by category",
        RecordAggregate(.sum("amount"), by: "category"),
        "SELECT category, sum(amount) FROM Sale GROUP BY category"
    )
    compare(
        "sum of 100000 decimals",
        RecordAggregate(.sum("price")),
        "SELECT sum(CAST(price AS REAL)) FROM Sale"
    )
    compare(
        "sum of 100000 decimals by category",
        RecordAggregate(.sum("price"), by: "category"),
        "SELECT category, sum(CAST(price AS REAL)) FROM Sale GROUP BY category"
    )
}

private func compare(_ work: String, _ aggregate: RecordAggregate, _ sql: String) {
    Benchmark(
        "\(work), ModelKit",
        configuration: whole,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for _ in benchmark.scaledIterations {
                blackHole(try await store.records.totals(aggregate, of: Sale.schema).value)
            }
        },
        setup: { try await filled(at: Scratch.file()) }
    )
    Benchmark(
        "\(work), raw SQL",
        configuration: whole,
        closure: { (benchmark: Benchmark, query: RawQuery) async throws in
            for _ in benchmark.scaledIterations { blackHole(query.run()) }
        },
        setup: {
            let path = try Scratch.file()
            try await filled(at: path).close().value
            return RawQuery(sql, path: path)
        }
    )
}

private func filled(at path: String) async throws -> SQLiteModelStore {
    let store = try SQLiteModelStore(path: path)
    let writes = (1...Int64(rows)).map { number in
        RecordWrite(
            .create(
                .int(number),
                [
                    "id": .int(number), "amount": .int(number * 37 % 1_000_003),
                    "price": .string("\(number * 31 % 99_991).25"),
                    "category": .string("category \(number % 10)"),
                ]
            ),
            of: Sale.schema
        )
    }
    _ = try await store.records.perform(writes).value
    return store
}

/// One statement, compiled once.
// Safe: one task after the other uses it.
private final class RawQuery: @unchecked Sendable {
    private var handle: OpaquePointer?
    private var statement: OpaquePointer?

    init(_ sql: String, path: String) {
        check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(handle)
    }

    /// The last value of the first column.
    func run() -> Double {
        var last = 0.0
        while sqlite3_step(statement) == SQLITE_ROW { last = sqlite3_column_double(statement, 0) }
        check(sqlite3_reset(statement))
        return last
    }

    private func check(_ code: Int32) {
        precondition([SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(code), "SQLite says \(code)")
    }
}
