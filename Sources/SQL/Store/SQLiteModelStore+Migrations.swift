public import ModelKitStores

extension SQLiteModelStore {
    /// The names of the migrations that would run if a file was opened with them; none if there is no
    /// file, or a new one.
    ///
    /// ```swift
    /// let names = try SQLiteModelStore.pendingMigrations(path: "people.db", migrations: migrations)
    /// if !names.isEmpty { showThatThisMayTakeAWhile() }
    /// ```
    ///
    /// It reads the file on the calling thread, and changes nothing.
    ///
    /// - Throws: What opening it would: above all `.schema` for a file that a later version of the
    ///   program or of this library has written.
    public static func pendingMigrations(
        path: String,
        migrations: [SQLiteMigration],
        library: SQLiteLibrary? = nil
    ) throws(StoreError) -> [String] {
        do {
            if path == ":memory:" || SQLiteFile(path) == nil { return [] }
            let connection = try SQLiteConnection.reading(
                path: path,
                configuration: SQLiteConfiguration(journal: nil),
                library: library
            )
            return try SQLiteMigrator(migrations).pending(connection).map(\.name)
        } catch {
            throw StoreError(error)
        }
    }
}
