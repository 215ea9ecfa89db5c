import ModelKitFields
public import ModelKitModels
public import ModelKitStores

/// Records in an SQLite database: a table for each model type, a typed column for each field.
///
/// ```swift
/// let store = try SQLiteModelStore(path: "people.db")
/// let records = try await store.records.fetch(RecordQuery(limit: 10), of: Person.schema).value
/// ```
///
/// All work is done on a queue of the store's own, one thing after the other; promises are settled
/// there. What is cancelled before its turn is not done.
// Safe: the tables are guarded by the lock.
public final class SQLiteRecordStore: RecordStore, @unchecked Sendable {
    let queue: SQLiteQueue
    private let lock = Lock()
    private var tables: [SQLiteName: SQLiteTable] = [:]

    init(queue: SQLiteQueue) {
        self.queue = queue
    }

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        run { store, connection in
            if writes.isEmpty { return [] }
            return try store.apply(writes, connection)
        }
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        run { store, connection in
            try query.check(of: schema)
            let table = try store.table(of: schema, connection)
            return try SQLiteQuery(query, of: table).records(connection)
        }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        run { store, connection in
            try store.table(of: schema, connection).record(identifier, connection)
        }
    }

    func close() -> Promise<Void> {
        run { _, connection in connection.close() }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteRecordStore, SQLiteConnection) throws -> Value
    ) -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.withResolvers()
        queue.run { [self] connection in
            // Nobody waits for it any more.
            if resolver.promise.isSettled { throw CancellationError() }
            return try body(self, connection)
        } completion: {
            resolver.resolve($0.mapError { StoreError($0) })
        }
        return promise
    }

    /// The table of a type, which is opened at its first use.
    private func table(
        of schema: ModelSchema,
        _ connection: SQLiteConnection
    ) throws -> SQLiteTable {
        let name = SQLiteName(schema.name)
        if let table = lock.withLock({ tables[name] }) {
            if table.schema !== schema { try schema.check(isOf: table.schema) }
            return table
        }
        let table = try SQLiteTable(of: schema)
        try table.open(connection)
        lock.withLock { tables[name] = table }
        return table
    }

    private func apply(
        _ writes: [RecordWrite],
        _ connection: SQLiteConnection
    ) throws -> [RecordReceipt] {
        // Opened first: what a transaction that fails has made would be gone.
        var tables: [SQLiteTable] = []
        tables.reserveCapacity(writes.count)
        for write in writes {
            if let last = tables.last, last.schema === write.schema {
                tables.append(last)
            } else {
                tables.append(try table(of: write.schema, connection))
            }
        }
        return try connection.transaction {
            var transaction = SQLiteTransaction(connection)
            var index = 0
            while index < writes.count {
                index = try transaction.apply(writes, from: index, to: tables)
            }
            try transaction.finish()
            return transaction.receipts
        }
    }
}
