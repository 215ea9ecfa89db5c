import Foundation
import ModelKitStores

/// A directory that is gone with the object.
final class Directory: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-archive-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
}

/// Runs a closure with a store, which is gone afterwards.
func withStore(
    _ directory: Directory,
    _ body: (ArchiveModelStore) async throws -> Void
) async throws {
    let store = try ArchiveModelStore(directory: directory.path)
    try await body(store)
    _ = try await store.close().value
}
