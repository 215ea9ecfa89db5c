import ModelKit
import ModelKitSQL

/// A number that several tasks and processes increment at once.
enum Counting {
    final class Counter: Model {
        let id = Field<String>()
        let count = Field<Int>()
    }

    /// Waits longer for the others than a store does by default.
    private static func open(_ path: String) throws -> SQLiteModelStore {
        try SQLiteModelStore(
            path: path,
            sharing: .severalProcesses,
            busyTimeout: .seconds(60)
        )
    }

    static func run(_ path: String, _ count: Int) async throws {
        let records = try open(path).records
        let new = RecordWrite(.save("c", ["count": 0], .replace), of: Counter.schema)
        if count == 0 {
            _ = try await records.perform([new]).value
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { while try await !increment(records) {} }
            }
            try await group.waitForAll()
        }
    }

    /// False if another one came between.
    private static func increment(_ records: any RecordStore) async throws -> Bool {
        guard let record = try await records.record("c", of: Counter.schema).value,
            case .int(let count)? = record.values["count"]
        else { throw Damage("there is no counter") }
        let write = RecordWrite(
            .update("c", ["count": .int(count + 1)], revision: record.revision),
            of: Counter.schema
        )
        do {
            _ = try await records.perform([write]).value
            return true
        } catch StoreError.conflict {
            return false
        }
    }

    /// Opens it for reading only.
    static func read(_ path: String) async throws {
        let store = try SQLiteModelStore(path: path, access: .readOnly)
        let counter = try await store.lookup(Counter.self, identifier: "c").value
        say("\(counter.count.value ?? -1)")
    }

    static func check(_ path: String) async throws {
        let counter = try await open(path).lookup(Counter.self, identifier: "c").value
        say("\(counter.count.value ?? -1)")
    }
}
