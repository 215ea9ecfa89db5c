import Benchmark
import Dispatch
import ModelKit
import ModelKitSQL

// By identifier, among 10 000 rows. What is awaited has a way to another thread and back in it, which
// varies with the sleep of the processors and is a row of its own.

func addLookupBenchmarks() {
    let count = 10_000
    func peer() throws -> PeerDatabase {
        let database = try PeerDatabase(path: Scratch.file())
        try database.insert(PlainContact.all(count))
        return database
    }

    Benchmark("round trip to a queue, ModelKit") { benchmark in
        let queue = DispatchQueue(label: "round trip")
        benchmark.startMeasurement()
        for value in benchmark.scaledIterations {
            let (promise, resolver) = Promise<Int>.withResolvers()
            queue.async { resolver.fulfill(value) }
            blackHole(try await promise.value)
        }
    }

    Benchmark(
        "lookup, awaited, ModelKit",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                blackHole(try await store.lookup(Contact.self, identifier: key).value)
            }
        },
        setup: { try await Scratch.store(of: count) }
    )
    Benchmark(
        "lookup, awaited, GRDB",
        closure: { (benchmark: Benchmark, database: PeerDatabase) async throws in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                blackHole(try await database.findAwaited(key))
            }
        },
        setup: { try peer() }
    )

    Benchmark(
        "lookup of a record, awaited, ModelKit",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                let identifier = Identifier.int(Int64(key))
                blackHole(try await store.records.record(identifier, of: Contact.schema).value)
            }
        },
        setup: { try await Scratch.store(of: count) }
    )

    Benchmark(
        "lookup of a live model, awaited, ModelKit",
        closure: { (benchmark: Benchmark, live: LiveContacts) async throws in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                blackHole(try await live.store.lookup(Contact.self, identifier: key).value)
            }
        },
        setup: { try await LiveContacts(store: Scratch.store(of: count)) }
    )

    // Without the round trip: the queue has always something to do.
    Benchmark(
        "lookup, all asked for at once, ModelKit",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            var last: Promise<Contact>?
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                last = store.lookup(Contact.self, identifier: key)
            }
            blackHole(try await last?.value)
        },
        setup: { try await Scratch.store(of: count) }
    )
    Benchmark(
        "lookup, all asked for at once, GRDB",
        closure: { (benchmark: Benchmark, database: PeerDatabase) throws in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                blackHole(try database.find(key))
            }
        },
        setup: { try peer() }
    )
    Benchmark(
        "lookup, all asked for at once, sqlite3",
        closure: { (benchmark: Benchmark, database: RawDatabase) in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                blackHole(database.find(key))
            }
        },
        setup: { try filledDatabase(count) }
    )

    Benchmark(
        "lookup of a record, all asked for at once, ModelKit",
        closure: { (benchmark: Benchmark, store: SQLiteModelStore) async throws in
            var last: Promise<Record?>?
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                last = store.records.record(.int(Int64(key)), of: Contact.schema)
            }
            blackHole(try await last?.value)
        },
        setup: { try await Scratch.store(of: count) }
    )
    Benchmark(
        "lookup of a record, all asked for at once, sqlite3",
        closure: { (benchmark: Benchmark, database: RawDatabase) in
            for (_, key) in zip(benchmark.scaledIterations, Keys(upTo: count)) {
                blackHole(database.find(key))
            }
        },
        setup: { try filledDatabase(count) }
    )
}

func filledDatabase(_ count: Int) throws -> RawDatabase {
    let database = RawDatabase(path: try Scratch.file())
    database.insert(PlainContact.all(count))
    return database
}

/// A store all of whose models are in use.
struct LiveContacts: Sendable {
    let store: any ModelStore
    let models: [Contact]

    init(store: any ModelStore) async throws {
        self.store = store
        models = try await store.list(Contact.self).value
    }
}
