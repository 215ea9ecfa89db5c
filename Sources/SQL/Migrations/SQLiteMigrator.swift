import ModelKitStores

/// Runs the migrations that have not run in a file.
package struct SQLiteMigrator {
    private let migrator: SQLMigrator<SQLiteMigration>
    /// Where to copy the file to before the first one; nil for nowhere.
    private let backupPath: String?
    private let cancellation: SQLiteCancellation

    package init(_ migrations: [SQLiteMigration]) { self.init(migrations, backupPath: nil) }

    init(
        _ migrations: [SQLiteMigration],
        backupPath: String?,
        events: StoreEvents? = nil,
        progress: (@Sendable (SQLiteMigration.Progress) -> Void)? = nil,
        _ cancellation: SQLiteCancellation = SQLiteCancellation()
    ) {
        let watch = SQLMigrationWatch(events: events, progress: progress) {
            cancellation.isCancelled
        }
        migrator = SQLMigrator(migrations, watch)
        (self.backupPath, self.cancellation) = (backupPath, cancellation)
    }

    private func file(_ connection: SQLiteConnection) -> SQLiteMigratedFile {
        SQLiteMigratedFile(
            connection: connection,
            backupPath: backupPath,
            cancellation: cancellation
        )
    }

    /// Which would run in a file.
    ///
    /// Throws also for a file that was written by a later or another program.
    func pending(_ connection: SQLiteConnection) throws -> ArraySlice<SQLiteMigration> {
        try migrator.pending(in: file(connection))
    }

    /// Throws for a file that cannot be read before migrations have run, which a file that is only read
    /// does not have.
    func check(_ connection: SQLiteConnection) throws { try migrator.check(file(connection)) }

    /// Runs them on a queue, before anybody else uses it; if one fails, the file is closed.
    package func migrate(_ queue: SQLiteQueue) throws {
        try queue.runNow { connection in
            do {
                try migrator.migrate(file(connection))
            } catch {
                connection.close()
                throw error
            }
        }
    }
}

/// A file in which migrations run.
private struct SQLiteMigratedFile: SQLMigratedDatabase {
    let connection: SQLiteConnection
    let backupPath: String?
    let cancellation: SQLiteCancellation

    var place: String { connection.path }

    func ledger() throws -> SQLMigrationLedger? {
        try SQLiteFormat.check(connection)
        return try SQLiteLedger.read(connection)
    }

    func isNew() throws -> Bool {
        try connection.texts(
            """
            SELECT t.name FROM sqlite_master AS t WHERE t.type = 'table' AND 2 = (SELECT count(*) \
            FROM pragma_table_info(t.name) AS c WHERE c.name IN ('_order', '_revision')) LIMIT 1
            """
        ).isEmpty
    }

    func running(_ body: () throws -> Void) throws {
        // SQLite takes no notice of this inside of a transaction.
        try connection.execute("PRAGMA foreign_keys=OFF")
        defer { try? connection.execute("PRAGMA foreign_keys=ON") }
        try cancellation.interrupting(connection, body)
    }

    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.transaction(body)
    }

    /// Copies the file as it is before the first migration of a version.
    func prepare(_ ledger: SQLMigrationLedger?) throws {
        guard let backupPath else { return }
        // The copy from before a migration that succeeded, which one after it has not, is kept.
        if ledger?.isUnfinished ?? false, SQLiteFile(backupPath) != nil { return }
        // Nothing has been written yet, so that it is what another connection sees.
        let backup = SQLiteBackup(to: backupPath, partOf: cancellation)
        try backup.run(of: connection.path, nil, connection.library)
    }

    func run(_ migration: SQLiteMigration, _ run: SQLMigrationRun) throws {
        try SQLiteLedger.create(connection)
        try connection.dropLogTriggers()
        let context = SQLiteMigration.Context(connection: connection, run: run)
        try migration.body(context)
        try context.checkTransaction()
        try checkForeignKeys()
    }

    func note(_ names: [String], at position: Int, of count: Int) throws {
        try SQLiteLedger.note(names, at: position, of: count, connection)
    }

    func meaning(of error: any Error) -> any Error {
        error is SQLiteError ? StoreError(error) : error
    }

    private func checkForeignKeys() throws {
        let broken = try connection.texts(
            "SELECT \"table\" || ' to ' || \"parent\" FROM pragma_foreign_key_check LIMIT 1"
        )
        if let broken = broken.first {
            throw StoreError.schema("it leaves a foreign key from \(broken) without its row")
        }
    }
}
