import Foundation

/// A directory of its own that goes away with the test.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("modelkit-sql-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "people.db") -> String { path + "/" + name }
}
