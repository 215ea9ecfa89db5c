import Benchmark
import Libpq
import ModelKit
import ModelKitPostgreSQL

// Beside libpq itself in the same run, on the same columns and rows of one server, over its socket. Without a server,
// as `.ci/postgresql` starts one, there are no rows.

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .cpuTotal],
        timeUnits: .microseconds,
        warmupIterations: 5,
        scalingFactor: .one,
        maxDuration: .seconds(3),
        maxIterations: 2_000
    )
    if !Libpq.hasServer { return }

    addInsertBenchmarks()
    addImportBenchmarks()
    addReadBenchmarks()
    addLiveBenchmarks()
}

/// A store and libpq, on one server.
struct Database: Sendable {
    let store: PostgreSQLModelStore
    let raw: RawContacts
}

/// Makes both tables anew; each benchmark has a process of its own.
func emptyDatabase() async throws -> Database {
    Libpq().execute("DROP TABLE IF EXISTS \"Contact\", \"_modelkit_log\", contact")
    let store = try PostgreSQLModelStore("")
    _ = try await store.list(Contact.self, limit: 1).value
    return Database(store: store, raw: RawContacts())
}

func filledDatabase(_ count: Int) async throws -> Database {
    let database = try await emptyDatabase()
    let (store, raw) = (database.store, database.raw)
    for start in stride(from: 1, through: count, by: 5_000) {
        let contacts = (start..<min(start + 5_000, count + 1)).map(PlainContact.init)
        raw.insert(contacts)
        _ = try await store.records.perform(contacts.map { $0.creation(of: Contact.schema) }).value
    }
    raw.connection.execute("ANALYZE")
    return database
}

private func addInsertBenchmarks() {
    let count = 5_000
    Benchmark(
        "PostgreSQL: insert 5000 models, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            database.raw.connection.execute("TRUNCATE \"Contact\", \"_modelkit_log\"")
            let models = (1...count).map(Contact.filled)
            benchmark.startMeasurement()
            blackHole(try await database.store.create(models).value)
            benchmark.stopMeasurement()
        },
        setup: { try await emptyDatabase() }
    )
    Benchmark(
        "PostgreSQL: insert 5000 records, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            database.raw.connection.execute("TRUNCATE \"Contact\", \"_modelkit_log\"")
            let writes = PlainContact.all(count).map { $0.creation(of: Contact.schema) }
            benchmark.startMeasurement()
            blackHole(try await database.store.records.perform(writes).value)
            benchmark.stopMeasurement()
        },
        setup: { try await emptyDatabase() }
    )
    for (table, peer) in [
        ("contact", "models, libpq by INSERT of 1000 rows"),
        ("\"Contact\"", "records, libpq into the store's table"),
    ] {
        Benchmark(
            "PostgreSQL: insert 5000 \(peer)",
            closure: { (benchmark: Benchmark, raw: RawContacts) in
                raw.connection.execute("TRUNCATE \(table)")
                let contacts = PlainContact.all(count)
                benchmark.startMeasurement()
                raw.insert(contacts)
                benchmark.stopMeasurement()
            },
            setup: {
                _ = try await emptyDatabase()
                return RawContacts(table)
            }
        )
    }

    Benchmark(
        "PostgreSQL: create, awaited, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            database.raw.connection.execute("TRUNCATE \"Contact\", \"_modelkit_log\"")
            let models = (1...100).map(Contact.filled)
            benchmark.startMeasurement()
            for model in models { blackHole(try await database.store.create(model).value) }
            benchmark.stopMeasurement()
        },
        setup: { try await emptyDatabase() }
    )
    Benchmark(
        "PostgreSQL: create, awaited, libpq",
        closure: { (benchmark: Benchmark, raw: RawContacts) in
            raw.connection.execute("TRUNCATE contact")
            let contacts = PlainContact.all(100)
            benchmark.startMeasurement()
            for contact in contacts { raw.insertOne(contact) }
            benchmark.stopMeasurement()
        },
        setup: { try await emptyDatabase().raw }
    )
}

/// Models that are there, as what an import reads.
private struct Models: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var models: ArraySlice<Contact>

    func makeAsyncIterator() -> Self { self }
    mutating func next() async -> Contact? { models.popFirst() }
}

private func addImportBenchmarks() {
    let count = 20_000
    Benchmark(
        "PostgreSQL: import 20000 models, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            database.raw.connection.execute("TRUNCATE \"Contact\", \"_modelkit_log\"")
            let models = Models(models: (1...count).map(Contact.filled)[...])
            benchmark.startMeasurement()
            blackHole(try await database.store.importModels(models))
            benchmark.stopMeasurement()
        },
        setup: { try await emptyDatabase() }
    )
    Benchmark(
        "PostgreSQL: import 20000 models, libpq by COPY",
        closure: { (benchmark: Benchmark, raw: RawContacts) in
            raw.connection.execute("TRUNCATE contact")
            let contacts = PlainContact.all(count)
            benchmark.startMeasurement()
            raw.copy(contacts)
            benchmark.stopMeasurement()
        },
        setup: { try await emptyDatabase().raw }
    )
}

private func addReadBenchmarks() {
    let count = 10_000
    let rounds = 20

    Benchmark(
        "PostgreSQL: lookup of 64, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            var keys = Keys(upTo: count)
            let parts = (0..<rounds).map { _ in (0..<64).compactMap { _ in keys.next() } }
            benchmark.startMeasurement()
            for part in parts {
                blackHole(
                    try await database.store.list(Contact.self, where: .isIn(\.id, part)).value
                )
            }
            benchmark.stopMeasurement()
        },
        setup: { try await filledDatabase(count) }
    )
    Benchmark(
        "PostgreSQL: lookup of 64, libpq by = ANY",
        closure: { (benchmark: Benchmark, raw: RawContacts) in
            var keys = Keys(upTo: count)
            let parts = (0..<rounds).map { _ in (0..<64).compactMap { _ in keys.next() } }
            benchmark.startMeasurement()
            for part in parts { blackHole(raw.find(part.map(Int64.init))) }
            benchmark.stopMeasurement()
        },
        setup: { try await filledDatabase(count).raw }
    )

    Benchmark(
        "PostgreSQL: list 10000 models, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            benchmark.startMeasurement()
            let models = try await database.store.list(Contact.self).value
            benchmark.stopMeasurement()
            blackHole(models)
        },
        setup: { try await filledDatabase(count) }
    )
    Benchmark(
        "PostgreSQL: list 10000 records, ModelKit",
        closure: { (benchmark: Benchmark, database: Database) async throws in
            benchmark.startMeasurement()
            let records = try await database.store.records.fetch(RecordQuery(), of: Contact.schema)
                .value
            benchmark.stopMeasurement()
            blackHole(records)
        },
        setup: { try await filledDatabase(count) }
    )
    for what in ["models", "records"] {
        Benchmark(
            "PostgreSQL: list 10000 \(what), libpq",
            closure: { (benchmark: Benchmark, raw: RawContacts) in
                benchmark.startMeasurement()
                let contacts = raw.list()
                benchmark.stopMeasurement()
                blackHole(contacts)
            },
            setup: { try await filledDatabase(count).raw }
        )
    }
}
