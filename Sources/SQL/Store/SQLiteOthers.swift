import Dispatch
import ModelKitModels
import ModelKitStores
import Synchronization

/// Finds out what others have written to the file, or that they have taken it away, while somebody observes what is in
/// it.
///
/// `PRAGMA data_version` of a connection is another number after each commit of any other connection, of this process or
/// another one: <https://sqlite.org/pragma.html#pragma_data_version>. What they have written is in the log, which the
/// file gets when that is seen for the first time.
final class SQLiteOthers: Sendable {
    private struct State {
        /// The number that was seen last; -1 before the first, and `lost` where there was none.
        var version: Int64 = -1
        /// Until where the log was read; nil where nothing is known by it.
        var cursor: SQLiteLog.Cursor?
        /// Whether others write, without a log.
        var needsLog = false
    }

    private let pool: SQLitePool
    private let tables: SQLiteTables
    private let observers: RecordObservers
    private let commits: SQLiteCommits
    // Used on the queue of the connection that watches, and where somebody begins to observe.
    private let state = Guarded(State())
    private static let lost: Int64 = -2
    private let isPolling = Atomic<Bool>(false)

    /// How often somebody looks at a file that others write, too.
    private static let interval = DispatchTimeInterval.milliseconds(50)

    init(
        _ pool: SQLitePool,
        _ tables: SQLiteTables,
        _ observers: RecordObservers,
        _ commits: SQLiteCommits
    ) {
        (self.pool, self.tables, self.observers, self.commits) = (pool, tables, observers, commits)
    }

    // MARK: Looking

    /// Notes what there is when the store is opened: what is written after that is not missed.
    func begin(_ connection: SQLiteConnection) {
        guard let version = try? connection.number("PRAGMA data_version") else { return }
        let cursor = pool.isShared ? try? SQLiteLog.end(of: [], connection) : nil
        state.withLock { ($0.version, $0.cursor) = (version, cursor ?? nil) }
    }

    /// Has live queries judge what somebody else has written, or ask for everything if that is not known; and once if
    /// nothing can be read, to get the reason, and once when it can be read again.
    ///
    /// - Parameter connection: The one that watches, on its queue.
    /// - Returns: Who is to be notified.
    func look(_ connection: Result<SQLiteConnection, any Error>) -> [any CommitJudge] {
        do {
            let connection = try connection.get()
            let now = try connection.number("PRAGMA data_version")
            // Reads that failed in between are done again.
            let wasLost = pool.hasBeenLost.exchange(false, ordering: .relaxed)
            let version = state.withLock { $0.version }
            if !wasLost, now == version { return [] }
            let changes = pool.isShared ? try changes(connection) : nil
            state.withLock { $0.version = now }
            return observers.judge(wasLost || version == Self.lost ? nil : changes)
        } catch let error as SQLiteError where error.kind == .busy || error.kind == .locked {
            // As somebody else writes: it is seen the next time.
            return []
        } catch {
            if pool.isClosed { return [] }
            return noteLost() ? observers.judge(nil) : []
        }
    }

    /// The same at the beginning of a transaction of the store, of which the log has everything from here on.
    func lookBefore(_ connection: Result<SQLiteConnection, any Error>) -> [any CommitJudge] {
        let judges = look(connection)
        var cursor = state.withLock { $0.cursor }
        if cursor == nil { return judges }
        // What is skipped was written by the store, while nobody judged it, or just now to make the table be logged.
        try? SQLiteLog.skip(from: &cursor, of: tables.all, connection.get())
        state.withLock { state in
            state.cursor = cursor
            if cursor == nil { state.needsLog = !pool.isReadOnly }
        }
        return judges
    }

    /// Notes that nothing can be read.
    ///
    /// - Returns: Whether that was not known.
    private func noteLost() -> Bool {
        state.withLock { state in
            defer { state.version = Self.lost }
            return state.version != Self.lost
        }
    }

    /// What others have written, with the records that are judged; nil where that is not known.
    private func changes(_ connection: SQLiteConnection) throws -> RecordChanges? {
        var cursor = state.withLock { $0.cursor }
        let tables = tables.all
        let entries: [SQLiteLog.Entry]?
        do {
            entries = try SQLiteLog.news(since: &cursor, of: tables, connection)
        } catch let error as SQLiteError where error.kind != .busy && error.kind != .locked {
            // Whoever asks for everything gets the reason, unless it is the log alone that cannot be read.
            (entries, cursor) = (nil, nil)
        }
        state.withLock { state in
            (state.cursor, state.needsLog) = (cursor, cursor == nil && !pool.isReadOnly)
        }
        return entries.map { changes(of: $0, in: tables, connection) }
    }

    /// What entries of the log stand for but for some changes, with the records that are judged.
    private func changes(
        of entries: [SQLiteLog.Entry],
        in tables: [SQLiteTable],
        beside own: RecordChanges? = nil,
        _ connection: SQLiteConnection
    ) -> RecordChanges {
        let byName = Dictionary(tables.map { (SQLiteName($0.schema.name), $0) }) { $1 }
        var own = Dictionary((own?.changes ?? []).map { ($0, 1) }, uniquingKeysWith: +)
        let changes = entries.map { $0.change(in: byName[SQLiteName($0.type)]) }.filter { change in
            if own[RecordChanges.Change(type: change.type, identifier: nil)] != nil { return false }
            // Each write of the store is a row; more than these are of triggers.
            guard let count = own[change], count > 0 else { return true }
            own[change] = count - 1
            return false
        }
        return observers.readingRows(RecordChanges(merging: changes)) { schema, identifier in
            try byName[SQLiteName(schema.name)]?.record(identifier, connection)
        }
    }

    /// What is known at the end of a transaction of the store.
    struct End {
        /// The end of the log; nil where not all tables are logged any more.
        let cursor: SQLiteLog.Cursor?
        /// What was changed beside what the store has written, as by triggers and foreign keys of others; nil where the log
        /// does not have all of it.
        let others: RecordChanges?
    }

    /// What is known at the end of a transaction; nil where the log is not followed.
    func end(
        _ connection: SQLiteConnection,
        beside own: @autoclosure () -> RecordChanges
    ) throws -> End? {
        var cursor = state.withLock { $0.cursor }
        if cursor == nil { return nil }
        let tables = tables.all
        let entries = try SQLiteLog.news(since: &cursor, of: tables, connection)
        return End(
            cursor: cursor,
            others: entries.map { changes(of: $0, in: tables, beside: own(), connection) }
        )
    }

    /// Notes that what the log has until there is of this store, and judged.
    func noteOwn(_ end: End) {
        state.withLock { state in
            state.cursor = end.cursor
            if end.cursor == nil { state.needsLog = !pool.isReadOnly }
        }
    }

    // MARK: Polling

    /// Begins to look; of what is changed after that, nothing is missed.
    ///
    /// Nobody waits for it, as the connection that watches may be busy for long: what was seen when the store was opened
    /// is compared with.
    func begin() {
        if !pool.isShared { return }
        // Before anything is asked for, which fails, too: noted later, it would fail once more.
        do {
            try pool.checkPlace()
        } catch {
            if noteLost() { observers.noteOthers() }
        }
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
                lookAlone(pool.inPlace(connection))
                poll()
            }
        }
    }

    /// Looks when the store itself writes nothing.
    private func lookAlone(_ connection: Result<SQLiteConnection, any Error>) {
        guard case .success(let connection) = connection else {
            for judge in look(connection) { judge.notify() }
            return
        }
        let now = try? connection.number("PRAGMA data_version")
        if now != state.withLock({ $0.version }) || pool.hasBeenLost.load(ordering: .relaxed) {
            // What is read meanwhile may be newer than what is judged then.
            commits.noteVisible()
            let judges = (try? connection.withSnapshot { look(.success(connection)) }) ?? []
            commits.noteJudged()
            for judge in judges { judge.notify() }
        }
        if makeLog(connection) { observers.noteOthers() }
    }

    /// Gives the file a log where others write it, too.
    ///
    /// - Returns: Whether more was written meanwhile, of which nothing is known.
    private func makeLog(_ connection: SQLiteConnection) -> Bool {
        guard state.withLock({ $0.needsLog }) else { return false }
        do {
            // Who reads is not to wait until others have written.
            let (cursor, version) = try connection.transactionWithoutWaiting {
                let tables = tables.all
                try SQLiteLog.begin(tables, connection)
                return (
                    try SQLiteLog.end(of: tables, connection),
                    try connection.number("PRAGMA data_version")
                )
            }
            return state.withLock { state in
                defer { (state.cursor, state.needsLog, state.version) = (cursor, false, version) }
                return state.version != version
            }
        } catch let error as SQLiteError where error.kind == .busy || error.kind == .locked {
            return false
        } catch {
            // It is as before, and tried again when others write again.
            state.withLock { $0.needsLog = false }
            return false
        }
    }
}

extension SQLiteLog.Entry {
    /// The change that it stands for.
    ///
    /// - Parameter table: That of its type; nil where it is not known.
    /// - Returns: That; of any record of the type where it is not known which.
    fileprivate func change(in table: SQLiteTable?) -> RecordChanges.Change {
        guard let table, let identifier = try? Identifier(attributeValue: key) else {
            return RecordChanges.Change(type: type, identifier: nil)
        }
        return RecordChanges.Change(
            LoggedWrite(
                schema: table.schema,
                identifier: identifier,
                revision: revision,
                isDeletion: isDeletion
            )
        )
    }
}
