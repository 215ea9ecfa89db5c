import ModelKitFields
import ModelKitModels
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
/// All work is done on a queue of the store's own, one thing after the other; promises are settled
/// there. What was written survives a power cut. Other connections and processes may use the file at
/// the same time.
public final class SQLiteModelStore: RecordModelStore {
    public var records: any RecordStore { sqlite }
    public let session = StoreSession()

    let sqlite: SQLiteRecordStore

    /// Opens a database, on the calling thread.
    ///
    /// - Parameters:
    ///   - path: The file, which is made if there is none; its directory is not. `:memory:` is a
    ///     database that ends with the store.
    ///   - busyTimeout: How long to wait while another connection or process has the file locked.
    ///   - migrations: Changes to make in the file before it is used; see ``SQLiteMigration``.
    ///   - backupBeforeMigrating: Where to copy the file to before the first of them runs, as `backup`
    ///     does; nil for nowhere.
    ///   - library: The copy of SQLite to use; that of the system, if none is given.
    /// - Throws: `.unavailable` for a file that cannot be opened or written and where there is no
    ///   SQLite, `.corrupt` for one that is no database, `.schema` for one that a later version of the
    ///   program or of this library has written, and what a migration fails with, by its name.
    public init(
        path: String,
        busyTimeout: Duration = .seconds(5),
        migrations: [SQLiteMigration] = [],
        backupBeforeMigrating: String? = nil,
        library: SQLiteLibrary? = nil
    ) throws(StoreError) {
        do {
            let configuration = SQLiteConfiguration(
                busyTimeout: busyTimeout,
                cachedStatements: 256
            )
            let queue = try SQLiteQueue(path: path, configuration: configuration, library: library)
            try SQLiteMigrator(migrations, backupPath: backupBeforeMigrating).migrate(queue)
            sqlite = SQLiteRecordStore(queue: queue)
        } catch {
            throw StoreError(error)
        }
    }

    /// Closes the file after everything that was asked for before; whatever is asked for later fails
    /// with `.unavailable`.
    ///
    /// Without it the file is closed when the store is gone.
    @discardableResult
    public func close() -> Promise<Void> {
        // A write may wait for another one of the same model.
        session.settled().then { [sqlite] in sqlite.close() }
    }
}
