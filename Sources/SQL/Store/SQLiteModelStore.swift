public import ModelKitStores

/// A store that keeps models in an SQLite database.
///
/// ```swift
/// let store = try SQLiteModelStore(path: "people.db")
/// try await store.create(person).value
/// let adults = try await store.list(Person.self, where: \.age >= 18).value
/// ```
///
/// Each model type has a table of its name, with a column of a fitting type for each field: numbers
/// and texts as such, dates as microseconds since 1970 in UTC, arrays and models in fields as JSON. The
/// names of a nested key are joined by `_`. A table is made when its type is first used; for a field
/// that was added since, a column is added, with the field's default value in the rows that are
/// there. Columns that no field has are left alone, and a column of another type is an error that
/// names it.
///
/// It may be used from any thread. Writes are made one after the other on a queue of the store's own, in
/// the order of the calls. A list or a lookup sees every write that was asked for before it, awaited or
/// not: it waits while there is one, and otherwise runs beside others on a connection of its own.
/// Promises are settled on these queues, so a handler that takes long belongs elsewhere (`on:`).
///
/// What was written survives a power cut, unless a ``Durability`` says otherwise. A cancelled read is stopped; a
/// write that has begun is not, and one that waits for others who write has not begun. A file that is locked for
/// longer than the busy timeout, is full, or was removed is an `.unavailable` error, whose outcome says whether the
/// write may be there.
public final class SQLiteModelStore: RecordModelStore {
    public var records: any RecordStore { sqlite }
    public let session: StoreSession

    let sqlite: SQLiteRecordStore

    /// Opens a database, on the calling thread.
    ///
    /// In WAL mode, which it sets unless ``Sharing`` keeps it from that, SQLite has two more files beside
    /// this one, `-wal` and `-shm`; with copies of SQLite older than 3.51.3 the store has a third,
    /// `-lock`.
    ///
    /// It blocks the thread while migrations run, and while it waits for others to close the file: in
    /// asynchronous code `open` is the better choice.
    ///
    /// - Parameters:
    ///   - path: The file, which is made if there is none; its directory is not. `:memory:` is a
    ///     database that ends with the store. One with a second name (a hard link) is not opened to be
    ///     written, as it would have another log under each name.
    ///   - access: Whether it is also written.
    ///   - sharing: Whether others may have the file open at the same time.
    ///   - durability: What a write that was made survives.
    ///   - readers: How many connections may read at once beside the one that writes, each opened when
    ///     it is first needed; 0 reads and writes on one. A database in memory and one without WAL have
    ///     one. Each keeps up to 16 MB of the file in memory.
    ///   - busyTimeout: How long to wait while another connection or process has the file locked.
    ///   - migrations: Changes to make in the file before it is used; see ``SQLiteMigration``.
    ///   - backupBeforeMigrating: Where to copy the file to before the first of them runs, as `backup`
    ///     does; nil for nowhere.
    ///   - library: The copy of SQLite to use; that of the system, if none is given.
    ///   - events: What receives the events of the store, and of each migration.
    ///   - progress: Is called when a migration begins, and after every few hundred rows that it goes
    ///     through, on the thread that opens the file, which waits for it.
    /// - Throws: `.unavailable` for a file that cannot be opened or written, or is in use where it may not
    ///   be shared, and where there is no SQLite; `.corrupt` for one that is no database; `.schema` for one
    ///   that a later version of the program or of this library has written; and what a migration fails
    ///   with, by its name.
    public convenience init(
        path: String,
        access: Access = .readWrite,
        sharing: Sharing = .oneStore,
        durability: Durability = .survivesPowerLoss,
        readers: Int = 4,
        busyTimeout: Duration = .seconds(5),
        migrations: [SQLiteMigration] = [],
        backupBeforeMigrating: String? = nil,
        library: SQLiteLibrary? = nil,
        events: StoreEvents? = nil,
        progress: (@Sendable (SQLiteMigration.Progress) -> Void)? = nil
    ) throws(StoreError) {
        let opening = SQLiteOpening(
            path: path,
            sharing: sharing,
            durability: durability,
            readers: readers,
            busyTimeout: busyTimeout,
            migrator: SQLiteMigrator(
                migrations,
                backupPath: backupBeforeMigrating,
                events: events,
                progress: progress
            )
        )
        try self.init(opening, access, library, events)
    }

    convenience init(
        _ opening: SQLiteOpening,
        _ access: Access,
        _ library: SQLiteLibrary?,
        _ events: StoreEvents?
    ) throws(StoreError) {
        do {
            let library = try library ?? .system
            let pool =
                try access == .readOnly ? opening.forReading(library) : opening.forWriting(library)
            self.init(pool, events)
        } catch {
            throw StoreError(error)
        }
    }

    private init(_ pool: SQLitePool, _ events: StoreEvents?) {
        session = StoreSession(events: events, ordersReads: true)
        sqlite = SQLiteRecordStore(pool)
    }

    /// Closes the file after everything that was asked for before, backups included; whatever is asked
    /// for later fails with `.unavailable`.
    ///
    /// Without it the file is closed when the store is gone.
    @discardableResult
    public func close() -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.withResolvers()
        // A write may wait for another one of the same model; and whoever waits for this may stop waiting.
        session.settled().observe { [sqlite] settled in
            switch settled {
            case .success: sqlite.close().observe { resolver.resolve($0) }
            case .failure(let error): resolver.reject(error)
            }
        }
        return promise
    }

    /// Closes the file after everything that was asked for before; see the form that gives a promise.
    ///
    /// ```swift
    /// try await store.close()
    /// ```
    public nonisolated(nonsending) func close() async throws {
        let promise: Promise<Void> = close()
        try await promise.value
    }
}
