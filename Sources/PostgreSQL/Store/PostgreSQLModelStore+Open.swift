import Dispatch
import ModelKitEssentials
public import ModelKitSQL
public import ModelKitStores

extension PostgreSQLModelStore {
    /// Makes a store that connects when it is first used.
    ///
    /// - Parameters:
    ///   - connection: libpq's connection string or URL: `postgres://app@db/people`, `dbname=people`. What it does not say
    ///     comes from where libpq takes it: the environment, a service file, `.pgpass`. Several hosts and TLS are as it
    ///     says.
    ///   - options: How many connections there are, and how long they are used and waited for.
    ///   - schema: The schema of the database that has the tables, which is made if there is none.
    ///   - migrations: Changes to make in the schema before it is first used, which waits for them; see
    ///     ``PostgreSQLMigration``. They have as much time as they take.
    ///   - events: What receives the events of the store, and of each migration.
    ///   - progress: Is called when a migration begins, and after every few hundred rows that it goes through, on the
    ///     thread that runs it, which waits for it.
    /// - Throws: `.unsupported` for a string that is none, and `.unavailable` where there is no libpq.
    public convenience init(
        _ connection: String,
        _ options: PostgreSQLOptions = PostgreSQLOptions(),
        schema: String = "public",
        migrations: [PostgreSQLMigration] = [],
        events: StoreEvents? = nil,
        progress: (@Sendable (PostgreSQLMigration.Progress) -> Void)? = nil
    ) throws(StoreError) {
        let cancellation = PostgreSQLCancellation()
        let watch = SQLMigrationWatch(events: events, progress: progress)
        let migrator = SQLMigrator(migrations, watch)
        try self.init(connection, options, schema, migrator, cancellation, events)
    }

    private convenience init(
        _ connection: String,
        _ options: PostgreSQLOptions,
        _ schema: String,
        _ migrator: SQLMigrator<PostgreSQLMigration>,
        _ cancellation: PostgreSQLCancellation,
        _ events: StoreEvents?
    ) throws(StoreError) {
        do {
            let pool = try PostgreSQLPool(connection, options, events: events)
            let log = try PostgreSQLLog(in: schema, options.mode)
            let opener = try PostgreSQLOpener(
                pool,
                schema,
                log,
                migrator,
                cancellation,
                events
            )
            let tables = PostgreSQLTables(in: schema, opener)
            self.init(PostgreSQLRecordStore(pool, tables, log, events), events)
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes a store and runs its migrations, on a thread of their own, so that no use waits for them.
    ///
    /// ```swift
    /// let store = try await PostgreSQLModelStore.open("postgres:///people", migrations: migrations) { progress in
    ///     print(progress)  // 2 of 3: "2026-11 ages", 1500 of 100000 rows
    /// }
    /// ```
    ///
    /// The parameters are those of the initialiser. Where the task is cancelled, the migration that runs is rolled back,
    /// those before it stay, and opening fails with `.cancelled`; the next one continues.
    ///
    /// - Throws: What the initialiser throws; `.schema` for a schema that a later or another version of the program has
    ///   written; what a migration fails with, by its name; and where there is no server.
    public nonisolated(nonsending) static func open(
        _ connection: String,
        _ options: PostgreSQLOptions = PostgreSQLOptions(),
        schema: String = "public",
        migrations: [PostgreSQLMigration] = [],
        events: StoreEvents? = nil,
        progress: (@Sendable (PostgreSQLMigration.Progress) -> Void)? = nil
    ) async throws(StoreError) -> PostgreSQLModelStore {
        let cancellation = PostgreSQLCancellation()
        let watch = SQLMigrationWatch(events: events, progress: progress) {
            cancellation.isCancelled
        }
        let migrator = SQLMigrator(migrations, watch)
        let store = try PostgreSQLModelStore(
            connection,
            options,
            schema,
            migrator,
            cancellation,
            events
        )
        let (prepared, resolver) = Promise<Void>.withResolvers()
        DispatchQueue(label: "ModelKitPostgreSQL migrations").async {
            resolver.resolve(Result { try store.postgreSQL.tables.prepare() })
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                prepared.observe { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        do {
            try result.get()
        } catch {
            throw StoreError(error)
        }
        return store
    }

    /// The names of the migrations that would run with the first use of a store; none for a schema that is new, or
    /// missing.
    ///
    /// - Throws: What `open` throws for such a schema.
    public nonisolated(nonsending) static func pendingMigrations(
        _ connection: String,
        _ options: PostgreSQLOptions = PostgreSQLOptions(),
        schema: String = "public",
        migrations: [PostgreSQLMigration]
    ) async throws(StoreError) -> [String] {
        do {
            let pool = try PostgreSQLPool(connection, options)
            let log = try PostgreSQLLog(in: schema)
            return try await pool.run { connection in
                let database = PostgreSQLMigratedSchema(
                    connection: connection,
                    space: schema,
                    log: log
                ) { try $0() }
                return try SQLMigrator(migrations).pending(in: database).map(\.name)
            }.value
        } catch {
            throw StoreError(error)
        }
    }
}
