import Dispatch
public import ModelKitStores

extension SQLiteModelStore {
    /// Opens a database on a thread of its own, so that no task's thread is blocked while migrations run or
    /// others have the file.
    ///
    /// ```swift
    /// let store = try await SQLiteModelStore.open(path: "people.db", migrations: migrations) { progress in
    ///     print(progress)  // 2 of 3: "2026-11 ages", 1500 of 100000 rows
    /// }
    /// ```
    ///
    /// The parameters and errors are those of the initialiser. Where the task is cancelled, the migration
    /// that runs is rolled back, those before it stay, and opening fails with `.cancelled`; the next opening
    /// continues. With no migration left to run it is opened all the same.
    public nonisolated(nonsending) static func open(
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
    ) async throws(StoreError) -> SQLiteModelStore {
        let cancellation = SQLiteCancellation()
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
                progress: progress,
                cancellation
            )
        )
        // Handed over under a lock: of the order that a continuation gives the thread sanitizer sees
        // nothing.
        let opened = Guarded<Result<SQLiteModelStore, StoreError>?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "ModelKitSQL opening \(path)").async {
                    let result = Result { () throws(StoreError) in
                        try SQLiteModelStore(opening, access, library, events)
                    }
                    opened.withLock { $0 = result }
                    continuation.resume()
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        guard let result = opened.withLock({ $0 }) else { throw .unavailable(path, .notApplied) }
        return try result.get()
    }
}
