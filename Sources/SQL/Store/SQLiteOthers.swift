import Dispatch
import ModelKitStores
import Synchronization

/// Finds out that others have written to the file, or taken it away, while somebody observes what is in it.
///
/// `PRAGMA data_version` of a connection is another number after each commit of any other connection, of this process or
/// another one: <https://sqlite.org/pragma.html#pragma_data_version>.
final class SQLiteOthers: Sendable {
    private let pool: SQLitePool
    private let observers: RecordObservers
    /// The number that was seen last; -1 before the first, and `lost` where there was none.
    private let version = Atomic<Int64>(-1)
    private static let lost: Int64 = -2
    private let isPolling = Atomic<Bool>(false)

    /// How often somebody looks at a file that others write, too.
    private static let interval = DispatchTimeInterval.milliseconds(50)

    init(_ pool: SQLitePool, _ observers: RecordObservers) {
        (self.pool, self.observers) = (pool, observers)
    }

    /// Has live queries ask for everything if somebody else has written; and once if nothing can be read, to get the
    /// reason, and once when it can be read again.
    ///
    /// - Parameter connection: The one that watches, on its queue.
    func look(_ connection: Result<SQLiteConnection, any Error>) {
        do {
            let now = try connection.get().number("PRAGMA data_version")
            // Reads that failed in between are done again.
            if pool.hasBeenLost.exchange(false, ordering: .relaxed) { note(Self.lost) }
            note(now)
        } catch let error as SQLiteError where error.kind == .busy || error.kind == .locked {
            // As somebody else writes: it is seen the next time.
        } catch {
            if !pool.isClosed { note(Self.lost) }
        }
    }

    private func note(_ now: Int64) {
        if version.exchange(now, ordering: .relaxed) != now { observers.noteOthers() }
    }

    /// Begins to look; of what is changed after that, nothing is missed.
    ///
    /// Nobody waits for it, as the connection that watches may be busy for long: what was seen when the store was opened
    /// is compared with.
    func begin() {
        if !pool.isShared { return }
        // Before anything is asked for, which fails, too: noted later, it would fail once more.
        do { try pool.checkPlace() } catch { note(Self.lost) }
        beginPolling()
    }

    private func beginPolling() {
        if !isPolling.exchange(true, ordering: .sequentiallyConsistent) { poll() }
    }

    private func poll() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self else { return }
            if pool.isClosed || !observers.isJudged {
                isPolling.store(false, ordering: .sequentiallyConsistent)
                // Somebody may have begun to observe meanwhile.
                if !pool.isClosed, observers.isStillJudged { beginPolling() }
                return
            }
            pool.watcher?.run { [weak self] connection in
                guard let self else { return }
                look(pool.inPlace(connection))
                poll()
            }
        }
    }
}
