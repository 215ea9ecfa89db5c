import ModelKitStores

import ModelKitEssentials

/// What keeps stores of one file apart where SQLite would damage it: a lock on a file beside it.
///
/// One that has its file alone and one that shares it without a log exclude each other, too, as the first
/// would give the file a log, and the second then write to it.
final class SQLiteFileLock: Sendable {
    private let descriptor: Guarded<Int32?>

    /// - Parameters:
    ///   - path: The database, which need not be there yet.
    ///   - sharing: Whether others may have it, too.
    ///   - version: That of SQLite.
    ///   - timeout: How long to wait for another one, which may just be closing.
    /// - Throws: `.unavailable` if somebody has the file otherwise. Nil where none is needed, and for a
    ///   path at which there can be no database.
    init?(
        _ path: String,
        _ sharing: SQLiteModelStore.Sharing,
        _ version: SQLiteLibrary.Version,
        waiting timeout: Duration
    ) throws(StoreError) {
        guard version.mayDamageSharedLogs, let place = SQLiteFileLock.place(of: path) else {
            return nil
        }
        let end = ContinuousClock.now + timeout
        let isShared = sharing == .severalProcesses
        while true {
            do {
                descriptor = Guarded(
                    try FileSystem.lock(place + "-lock", shared: isShared, like: place)
                )
                return
            } catch {
                guard error.isBusy else { throw .unavailable(error.description, .notApplied) }
                if ContinuousClock.now < end {
                    usleep(2_000)
                    continue
                }
                let other = isShared ? "a store with sharing: .oneStore" : "another store"
                throw .unavailable(
                    "\(path) is in use by \(other): SQLite \(version) may damage a file in WAL mode to "
                        + "which two connections write (mended in 3.51.3); close the other one, or open "
                        + "both with sharing: .severalProcesses",
                    .notApplied
                )
            }
        }
    }

    deinit { unlock() }

    func unlock() {
        if let file = descriptor.withLock({ $0.take() }) { FileSystem.unlock(file) }
    }

    /// The path without links, also of a file that is still to be made; nil for a directory, and where
    /// there is no directory.
    private static func place(of path: String) -> String? {
        if path.isEmpty || path.utf8.contains(0) { return nil }
        if let file = SQLiteFile(path) { return file.isDirectory ? nil : file.path }
        let end = path.lastIndex(of: "/")
        let directory = end.map { path[...$0] } ?? "."
        let name = end.map { path[path.index(after: $0)...] } ?? path[...]
        guard let parent = SQLiteFile(String(directory)), parent.isDirectory else { return nil }
        return "\(parent.path)/\(name)"
    }
}
