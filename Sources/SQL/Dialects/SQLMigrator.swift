import ModelKitStores

/// A change of what a database holds, which is made once in each.
package protocol SQLMigration: Sendable {
    /// By what it is known in the databases in which it has run.
    var name: String { get }
}

/// A database, as what runs migrations in it knows it.
package protocol SQLMigratedDatabase {
    associatedtype Migration: SQLMigration

    /// What it is called in errors.
    var place: String { get }
    /// What has run; nil if nothing has ever been noted.
    func ledger() throws -> SQLMigrationLedger?
    /// Whether no type has a table yet.
    func isNew() throws -> Bool

    /// Does something around all that run.
    func running(_ body: () throws -> Void) throws
    /// Runs the body in a transaction, alone among those that migrate; again, where it has to be given up for others.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value
    /// Does something before the first one that runs, in its transaction.
    func prepare(_ ledger: SQLMigrationLedger?) throws
    /// Makes the change, in a transaction.
    func run(_ migration: Migration, _ run: SQLMigrationRun) throws
    /// Notes that some have run, the first one at a position from 1 on, with how many there are.
    func note(_ names: [String], at position: Int, of count: Int) throws

    /// What an error of the database means to who uses a store; others as they are.
    func meaning(of error: any Error) -> any Error
}

extension SQLMigratedDatabase {
    package func running(_ body: () throws -> Void) throws { try body() }
    package func prepare(_ ledger: SQLMigrationLedger?) throws {}
}

/// Runs the migrations that have not run in a database.
package struct SQLMigrator<Migration: SQLMigration>: Sendable {
    package let migrations: [Migration]
    private let watch: SQLMigrationWatch

    package init(_ migrations: [Migration], _ watch: SQLMigrationWatch = SQLMigrationWatch()) {
        (self.migrations, self.watch) = (migrations, watch)
    }

    /// Which would run.
    ///
    /// - Throws: Also for a database that was written by a later or another program.
    package func pending<Database: SQLMigratedDatabase>(
        in database: Database
    ) throws -> ArraySlice<Migration> where Database.Migration == Migration {
        var seen: Set<String> = []
        for migration in migrations where !seen.insert(migration.name).inserted {
            throw StoreError.schema("two migrations are called \"\(migration.name)\"")
        }
        let ledger = try database.ledger()
        try ledger?.check(isStartOf: migrations.map(\.name), database.place)
        if try migrations.isEmpty || ledger == nil && database.isNew() { return [] }
        return migrations.dropFirst(ledger?.names.count ?? 0)
    }

    /// Throws for a database that cannot be read before migrations have run, and is only read.
    package func check<Database: SQLMigratedDatabase>(
        _ database: Database
    ) throws where Database.Migration == Migration {
        if let migration = try pending(in: database).first {
            throw StoreError.schema(
                "\(database.place) is open for reading only, but the migration \"\(migration.name)\" has "
                    + "to run"
            )
        }
    }

    /// Runs them one after the other, each in a transaction.
    package func migrate<Database: SQLMigratedDatabase>(
        _ database: Database
    ) throws where Database.Migration == Migration {
        let count = try pending(in: database).count
        if count == 0 {
            if try migrations.isEmpty || database.ledger() != nil { return }
            // A new one; unless another process is filling it.
            if try noteAll(in: database) { return }
        }
        try database.running {
            var number = 1
            while try runNext(in: database, number, of: count) { number += 1 }
        }
    }

    /// Notes all in a new database; false if it is none.
    private func noteAll<Database: SQLMigratedDatabase>(
        in database: Database
    ) throws -> Bool where Database.Migration == Migration {
        try database.transaction {
            guard try database.ledger() == nil, try database.isNew() else { return false }
            try database.note(migrations.map(\.name), at: 1, of: migrations.count)
            return true
        }
    }

    /// Runs the next one, in a transaction; false if there is none.
    ///
    /// Which is next is asked in there, as another process may have run some meanwhile.
    private func runNext<Database: SQLMigratedDatabase>(
        in database: Database,
        _ number: Int,
        of count: Int
    ) throws -> Bool where Database.Migration == Migration {
        var running: SQLMigrationRun?
        do {
            try database.transaction {
                let migration = try pending(in: database).first
                // Where this runs again, another process may have run it meanwhile.
                if let before = running, before.name != migration?.name {
                    before.end()
                    running = nil
                }
                guard let migration else { return }
                let ledger = try database.ledger()
                if number == 1 { try database.prepare(ledger) }
                // Another process may have left less to be run, or more.
                let progress = SQLMigrationProgress(
                    name: migration.name,
                    number: number,
                    count: max(count, number)
                )
                // The same where the transaction has to be run again.
                let run = try running ?? SQLMigrationRun(progress, watch)
                running = run
                try database.run(migration, run)
                let position = (ledger?.names.count ?? 0) + 1
                try database.note([migration.name], at: position, of: migrations.count)
            }
        } catch {
            let error = database.meaning(of: error)
            throw running?.end(error) ?? error
        }
        running?.end()
        return running != nil
    }
}
