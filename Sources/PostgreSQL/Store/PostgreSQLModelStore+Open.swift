import Dispatch
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
    ///   - events: What receives the events of the store.
    /// - Throws: `.unsupported` for a string that is none and a mode that is not `.direct`, and `.unavailable` where there is no libpq.
    public convenience init(
        _ connection: String,
        _ options: PostgreSQLOptions = PostgreSQLOptions(),
        schema: String = "public",
        events: StoreEvents? = nil
    ) throws(StoreError) {
        if options.mode != .direct {
            throw .unsupported("a store in the mode \(options.mode) cannot be made yet")
        }
        do {
            let pool = try PostgreSQLPool(connection, options)
            let log = try PostgreSQLLog(in: schema)
            let opener = PostgreSQLOpener(pool, schema, log)
            let tables = PostgreSQLTables(in: schema, opener)
            self.init(PostgreSQLRecordStore(pool, tables, log), events)
        } catch {
            throw StoreError(error)
        }
    }
}
