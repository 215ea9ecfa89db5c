import ModelKitStores

/// Runs the migrations that have not run in a file.
package struct SQLiteMigrator {
    private let migrations: [SQLiteMigration]
    /// Where to copy the file to before the first one; nil for nowhere.
    private let backupPath: String?
    private let watch: SQLiteMigrationWatch

    package init(_ migrations: [SQLiteMigration], backupPath: String? = nil) {
        self.init(migrations, backupPath: backupPath, SQLiteMigrationWatch())
    }

    init(_ migrations: [SQLiteMigration], backupPath: String?, _ watch: SQLiteMigrationWatch) {
        self.migrations = migrations
        self.backupPath = backupPath
        self.watch = watch
    }

    /// Which would run in a file.
    ///
    /// Throws also for a file that was written by a later or another program.
    func pending(_ connection: SQLiteConnection) throws -> ArraySlice<SQLiteMigration> {
        try checkNames()
        try SQLiteFormat.check(connection)
        let ledger = try SQLiteLedger(connection)
        try ledger?.check(isStartOf: migrations, path: connection.path)
        if try migrations.isEmpty || ledger == nil && isNew(connection) { return [] }
        return migrations.dropFirst(ledger?.names.count ?? 0)
    }

    /// Runs them on a queue, before anybody else uses it; if one fails, the file is closed.
    package func migrate(_ queue: SQLiteQueue) throws {
        try queue.runNow { connection in
            do {
                try migrate(connection)
            } catch {
                connection.close()
                throw error
            }
        }
    }

    /// Throws for a file that cannot be read before migrations have run, which a file that is only read
    /// does not have.
    func check(_ connection: SQLiteConnection) throws {
        if let migration = try pending(connection).first {
            throw StoreError.schema(
                "\(connection.path) is open for reading only, but the migration \"\(migration.name)\" has "
                    + "to run"
            )
        }
    }

    func migrate(_ connection: SQLiteConnection) throws {
        let count = try pending(connection).count
        if count == 0 {
            if try migrations.isEmpty || SQLiteLedger(connection) != nil { return }
            // A new file; unless another process is filling it.
            if try noteAll(connection) { return }
        }
        // SQLite takes no notice of this inside of a transaction.
        try connection.execute("PRAGMA foreign_keys=OFF")
        defer { try? connection.execute("PRAGMA foreign_keys=ON") }
        try watch.cancellation.interrupting(connection) {
            var number = 1
            while try runNext(connection, number, of: count) { number += 1 }
        }
    }

    /// Notes all in a new file; false if it is none.
    private func noteAll(_ connection: SQLiteConnection) throws -> Bool {
        try connection.transaction {
            guard try SQLiteLedger(connection) == nil, try isNew(connection) else { return false }
            try SQLiteLedger.note(migrations, at: 1, of: migrations.count, connection)
            return true
        }
    }

    /// Runs the next one, in a transaction; false if there is none.
    ///
    /// Which is next is asked in there, as another process may have run some meanwhile.
    private func runNext(
        _ connection: SQLiteConnection,
        _ number: Int,
        of count: Int
    ) throws -> Bool {
        var running: SQLiteMigrationRun?
        do {
            try connection.transaction {
                guard let migration = try pending(connection).first else { return }
                let ledger = try SQLiteLedger(connection)
                if number == 1, let backupPath {
                    try back(up: connection, to: backupPath, ledger)
                }
                // Another process may have left less to be run, or more.
                let run = try SQLiteMigrationRun(
                    .init(name: migration.name, number: number, count: max(count, number)),
                    watch
                )
                running = run
                try SQLiteLedger.create(connection)
                let context = SQLiteMigration.Context(connection: connection, run: run)
                try migration.body(context)
                try context.checkTransaction()
                try checkForeignKeys(connection)
                let position = (ledger?.names.count ?? 0) + 1
                try SQLiteLedger.note([migration], at: position, of: migrations.count, connection)
            }
        } catch {
            throw running?.end(error) ?? error
        }
        running?.end()
        return running != nil
    }

    /// Copies the file as it is before the first migration of a version.
    private func back(
        up connection: SQLiteConnection,
        to target: String,
        _ ledger: SQLiteLedger?
    ) throws {
        // The copy from before a migration that succeeded, which one after it has not, is kept.
        if ledger?.isUnfinished ?? false, SQLiteFile(target) != nil { return }
        // Nothing has been written yet, so that it is what another connection sees.
        try SQLiteBackup(to: target).run(of: connection.path, nil, connection.library)
    }

    private func checkNames() throws {
        var seen: Set<String> = []
        for migration in migrations where !seen.insert(migration.name).inserted {
            throw StoreError.schema("two migrations are called \"\(migration.name)\"")
        }
    }

    /// Whether no type has a table yet.
    private func isNew(_ connection: SQLiteConnection) throws -> Bool {
        try connection.texts(
            """
            SELECT t.name FROM sqlite_master AS t WHERE t.type = 'table' AND 2 = (SELECT count(*) \
            FROM pragma_table_info(t.name) AS c WHERE c.name IN ('_order', '_revision')) LIMIT 1
            """
        ).isEmpty
    }

    private func checkForeignKeys(_ connection: SQLiteConnection) throws {
        let broken = try connection.texts(
            "SELECT \"table\" || ' to ' || \"parent\" FROM pragma_foreign_key_check LIMIT 1"
        )
        if let broken = broken.first {
            throw StoreError.schema("it leaves a foreign key from \(broken) without its row")
        }
    }
}
