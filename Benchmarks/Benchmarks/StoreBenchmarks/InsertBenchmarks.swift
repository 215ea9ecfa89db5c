import Benchmark
import ModelKit
import ModelKitSQL

// 10 000 rows in one transaction, identifiers given, each time into a new file.

func addInsertBenchmarks() {
    let count = 10_000

    Benchmark("insert 10000 models, ModelKit", configuration: whole) { benchmark in
        let store = try await Scratch.store(for: Contact.self)
        let models = (1...count).map(Contact.filled)
        benchmark.startMeasurement()
        blackHole(try await store.create(models).value)
        benchmark.stopMeasurement()
        try await store.close().value
    }
    Benchmark("insert 10000 models, GRDB", configuration: whole) { benchmark in
        try insertWithPeer(count, benchmark)
    }
    Benchmark("insert 10000 models, sqlite3", configuration: whole) { benchmark in
        insert(count, RawDatabase(path: try Scratch.file()), benchmark)
    }

    Benchmark("insert 10000 records, ModelKit", configuration: whole) { benchmark in
        let store = try await Scratch.store(for: Contact.self)
        let writes = PlainContact.all(count).map { $0.creation(of: Contact.schema) }
        benchmark.startMeasurement()
        blackHole(try await store.records.perform(writes).value)
        benchmark.stopMeasurement()
        try await store.close().value
    }
    Benchmark("insert 10000 records, GRDB", configuration: whole) { benchmark in
        try insertWithPeer(count, benchmark)
    }
    // The table that the store makes has a place and a revision, and one index more.
    Benchmark("insert 10000 records, sqlite3 into the store's table", configuration: whole) {
        benchmark in
        let database = RawDatabase(path: try Scratch.file(), table: RawDatabase.tableOfStore)
        insert(count, database, benchmark)
    }
}

private func insertWithPeer(_ count: Int, _ benchmark: Benchmark) throws {
    let (database, contacts) = (try PeerDatabase(path: Scratch.file()), PlainContact.all(count))
    benchmark.startMeasurement()
    try database.insert(contacts)
    benchmark.stopMeasurement()
}

private func insert(_ count: Int, _ database: RawDatabase, _ benchmark: Benchmark) {
    let contacts = PlainContact.all(count)
    benchmark.startMeasurement()
    database.insert(contacts)
    benchmark.stopMeasurement()
}
