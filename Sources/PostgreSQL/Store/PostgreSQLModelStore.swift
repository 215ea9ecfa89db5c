public import ModelKitStores

/// A store that keeps models in a PostgreSQL database.
///
/// ```swift
/// let store = try PostgreSQLModelStore("postgres:///people")
/// try await store.create(person)
/// let adults = try await store.list(Person.self, where: \.age >= 18)
/// ```
///
/// Each model type has a table of its name, with a column of a fitting type for each field: numbers, texts, dates and data
/// as such, arrays and models in fields as JSON. The names of a nested key are joined by `_`. A table is made when its
/// type is first used; for a field that was added since, a column is added, with the field's default value in the rows
/// that are there. Columns that no field has are left alone, and a column of another type is an error that names it.
///
/// It may be used from any thread. Each use runs on a connection that it has for itself, at most as many at once as there
/// are connections; others wait for their turn. A write of one or many new models, and one of a model, is one round trip.
/// `transaction` is serializable; it waits for all writes of the store before it, and later ones wait for its end.
///
/// Promises of a lookup or a write of one record are mostly settled on one thread, which waits for the answers of all connections:
/// a handler that takes long there delays others for 20 to 40 ms, then another thread goes on. Other promises are settled
/// on the threads of the connections. So a handler that takes long belongs elsewhere (`on:`).
///
/// Where the answer to a write is lost, the store asks the server for its outcome: that of an error is
/// `.unknown` only where the server stays away.
///
/// Live queries follow what others commit, too, by a change log in the database.
public final class PostgreSQLModelStore: RecordModelStore {
    public var records: any RecordStore { postgreSQL }
    public let session: StoreSession

    let postgreSQL: PostgreSQLRecordStore

    init(_ records: PostgreSQLRecordStore, _ events: StoreEvents?) {
        session = StoreSession(
            events: events,
            ordersReads: false,
            patience: records.pool.options.deadline
        )
        postgreSQL = records
    }

    /// Closes all connections after everything that was asked for before; whatever is asked for later fails with
    /// `.unavailable`.
    ///
    /// Without it they are closed when the store is gone.
    @discardableResult
    public func close() -> Promise<Void> {
        let (promise, resolver) = Promise<Void>.withResolvers()
        // A write may wait for another one of the same model; and whoever waits for this may stop waiting.
        session.settled().observe { [postgreSQL] settled in
            switch settled {
            case .success: postgreSQL.close().observe { resolver.resolve($0) }
            case .failure(let error): resolver.reject(error)
            }
        }
        return promise
    }

    /// Closes all connections after everything that was asked for before; see the form that gives a promise.
    public nonisolated(nonsending) func close() async throws {
        let promise: Promise<Void> = close()
        try await promise.value
    }
}
