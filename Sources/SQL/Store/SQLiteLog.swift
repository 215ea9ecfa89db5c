import Synchronization

/// The write-ahead log of a database, which grows without end where somebody reads all the time: only
/// what nobody reads any more can be written over.
///
/// After every thousand pages SQLite copies it back as far as readers let it, and then begins at its
/// start. Where they never do, they are held back once.
final class SQLiteLog: Sendable {
    private let file: SQLiteFile
    /// How much it may grow at a time.
    private static let step = 64 << 20
    /// How big it may grow before everybody has to wait until it is empty.
    private let limit = Atomic(SQLiteLog.step)

    init(of file: SQLiteFile) {
        self.file = file
    }

    /// Empties the log if it is too big, between two transactions of the one who writes.
    ///
    /// - Parameters:
    ///   - connection: That of the one who writes.
    ///   - pauseReaders: Has the readers hold off, and this be tried again when none is left; false if
    ///     none of them is in the way.
    func keepShort(_ connection: SQLiteConnection, orElse pauseReaders: () -> Bool) {
        let size = file.logSize
        guard size > limit.load(ordering: .relaxed) else { return }
        var isEmpty = (try? connection.emptyLog()) ?? false
        if !isEmpty {
            if pauseReaders() { return }
            // Those that were in the way may have ended meanwhile.
            isEmpty = (try? connection.emptyLog()) ?? false
        }
        // If not, somebody else reads; it is tried again when there is as much again.
        limit.store(isEmpty ? Self.step : size + Self.step, ordering: .relaxed)
    }
}
