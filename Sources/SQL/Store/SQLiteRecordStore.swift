public import ModelKitModels
public import ModelKitStores
import ModelKitEssentials

/// Records in an SQLite database: a table for each model type, a typed column for each field.
///
/// ```swift
/// let store = try SQLiteModelStore(path: "people.db")
/// let records = try await store.records.fetch(RecordQuery(limit: 10), of: Person.schema).value
/// ```
///
/// Writes run one after the other on a queue of the store's own, in the order in which they were asked
/// for; reads run there after them, and on other queues side by side if there are none. Promises are
/// settled on the queue that did the work. What is cancelled before its turn is not done, nor is a write that waits for
/// others who write; a read that has begun is interrupted, a write is not.
public final class SQLiteRecordStore: RecordStore {
    package let pool: SQLitePool
    let tables: SQLiteTables
    package let observers = RecordObservers()
    let others: SQLiteOthers
    private let commits = SQLiteCommits()

    init(_ pool: SQLitePool) {
        self.pool = pool
        tables = SQLiteTables(areShared: pool.isShared)
        others = SQLiteOthers(pool, tables, observers, commits)
        // What cannot be read now is taken to be new by the first look.
        try? pool.watcher?.runNow { [others] in others.begin($0) }
    }

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if writes.isEmpty { return pool.write { _ in [] } }
        return pool.write(writes) { [self] in commit($0, $1) }
    }

    /// A commit with the records that are judged, which are read before it is made; nil where nobody judges it.
    func rows(
        of changes: @autoclosure () -> RecordChanges,
        _ old: OldRecords?,
        _ connection: SQLiteConnection,
        _ table: (ModelSchema) throws -> SQLiteTable
    ) -> RecordChanges? {
        guard let old else { return nil }
        return observers.readingRows(changes(), old) { try table($0).record($1, connection) }
    }

    /// Makes a transaction of the body, and has what it gives be judged.
    ///
    /// - Parameters:
    ///   - connection: The connection that writes.
    ///   - isJudged: Whether somebody has judged at its begin. Who comes later, and sees it before it is judged, asks
    ///     for everything then, as nothing is known of its records.
    ///   - body: Writes.
    ///   - changes: What was written.
    ///   - judge: Notifies of what was written, once that is visible.
    /// - Returns: What the body gives.
    /// - Throws: What the body throws, or SQLite, which leaves nothing of it.
    func transaction<Result>(
        on connection: SQLiteConnection,
        isJudged: Bool,
        _ body: () throws -> Result,
        changing changes: (Result) -> RecordChanges,
        judging judge: (Result) -> Void
    ) throws -> Result {
        var judges: [any CommitJudge] = []
        defer { for judge in judges { judge.notify() } }
        var isVisible = false
        defer { if isVisible { commits.noteJudged() } }
        do {
            var end: SQLiteOthers.End?
            let result = try connection.transaction {
                tables.beginTransaction()
                // What is written by others before this is judged before this.
                if isJudged { judges = others.lookBefore(pool.inPlace(.success(connection))) }
                let result = try body()
                if isJudged {
                    end = try? others.end(connection, beside: changes(result))
                    commits.noteVisible()
                }
                isVisible = isJudged
                return result
            }
            if let end { others.noteOwn(end) }
            // First: of what a trigger has changed, too, the store does not know what it was before.
            if let others = end?.others {
                observers.notify(others, judged: nil, ofOthers: true)
            } else if end != nil {
                observers.noteOthers()
            }
            judge(result)
            return result
        } catch {
            tables.forgetLastRevisions()
            throw error
        }
    }

    public func fetch(_ query: RecordQuery, of schema: ModelSchema) -> Promise<[Record]> {
        answer(query, of: schema) { try $0.records() }
    }

    public func fetch(
        _ query: RecordQuery,
        of schema: ModelSchema,
        skippingDamaged report: @escaping @Sendable (StoreError) -> Void
    ) -> Promise<[Record]> {
        answer(query, of: schema) { try $0.records(skippingDamaged: report) }
    }

    public func totals(
        _ aggregate: RecordAggregate,
        of schema: ModelSchema
    ) -> Promise<RecordTotals> {
        answer(RecordQuery(filter: aggregate.filter), of: schema, for: aggregate) {
            try $0.totals(aggregate)
        }
    }

    /// How SQLite finds the answer to a query: what `EXPLAIN QUERY PLAN` says, statement by statement.
    public func explanation(
        of query: RecordQuery,
        of schema: ModelSchema
    ) -> Promise<[String]> {
        answer(query, of: schema) { try $0.explanation() }
    }

    private func answer<Value: Sendable>(
        _ query: RecordQuery,
        of schema: ModelSchema,
        for aggregate: RecordAggregate? = nil,
        _ body: @escaping @Sendable (SQLiteQuery) throws -> Value
    ) -> Promise<Value> {
        do {
            try aggregate?.check(of: schema)
            try query.check(of: schema)
        } catch {
            return .failed(error)
        }
        return read(schema, query.filter?.partners(of: schema) ?? []) { connection, table in
            try body(SQLiteQuery(query, of: schema, connection, table))
        }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        read(schema) { connection, table in try table(schema).record(identifier, connection) }
    }

    /// Runs the body once on the store's queue, in a transaction that keeps others from writing, and not
    /// from reading.
    ///
    /// A use of the store itself in the body fails with `.unsupported`, as it would wait for its end.
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        transaction(delayingReads: true, body)
    }

    private func transaction<Result: Sendable>(
        delayingReads: Bool,
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        pool.write(delayingReads: delayingReads) { [self] connection, cancellation in
            let old = observers.oldRecords
            let transaction = SQLiteRecordTransaction(connection, tables, old)
            return try self.transaction(on: connection, isJudged: old != nil) {
                defer { transaction.end() }
                // While it waits for others who write it can be cancelled.
                try cancellation.close()
                do {
                    let result = try pool.body.run { try body(transaction) }
                    try transaction.finish()
                    let made = RecordChanges(transaction.changes)
                    return (result, rows(of: made, old, connection, transaction.table) ?? made)
                } catch {
                    throw SQLiteBodyFailure(error: error)
                }
            } changing: {
                $0.1
            } judging: { _, changes in
                for table in transaction.opened.all { tables.insert(table) }
                observers.notify(changes)
            }.0
        }
    }

    /// Calls the handler on the store's queue.
    public func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        observers.add(handler)
    }

    func close() -> Promise<Void> {
        let closed = pool.close()
        // It is refused in the body of a transaction.
        closed.observe { [observers] in if case .success = $0 { observers.close() } }
        return closed
    }

    /// Reads with the tables of a type and of its partners, which the body is given by a closure.
    private func read<Value: Sendable>(
        _ schema: ModelSchema,
        _ partners: [ModelSchema] = [],
        _ body:
            @escaping @Sendable (
                SQLiteConnection, (ModelSchema) throws -> SQLiteTable
            ) throws -> Value
    ) -> Promise<Value> {
        pool.read(onWriter: mayMake(schema) || partners.contains(where: mayMake)) {
            [self] connection in
            try body(connection) { try table($0, connection) }
        }
    }

    /// Whether the table of a type may have to be made, at its first use.
    private func mayMake(_ type: ModelSchema) -> Bool { !pool.isReadOnly && !tables.has(type) }

    /// The table of a type, as a connection that reads finds it.
    private func table(_ type: ModelSchema, _ connection: SQLiteConnection) throws -> SQLiteTable {
        try pool.isReadOnly ? tables.view(type, connection) : tables.open(type, connection)
    }
}

extension SQLiteRecordStore: JudgedRecords {
    package func beginJudging() -> Bool {
        others.begin()
        return true
    }

    package func read<Note: Sendable, Value: Sendable>(
        _ types: [ModelSchema],
        noting note: @escaping @Sendable () -> Note,
        _ body: @escaping @Sendable (Note, inout any RecordReading) throws -> Value
    ) -> Promise<Value> {
        let read = { @Sendable [self] (connection: SQLiteConnection) throws -> Value? in
            // Before the snapshot, with which a view that it has made would be gone if it is interrupted.
            var opened: [ModelSchema: SQLiteTable] = [:]
            for type in types { opened[type] = try table(type, connection) }
            let before = commits.count
            let note = note()
            return try connection.withSmallCache {
                try connection.withSnapshot {
                    // It begins with what is read first.
                    _ = try connection.number(
                        "SELECT count(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)"
                    )
                    // What others have committed there may be in it, and not be judged.
                    if before % 2 != 0 || commits.count != before { return nil }
                    var reading: any RecordReading = SQLReading { [opened] in
                        try SQLiteQuery($0, of: $1, connection) {
                            try opened[$0] ?? self.table($0, connection)
                        }
                    }
                    return try body(note, &reading)
                }
            }
        }
        return pool.read(onWriter: types.contains(where: mayMake), read).then { [self] value in
            if let value { return .value(value) }
            // Nobody commits beside it there; where nothing is written, what others have is judged beside it.
            return pool.read(onWriter: true) { connection in
                for _ in 0..<(self.pool.isReadOnly ? 1_000 : 1) {
                    if let value = try read(connection) { return value }
                    usleep(1_000)
                }
                throw StoreError.unavailable("\(self.pool.path) is being written", .notApplied)
            }
        }
    }
}

extension SQLiteRecordStore: WaitingRecords {
    package func transaction<Result: Sendable>(
        fedBy feed: TransactionFeed,
        adding schemas: [ModelSchema],
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        defer { feed.note(pool) }
        return transaction(delayingReads: false, body)
    }
}

extension SQLiteRecordStore: ResumableRecords {
    /// The UUID of the file, which is made when it is first asked for.
    package func identity() -> Promise<String> {
        let find = { @Sendable (connection: SQLiteConnection) throws -> String? in
            if try connection.columns(ofTable: Self.identityTable).isEmpty { return nil }
            return try connection.texts("SELECT \"identity\" FROM \(Self.identityTable)").first
        }
        if pool.isReadOnly {
            return pool.read(onWriter: false) { connection in
                if let identity = try find(connection) { return identity }
                throw StoreError.unsupported("the file has no identity, and is not to be written")
            }
        }
        return pool.write { connection in
            if let identity = try find(connection) { return identity }
            return try connection.transaction {
                // Another process may have made it meanwhile.
                if let identity = try find(connection) { return identity }
                let identity = "\(UUIDv7.make())"
                let table = Self.identityTable
                try connection.execute(
                    "CREATE TABLE IF NOT EXISTS \(table) (\"identity\" TEXT NOT NULL)"
                )
                try connection.run(
                    "INSERT INTO \(table) (\"identity\") VALUES (?1)",
                    [.string(identity)]
                )
                return identity
            }
        }
    }

    private static let identityTable = "_modelkit_store"
}
