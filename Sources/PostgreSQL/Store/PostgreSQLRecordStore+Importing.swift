package import ModelKitModels
package import ModelKitPromises
package import ModelKitStores

extension PostgreSQLRecordStore: WaitingRecords {
    /// Other servers give up transactions for the sake of others at any time, and one that was fed cannot run again.
    package var canWait: Bool { pool.options.mode != .portable }

    /// Runs it on a connection of its own, as long as that takes; cancelling it reaches the server.
    package func transaction<Result: Sendable>(
        fedBy feed: TransactionFeed,
        adding schemas: [ModelSchema],
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        // What the task reads would wait for the only connection, which waits for the task.
        defer { if pool.options.connections == 1 { feed.note(pool) } }
        return adding(schemas) { try body($0) }
    }

    /// Runs a body that only adds records of some types.
    private func adding<Result: Sendable>(
        _ schemas: [ModelSchema],
        _ body: @escaping @Sendable (PostgreSQLRecordTransaction) throws -> Result
    ) -> Promise<Result> {
        write(isCancellable: true) { [self] connection in
            // Before, as the transaction would keep others from making their indexes.
            for schema in schemas { _ = try tables.open(schema, for: connection) }
            let (result, changes) = try commit(body, connection, isImport: true)
            if !changes.isEmpty { report(RecordChanges(changes)) }
            return result
        }
    }
}

extension PostgreSQLRecordStore: ReceivingRecords {
    package func receive(_ records: [Record], of schema: ModelSchema) -> Promise<Void> {
        adding([schema]) { try $0.receive(records, of: schema) }
    }
}
