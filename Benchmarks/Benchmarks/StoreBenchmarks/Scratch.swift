import Foundation
import ModelKit
import ModelKitSQL

// Files for one benchmark, each of which runs in a process of its own.

enum Scratch {
    static let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("modelkit-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")

    /// The path of a file that is not there yet.
    static func file() throws -> String {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.appendingPathComponent(UUID().uuidString + ".db").path
    }

    static func removeAll() { try? FileManager.default.removeItem(at: directory) }

    /// A new store with an empty table.
    static func store<M: Model>(for type: M.Type) async throws -> SQLiteModelStore {
        let store = try SQLiteModelStore(path: file())
        _ = try await store.list(type, limit: 1).value
        return store
    }

    /// A new store with so many contacts.
    static func store<M: Model>(
        of count: Int,
        _ type: M.Type = Contact.self
    ) async throws -> SQLiteModelStore {
        let store = try await store(for: type)
        try await fill(store.records, count, type)
        return store
    }

    static func fill<M: Model>(
        _ records: any RecordStore,
        _ count: Int,
        _ type: M.Type
    ) async throws {
        let part = 10_000
        for start in stride(from: 1, through: count, by: part) {
            let numbers = start..<min(start + part, count + 1)
            let writes = numbers.map { PlainContact($0).creation(of: M.schema) }
            _ = try await records.perform(writes).value
        }
    }
}
