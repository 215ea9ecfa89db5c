import Benchmark
import ModelKit
import ModelKitSQL

// All of 10 000 rows; to free what was read is no part of it.

func addListBenchmarks() {
    let count = 10_000
    func peer() throws -> PeerDatabase {
        let database = try PeerDatabase(path: Scratch.file())
        try database.insert(PlainContact.all(count))
        return database
    }

    Benchmark(
        "list 10000 models, ModelKit",
        configuration: whole,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            benchmark.startMeasurement()
            let models = try await store.list(Contact.self).value
            benchmark.stopMeasurement()
            blackHole(models)
        },
        setup: { try await Scratch.store(of: count) }
    )
    Benchmark(
        "list 10000 models, GRDB by Codable",
        configuration: whole,
        closure: { (benchmark: Benchmark, database: PeerDatabase) throws in
            benchmark.startMeasurement()
            let contacts = try database.listByCodable()
            benchmark.stopMeasurement()
            blackHole(contacts)
        },
        setup: { try peer() }
    )

    Benchmark(
        "list 10000 records, ModelKit",
        configuration: whole,
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            benchmark.startMeasurement()
            let records = try await store.records.fetch(RecordQuery(), of: Contact.schema).value
            benchmark.stopMeasurement()
            blackHole(records)
        },
        setup: { try await Scratch.store(of: count) }
    )
    Benchmark(
        "list 10000 records, GRDB by hand",
        configuration: whole,
        closure: { (benchmark: Benchmark, database: PeerDatabase) throws in
            benchmark.startMeasurement()
            let contacts = try database.list()
            benchmark.stopMeasurement()
            blackHole(contacts)
        },
        setup: { try peer() }
    )
    Benchmark(
        "list 10000 records, sqlite3",
        configuration: whole,
        closure: { (benchmark: Benchmark, database: RawDatabase) in
            benchmark.startMeasurement()
            let contacts = database.list()
            benchmark.stopMeasurement()
            blackHole(contacts)
        },
        setup: { try filledDatabase(count) }
    )

    // What a model costs before a store knows of it.
    Benchmark("make and fill 10000 models, ModelKit", configuration: whole) { benchmark in
        let contacts = PlainContact.all(count)
        benchmark.startMeasurement()
        var models: [Contact] = []
        for contact in contacts {
            let model = Contact()
            model.fill(contact)
            models.append(model)
        }
        benchmark.stopMeasurement()
        blackHole(models)
    }
}
