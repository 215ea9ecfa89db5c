import Foundation
import ModelKit
import ModelKitPostgreSQL
import Synchronization

/// Where models are in a PostgreSQL database.
struct ServedPlace {
    let database: String
    let schema: String
    let mode: PostgreSQLMode

    init(_ database: String, schema: String, mode: String) throws {
        guard let mode = PostgreSQLMode(rawValue: mode) else { throw Usage() }
        (self.database, self.schema, self.mode) = (database, schema, mode)
    }

    /// Opens it, and waits long for a server that is away.
    func open(_ migrations: [PostgreSQLMigration] = []) throws -> PostgreSQLModelStore {
        let options = PostgreSQLOptions(connections: 2, mode: mode, deadline: .seconds(300))
        return try PostgreSQLModelStore(
            database,
            options,
            schema: schema,
            migrations: migrations
        )
    }
}

/// What one process writes, and another one is notified of.
enum Entries {
    final class Entry: Model {
        let id = Field<String>()
        let amount = Field<Int>()

        convenience init(_ id: String) {
            self.init()
            (self.id.value, amount.value) = (id, 1)
        }
    }

    private static let hasEnded = Atomic(false)

    /// Says each with the nanoseconds at which it was there, by a clock that all processes have; or what became of it.
    static func write(_ place: ServedPlace, _ name: String, pause: Int) async throws {
        let store = try place.open()
        Thread {
            while readLine() != nil {}
            hasEnded.store(true, ordering: .relaxed)
        }.start()
        var number = 0
        while !hasEnded.load(ordering: .relaxed) {
            let id = "\(name)-\(number)"
            number += 1
            do {
                try await store.create(Entry(id))
                say("\(id) \(DispatchTime.now().uptimeNanoseconds)")
            } catch let error as StoreError {
                say("\(id) \(error.outcome)")
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...pause)))
        }
        let closed: Promise<Void> = store.close()
        try await closed.value
    }

    /// A store notifies at once, and then again after 50 ms at the earliest: not of the third before this process ends.
    static func writeKilled(_ place: ServedPlace, _ name: String) async throws {
        let store = try place.open()
        try await store.create(Entry("\(name)-0"))
        try await Task.sleep(for: .milliseconds(300))
        try await store.create(Entry("\(name)-1"))
        try await store.create(Entry("\(name)-2"))
        say("\(name)-2 \(DispatchTime.now().uptimeNanoseconds)")
        kill(getpid(), SIGKILL)
    }
}

/// Numbers that several processes increment at once.
enum Counters {
    final class Counter: Model {
        let id = Field<Int>()
        let count = Field<Int>()
    }

    private static let count = 64

    /// The counters are there.
    static func run(_ place: ServedPlace, _ rounds: Int) async throws {
        let store = try place.open()
        for _ in 0..<rounds {
            let pair = [Int.random(in: 0..<count), .random(in: 0..<count)]
            while try await !increment(pair, store) {}
        }
        say("\(2 * rounds)")
    }

    /// False if others have come between, again and again.
    private static func increment(_ pair: [Int], _ store: PostgreSQLModelStore) async throws -> Bool
    {
        let promise: Promise<Void> = store.transaction { transaction in
            for id in pair {
                let counter = try transaction.lookup(Counter.self, identifier: id)
                counter.count.value = (counter.count.value ?? 0) + 1
                try transaction.update(counter)
            }
        }
        do {
            try await promise.value
            return true
        } catch let error as StoreError where error.outcome == .notApplied {
            return false
        }
    }
}
