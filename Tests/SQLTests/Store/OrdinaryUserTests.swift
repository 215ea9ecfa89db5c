#if os(Linux)
import Foundation
import Glibc
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// What a user may do to whom not everything is permitted: by a program of its own, as the tests may be run
/// by the one to whom it is.
@Suite(.timeLimit(.minutes(10))) struct OrdinaryUserTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("counter.db")
    }

    /// What the program says, or what it fails with.
    private func crash(_ arguments: String...) throws -> String {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let products = (tests ?? Bundle.main.executableURL ?? Bundle.main.bundleURL)
            .deletingLastPathComponent()
        let program = products.appendingPathComponent("crash").path
        var command = [program] + arguments
        if geteuid() == 0 {
            command =
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] + command
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let wrong = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: said + wrong, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A file in WAL mode that the last one has closed.
    private func fill() throws {
        let connection = try SQLiteConnection(path: path)
        defer { connection.close() }
        try connection.execute(
            """
            CREATE TABLE Counter (_order INTEGER PRIMARY KEY AUTOINCREMENT, _revision INTEGER NOT NULL, \
            id TEXT NOT NULL UNIQUE, count INTEGER);
            INSERT INTO Counter VALUES (1, 1, 'c', 7)
            """
        )
    }

    private func permit(_ mode: mode_t, _ file: String) throws {
        expect(chmod(file, mode), equals: 0)
    }

    /// What lies beside the database.
    enum Beside: CaseIterable {
        case nothing, emptyLog, log, unreadableLog
    }

    @Test(arguments: [0o444, 0o644, 0o666] as [mode_t], Beside.allCases)
    func `a file in a directory that may not be written is read`(
        _ mode: mode_t,
        beside: Beside
    ) async throws {
        try fill()
        var expected = "7"
        let open = try SQLiteConnection(path: path)
        switch beside {
        case .nothing: break
        case .emptyLog: try Data().write(to: URL(fileURLWithPath: path + "-wal"))
        case .log, .unreadableLog:
            // What was written last is in the log alone.
            try open.execute("UPDATE Counter SET count = 8")
            for end in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: path + end,
                    toPath: directory.file("copy.db") + end
                )
            }
            expected = "8"
        }
        open.close()
        let read = expected == "8" ? directory.file("copy.db") : path
        if FileManager.default.fileExists(atPath: read + "-wal") {
            try permit(beside == .unreadableLog ? 0o200 : 0o644, read + "-wal")
        }
        try permit(mode, read)
        try permit(0o555, directory.path)
        defer { chmod(directory.path, 0o755) }
        let said = try crash("read-only", read)
        if beside == .unreadableLog {
            expect(said.hasPrefix("\(read) could not be opened"), "\(said)")
        } else {
            expect(said, equals: expected)
        }
    }
}
#endif
