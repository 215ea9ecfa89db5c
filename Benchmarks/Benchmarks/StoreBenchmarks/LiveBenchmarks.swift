import Benchmark
import Foundation
import GRDB
import ModelKit
import ModelKitSQL

// Live lists: what one changed record costs, from the write to the edits, while the last result is held.

func addLiveBenchmarks() {
    let isLarge = ProcessInfo.processInfo.environment["MODELKIT_LARGE"] != nil
    for size in [100_000] + (isLarge ? [1_000_000] : []) {
        for (rows, name) in [(size, "ModelKit"), (10_000, "among 10000")] {
            Benchmark(
                "change seen in a list among \(size), \(name)",
                closure: { (benchmark: Benchmark, list: ObservedList) async throws in
                    for _ in benchmark.scaledIterations { try await list.change() }
                },
                setup: { try await ObservedList(of: rows) }
            )
        }
    }
    Benchmark(
        "write under 1000 live queries, ModelKit",
        closure: { (benchmark: Benchmark, list: ObservedList) async throws in
            for _ in benchmark.scaledIterations { try await list.write() }
        },
        setup: { try await ObservedList(of: 10, queries: 1_000) }
    )
    Benchmark(
        "1000 writes observed, ModelKit",
        configuration: whole,
        closure: { (_: Benchmark, writes: Writes) async throws in try await writes.run() },
        setup: { try await Writes(isObserved: true) }
    )
    Benchmark(
        "1000 writes observed, unobserved",
        configuration: whole,
        closure: { (_: Benchmark, writes: Writes) async throws in try await writes.run() },
        setup: { try await Writes(isObserved: false) }
    )
    Benchmark(
        "1000 writes observed, GRDB",
        configuration: whole,
        closure: { (_: Benchmark, writes: PeerWrites) async throws in try writes.run() },
        setup: { try PeerWrites() }
    )
    let count = 10_000
    for (isLogged, name) in [(true, "ModelKit"), (false, "without a log")] {
        Benchmark("insert 10000 records that are logged, \(name)", configuration: whole) {
            benchmark in
            let path = try Scratch.file()
            if isLogged { try await beginLog(path) }
            let store = try SQLiteModelStore(path: path)
            _ = try await store.list(Contact.self, limit: 1).value
            let writes = PlainContact.all(count).map { $0.creation(of: Contact.schema) }
            benchmark.startMeasurement()
            blackHole(try await store.records.perform(writes).value)
            benchmark.stopMeasurement()
            try await store.close().value
        }
    }
    Benchmark("10000 waiting creates, ModelKit", configuration: whole) { benchmark in
        let store = try await Scratch.store(for: Contact.self)
        let models = (1...count).map(Contact.filled)
        benchmark.startMeasurement()
        let made: [Promise<Contact>] = models.map { store.create($0) }
        for promise in made { blackHole(try await promise.value) }
        benchmark.stopMeasurement()
        try await store.close().value
    }
    Benchmark("10000 waiting creates, one batch", configuration: whole) { benchmark in
        let store = try await Scratch.store(for: Contact.self)
        let models = (1...count).map(Contact.filled)
        benchmark.startMeasurement()
        blackHole(try await store.create(models).value)
        benchmark.stopMeasurement()
        try await store.close().value
    }
}

/// Has a file be written by one store while another one observes it, which gives it a log.
private func beginLog(_ path: String) async throws {
    let (first, second) = try (
        SQLiteModelStore(path: path, sharing: .severalProcesses),
        SQLiteModelStore(path: path, sharing: .severalProcesses)
    )
    let results = first.observe(Contact.self).makeAsyncIterator()
    _ = try await results.next()
    _ = try await second.create(Contact.filled(-1)).value
    _ = try await results.next()
    // It is made at once after that.
    try await Task.sleep(for: .milliseconds(200))
    try await first.close().value
    try await second.close().value
}

/// A list in memory that somebody observes.
private actor ObservedList {
    private let store = MemoryModelStore()
    private var contacts: [Contact] = []
    private let results: LiveQuery<Contact>.Iterator
    private var last: LiveResult<Contact>?
    private var others: [LiveObservation] = []
    private var number = 0

    init(of rows: Int, queries: Int = 0) async throws {
        contacts = (1...rows).map(Contact.filled)
        _ = try await store.create(contacts).value
        results = store.observe(Contact.self, orderBy: .ascending(\.visits)).makeAsyncIterator()
        try await take()
        for number in 0..<queries {
            let query = store.observe(Contact.self, where: \.age == number + 1_000)
            let first = Promise<Void>.withResolvers()
            others.append(query.observe { _ in first.resolver.fulfill() })
            try await first.promise.value
        }
    }

    func write() async throws {
        number += 7_919
        let contact = contacts[number % contacts.count]
        // Each second one moves.
        if number % 2 == 0 { contact.visits.value = number % 1_009 }
        contact.notes.value = "\(number)"
        _ = try await store.update(contact).value
    }

    func change() async throws {
        try await write()
        try await take()
    }

    private func take() async throws { last = try await results.next(isolation: self) }
}

/// A thousand updates, one after the other, in a file.
private final class Writes: Sendable {
    private let store: SQLiteModelStore
    private let contacts: [Contact]
    private let observation: LiveObservation?

    init(isObserved: Bool) async throws {
        store = try await Scratch.store(for: Contact.self)
        contacts = (1...1_000).map(Contact.filled)
        _ = try await store.create(contacts).value
        let query = store.observe(Contact.self, orderBy: .ascending(\.visits))
        observation = isObserved ? query.observe { blackHole($0) } : nil
    }

    func run() async throws {
        for contact in contacts {
            contact.age.value = (contact.age.value ?? 0) + 1
            _ = try await store.update(contact).value
        }
    }
}

private final class PeerWrites: Sendable {
    private let database: PeerDatabase
    private let observation: AnyDatabaseCancellable

    init() throws {
        database = try PeerDatabase(path: Scratch.file())
        try database.insert(PlainContact.all(1_000))
        observation =
            ValueObservation
            .tracking { try RowContact.fetchAll($0, sql: "SELECT * FROM contact ORDER BY visits") }
            .start(in: database.pool, scheduling: .async(onQueue: .global())) { _ in
            } onChange: {
                blackHole($0)
            }
    }

    func run() throws {
        for id in 1...1_000 {
            try database.pool.write {
                try $0.execute(
                    sql: "UPDATE contact SET age = age + 1 WHERE id = ?",
                    arguments: [id]
                )
            }
        }
    }
}
