import Dispatch
import ModelKitStores
import Synchronization

/// Whether the file of a store is still where it was opened: an open file can be read and written after it
/// was removed, or another one was put in its place.
final class SQLitePlace: Sendable {
    /// For how long the answer is taken to stay the same, as a read costs only some times more than asking.
    private static let interval: UInt64 = 100_000_000

    private let file: SQLiteFile
    private let path: String
    /// When it was last there, in nanoseconds of uptime.
    private let seen = Atomic<UInt64>(0)

    init(of file: SQLiteFile, _ path: String) {
        (self.file, self.path) = (file, path)
    }

    /// Throws if it is not.
    func check() throws(StoreError) {
        if file.isInPlace { return }
        // The next read finds out at once.
        seen.store(0, ordering: .relaxed)
        throw .unavailable("\(path) was moved or removed", .notApplied)
    }

    /// The same, but that it may have been there a tenth of a second ago.
    func checkSometimes() throws(StoreError) {
        let now = DispatchTime.now().uptimeNanoseconds
        if now &- seen.load(ordering: .relaxed) < Self.interval { return }
        try check()
        seen.store(now, ordering: .relaxed)
    }
}
