import Foundation

/// Programs of the package, run as a user runs them.
struct Program {
    struct Result {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let name: String

    /// Where it is; a name that is a path is taken as it is.
    var path: String {
        name.hasPrefix("/") ? name : Self.products.appendingPathComponent(name).path
    }

    /// Runs the program and waits for its end.
    func run(
        _ arguments: [String],
        in folder: URL? = nil,
        input: String? = nil
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // To files: a pipe that nobody empties would stop a program that writes much.
        let streams = try TemporaryFolder()
        let output = try streams.writing(to: "output"), errors = try streams.writing(to: "errors")
        process.standardOutput = output
        process.standardError = errors
        if let input { try streams.write(input, to: "input") }
        process.standardInput =
            try input.map { _ in
                try FileHandle(forReadingFrom: streams.url.appendingPathComponent("input"))
            } ?? FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try streams.text(of: "output"),
            errors: try streams.text(of: "errors")
        )
    }

    /// Where the programs lie: beside the tests.
    private static let products: URL = {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        return (tests ?? Bundle.main.executableURL ?? Bundle.main.bundleURL)
            .deletingLastPathComponent()
    }()
}

/// A folder that goes with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }

    fileprivate func writing(to name: String) throws -> FileHandle {
        try write("", to: name)
        return try FileHandle(forWritingTo: url.appendingPathComponent(name))
    }
}

/// The folder of the package.
let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
