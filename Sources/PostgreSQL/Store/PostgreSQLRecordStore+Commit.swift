import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension PostgreSQLRecordStore {
    /// A write of one record that one statement makes, which nothing has to be done for before; nil of others.
    func roundTrip(
        of writes: [RecordWrite],
        _ connection: PostgreSQLConnection
    ) throws -> PostgreSQLRoundTrip<[RecordReceipt]>? {
        guard writes.count == 1, let (kind, schema) = writes.oneStatement,
            let table = try tables.find(schema)
        else { return nil }
        let token = tokens.next()
        var writer = PostgreSQLWriter(connection, log, token) { _ in table }
        guard let statement = try writer.statement(of: writes[0], kind, table) else { return nil }
        return PostgreSQLRoundTrip(statements: [statement]) { [self] results in
            guard let result = results.last,
                let receipt = try table.receipt(of: writes[0], kind, result)
            else { return nil }
            let made = MadeRecords(writes, [receipt])
            report(made.changes)
            return made.receipts
        } otherwise: { [self] connection, error in
            let made: MadeRecords
            if let error, error.isLost {
                do {
                    let entries = try settle(token, error, connection)
                    made = MadeRecords(writes, try table.receipts(of: writes, kind, entries))
                } catch {
                    noteOutcome(of: error, token)
                    throw error
                }
            } else if let error, error.isEnd {
                throw error
            } else {
                if error?.sqlState == "26000" { try connection.checkBackend() }
                // Nothing of it was done; it is done anew, or it is found out why not.
                made = try commit(writes, connection)
            }
            report(made.changes)
            return made.receipts
        }
    }

    /// Makes writes, all or none, and commits them.
    func commit(
        _ writes: [RecordWrite],
        _ connection: PostgreSQLConnection
    ) throws -> MadeRecords {
        // First, as what a transaction that fails has made would be gone.
        for write in writes { try open(write, connection) }
        return try trying(connection) { token in
            let writer = PostgreSQLWriter(
                connection,
                log,
                token,
                tables.opening(for: connection)
            )
            return try writer.making(writes) {
                do {
                    return try commit(writes, writer)
                } catch {
                    connection.endTransaction()
                    throw error
                }
            }
        }
    }

    private func commit(
        _ writes: [RecordWrite],
        _ writer: PostgreSQLWriter
    ) throws -> MadeRecords {
        var writer = writer
        if let (kind, schema) = writes.oneStatement {
            let table = try tables.open(schema, for: writer.connection)
            do {
                let receipts = try writer.receipts(of: writes[...], kind, table)
                return MadeRecords(writes, receipts)
            } catch let error as PostgreSQLError where error.isLost {
                let entries = try settle(writer.token, error, writer.connection)
                return MadeRecords(writes, try table.receipts(of: writes, kind, entries))
            }
        }
        // What follows from a deletion is made of what is read there.
        writer.begin()
        let made = try writer.apply(writes, nil)
        try end(writer.token, by: writer.ending(), writer.connection)
        return made
    }

    /// Runs the body of a transaction, and commits what it has written.
    ///
    /// - Parameters:
    ///   - body: What to do.
    ///   - connection: The connection.
    ///   - isImport: Whether it only adds records. It takes as long as it takes, as long as each round trip has an end;
    ///     and as it reads nothing, nobody's writes are a reason to give it up.
    /// - Returns: What the body gives, and what it has changed.
    /// - Throws: What the body throws, and what the server refuses.
    func commit<Result>(
        _ body: (PostgreSQLRecordTransaction) throws -> Result,
        _ connection: PostgreSQLConnection,
        isImport: Bool = false
    ) throws -> (Result, [RecordChanges.Change]) {
        try trying(connection) { token in
            var writer = PostgreSQLWriter(connection, log, token) { [tables] schema in
                if let table = try tables.find(schema) { return table }
                if connection.isInTransaction { throw PostgreSQLMissingTable(schema: schema) }
                return try tables.open(schema, for: connection)
            }
            if isImport { writer.limit = pool.options.deadline }
            let transaction = PostgreSQLRecordTransaction(
                writer,
                isolation: isImport ? "READ COMMITTED" : "SERIALIZABLE"
            )
            let result: Swift.Result<Result, any Error> = .init {
                defer { transaction.end() }
                return try pool.runTransactionBody { try body(transaction) }
            }
            if let failure = transaction.failure { throw failure }
            let value: Result
            do {
                value = try result.get()
            } catch {
                throw PostgreSQLBodyFailure(error: error)
            }
            // From here on it is too late.
            if connection.cancellation?.close() == false { throw PostgreSQLError.cancellation }
            if let ending = try transaction.ending() { try end(token, by: ending, connection) }
            return (value, transaction.changes)
        }
    }

    /// Commits, and finds out whether that was done where the answer is lost.
    private func end(
        _ token: UUID,
        by ending: [PostgreSQLStatement],
        _ connection: PostgreSQLConnection
    ) throws {
        do {
            try connection.run(ending)
        } catch let error where error.isLost {
            _ = try settle(token, error, connection)
        }
    }

    /// Tries something, each time as another transaction, again where the server gives that up.
    private func trying<Value>(
        _ connection: PostgreSQLConnection,
        _ body: (UUID) throws -> Value
    ) throws -> Value {
        while true {
            var token = tokens.next()
            do {
                return try connection.repeating {
                    token = tokens.next()
                    do {
                        return try body(token)
                    } catch let error as PostgreSQLError where error.isOfCopiedLog {
                        // It is another server than before; this is done again.
                        connection.endTransaction()
                        try tables.makeLog(for: connection)
                        throw error
                    }
                }
            } catch let error as PostgreSQLMissingTable {
                connection.endTransaction()
                _ = try tables.open(error.schema, for: connection)
            } catch let error as PostgreSQLError where error.isLost {
                // What has an end that may be lost is settled; this has not come to one. But where the server has not
                // noticed, its locks would be waited for.
                if error.kind == .connectionLost, error.sqlState == nil,
                    connection.backend != nil
                {
                    _ = try? settle(token, error, connection)
                }
                throw PostgreSQLNotApplied(error: error)
            } catch {
                connection.endTransaction()
                noteOutcome(of: error, token)
                throw error
            }
        }
    }

    /// Notifies of what may be written although it has failed, of which nothing else is known.
    private func noteOutcome(of error: any Error, _ token: UUID) {
        guard let outcome = (error as? StoreError)?.outcome, outcome != .notApplied else { return }
        // It may be committed later.
        if outcome == .unknown { tokens.noteUnsettled(token) }
        observers.noteEverything(of: tables, isOwn: true)
    }

    /// Opens the tables that a write, and what follows from it, may change.
    private func open(_ write: RecordWrite, _ connection: PostgreSQLConnection) throws {
        _ = try tables.open(write.schema, for: connection)
        if let needed = write.needed {
            _ = try tables.open(needed.schema, for: connection)
        }
        if write.mayHaveEffects {
            for schema in write.schema.typesOfEffects {
                _ = try tables.open(schema, for: connection)
            }
        }
    }
}

extension [RecordWrite] {
    /// How one statement makes all of them, which is a transaction by itself; nil where that takes more.
    var oneStatement: (PostgreSQLWriteRun.Kind, ModelSchema)? {
        let run = PostgreSQLWriteRun(self[...])
        guard run.range.count == count, run.kind != .save else { return nil }
        // Of several, those that are there would be changed, also where others are not.
        if run.kind != .creation, count > 1 { return nil }
        if contains(where: { $0.needed != nil || $0.mayHaveEffects }) { return nil }
        return (run.kind, self[0].schema)
    }
}
