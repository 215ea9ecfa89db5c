import Dispatch
import ModelKitStores
import Synchronization

/// Finds out that others have written to the file, while somebody observes what is in it.
///
/// `PRAGMA data_version` of the connection that writes is another number after each commit of any other connection, of
/// this process or another one: <https://sqlite.org/pragma.html#pragma_data_version>.
final class SQLiteOthers: Sendable {
    private let pool: SQLitePool
    private let observers: RecordObservers
    /// The number that was seen last; -1 before the first.
    private let version = Atomic<Int64>(-1)
    private let isPolling = Atomic<Bool>(false)

    /// How often somebody looks at a file that others write, too.
    private static let interval = DispatchTimeInterval.milliseconds(50)

    init(_ pool: SQLitePool, _ observers: RecordObservers) {
        (self.pool, self.observers) = (pool, observers)
    }

    /// Has live queries ask for everything if somebody else has written; on the connection that writes.
    func look(_ connection: SQLiteConnection) {
        // What cannot be read now, as somebody else writes, is seen the next time.
        guard let now = try? connection.number("PRAGMA data_version") else { return }
        if version.exchange(now, ordering: .relaxed) != now { observers.noteOthers() }
    }

    /// Begins to look; of what is changed after that, nothing is missed.
    ///
    /// Nobody waits for it, as the connection that writes may be busy for long: what was seen when the store was opened
    /// is compared with.
    func begin() {
        if pool.isShared { beginPolling() }
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
            // What fails now may be there the next time.
            pool.read(onWriter: true) { [weak self] in self?.look($0) }.observe { [weak self] _ in
                self?.poll()
            }
        }
    }
}
