import Foundation
import ModelKitPostgreSQL
import Testing

/// The program `crash` as another process, which writes to a schema of a database.
final class OtherProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output: URL

    /// - Parameters:
    ///   - command: What it does.
    ///   - route: By which mode.
    ///   - connection: The database.
    ///   - space: The schema.
    ///   - arguments: What the command needs.
    /// - Throws: What keeps it from being started.
    init(
        _ command: String,
        _ route: PostgreSQLRoute,
        _ connection: String,
        _ space: String,
        _ arguments: [String] = []
    ) throws {
        output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        process.executableURL = (tests ?? Bundle.main.executableURL ?? Bundle.main.bundleURL)
            .deletingLastPathComponent().appendingPathComponent("crash")
        process.arguments = [command, connection, space, route.mode.rawValue] + arguments
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardInput = input
        try process.run()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: output)
    }

    /// What it has said, the words of each line.
    var lines: [[Substring]] {
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        // The last one may not be whole yet.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: " ") }
    }

    /// Waits until it has said so much.
    func say(_ count: Int) async throws {
        while lines.count < count, process.isRunning {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Kills it, if it runs.
    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Ends its input, and waits for it.
    ///
    /// - Returns: Its status, or the signal that has ended it.
    @discardableResult
    func end() async throws -> Int32 {
        try? input.fileHandleForWriting.close()
        while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        return process.terminationStatus
    }
}
