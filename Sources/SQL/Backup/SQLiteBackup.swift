import ModelKitStores
import ModelKitEssentials

/// A copy of a database that is in use, which is there whole or not at all.
struct SQLiteBackup: Sendable {
    private let target: String
    private let cancellation: SQLiteCancellation
    /// Whether more can be cancelled by that than the copy.
    private let isPart: Bool

    /// - Parameters:
    ///   - target: The path of the copy.
    ///   - whole: What stops all of which it is a part; nil if it is none.
    init(to target: String, partOf whole: SQLiteCancellation? = nil) {
        (cancellation, isPart) = (whole ?? SQLiteCancellation(), whole != nil)
        // A name that starts with "file:" is a name here, never a URI.
        self.target = target.hasPrefix("file:") ? "./" + target : target
    }

    /// Stops a run, which fails with `.cancelled` when nothing is left of it; too late, it goes on to its
    /// end.
    func cancel() { cancellation.cancel() }

    /// Copies a file by a connection of its own.
    ///
    /// Errors name the path; the file says where it is, if the path may lead elsewhere by now.
    func run(
        of path: String,
        _ file: SQLiteFile?,
        _ library: SQLiteLibrary,
        _ access: SQLiteConfiguration.Access = .readOnly
    ) throws {
        let connection = try SQLiteConnection(
            path: path,
            file: file?.path,
            configuration: SQLiteConfiguration(access: access, journal: nil),
            library: library
        )
        // Which would keep it from writing the copy, too.
        try connection.execute("PRAGMA query_only=OFF")
        try run(connection, file ?? SQLiteFile(path))
    }

    /// Copies what a connection to a file sees; it is in no transaction.
    func run(_ connection: SQLiteConnection, _ file: SQLiteFile?) throws {
        try check(file)
        // By a name that no other backup has, also if the target has one under way.
        let partial = "\(target).\(UUID().uuidString).partial"
        do {
            // For nobody but the user of the process, which SQLite would not see to.
            try FileSystem.write(Data(), to: partial)
            try copy(connection, to: partial)
            try FileSystem.synchronise(file: partial)
            if isPart { try cancellation.check() } else { try cancellation.close() }
            try FileSystem.rename(partial, to: target)
        } catch {
            for leftover in [partial, partial + "-journal"] { try? FileSystem.remove(leftover) }
            if cancellation.isCancelled { throw StoreError.cancelled(.notApplied) }
            guard let failure = error as? FileSystem.Failure else { throw error }
            throw StoreError.unavailable(failure.description, .notApplied)
        }
        do {
            try FileSystem.synchronise(directory: directory)
        } catch {
            throw StoreError.unavailable(error.description, .unknown)
        }
    }

    private func copy(_ connection: SQLiteConnection, to partial: String) throws {
        try connection.withStatement("VACUUM INTO ?1") { vacuum in
            try vacuum.bind(partial, at: 1)
            try cancellation.interrupting(connection) { try vacuum.execute() }
        }
    }

    private func check(_ file: SQLiteFile?) throws(StoreError) {
        guard !target.isEmpty, !target.utf8.contains(0) else {
            throw .unavailable("\(target.debugDescription) is no path for a backup", .notApplied)
        }
        if target == ":memory:" {
            throw .unsupported(
                "\(target) is a database in memory, which ends with its connection, not a place for a backup"
            )
        }
        if let file, SQLiteFile(target)?.isSame(as: file) ?? false {
            throw .unsupported("\(target) is the database itself, not a place for its backup")
        }
        // Whoever opened the backup would find in it what belongs to the file before.
        for ending in ["-wal", "-journal"] where SQLiteFile(target + ending) != nil {
            throw .unavailable(
                "\(target) is in use or was not closed: there is \(target)\(ending)",
                .notApplied
            )
        }
    }

    private var directory: String {
        guard let slash = target.lastIndex(of: "/") else { return "." }
        return slash == target.startIndex ? "/" : String(target[..<slash])
    }
}
