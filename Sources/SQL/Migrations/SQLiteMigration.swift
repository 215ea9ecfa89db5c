/// A change of what an SQLite database holds, made once in each file when it is opened.
///
/// Tables and columns that are missing are added without one; a migration is for what was renamed,
/// removed or is kept in another way.
///
/// ```swift
/// let store = try SQLiteModelStore(
///     path: "people.db",
///     migrations: [
///         SQLiteMigration("2026-10 names") { migration in
///             try migration.rename("fullName", to: "name", in: "Person")
///         },
///         SQLiteMigration("2026-11 cities in capitals") { migration in
///             if try migration.columns(of: "Person").contains("city") {
///                 try migration.execute("UPDATE Person SET city = upper(city)")
///             }
///         },
///     ]
/// )
/// ```
///
/// The list only grows at its end: which of it have run, and in which order, is kept in the file. A
/// migration names types and fields as they were when it was written, by texts, and never uses the
/// model classes, which go on to change.
///
/// Each runs in a transaction of its own, while foreign keys are not enforced; they are checked at its
/// end. If it throws, it is rolled back as a whole, those before it stay, and the file is not opened. It is
/// tried again when the file is next opened.
///
/// A new file has nothing to change: its tables are made from the current types. There migrations are
/// only noted.
public struct SQLiteMigration: SQLMigration {
    /// How far the migrations of a file are.
    public typealias Progress = SQLMigrationProgress

    /// By what it is known in the files in which it has run.
    public let name: String

    let body: @Sendable (Context) throws -> Void

    /// - Parameters:
    ///   - name: Unlike the names of all others, and never changed.
    ///   - body: Makes the change; it is called on the thread that opens the file.
    public init(_ name: String, _ body: @escaping @Sendable (Context) throws -> Void) {
        self.name = name
        self.body = body
    }
}
