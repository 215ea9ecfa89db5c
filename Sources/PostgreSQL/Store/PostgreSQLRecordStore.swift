import Dispatch
public import ModelKitModels
public import ModelKitPromises
import ModelKitSQL
public import ModelKitStores

/// Records in a PostgreSQL database: a table for each model type, a typed column for each field.
///
/// ```swift
/// let store = try PostgreSQLModelStore("postgres:///people")
/// let records = try await store.records.fetch(RecordQuery(limit: 10), of: Person.schema).value
/// ```
///
/// Each use runs on a connection that it has for itself, as many at once as the pool has connections. The promise of a
/// lookup or a write of one record is mostly settled on one thread, which waits for the answers of all connections; others are settled
/// on the threads on which they ran. What is cancelled before its turn is not done; a read that has begun is cancelled
/// on the server, a write is not.
public final class PostgreSQLRecordStore: RepeatingRecords {
    let pool: PostgreSQLPool
    let tables: PostgreSQLTables
    let log: PostgreSQLLog
    package let observers = RecordObservers()
    let tokens = PostgreSQLTokens()
    /// Nil where there is no log.
    let others: PostgreSQLOthers?
    let notifier: PostgreSQLNotifier
    let events: StoreEvents?

    init(
        _ pool: PostgreSQLPool,
        _ tables: PostgreSQLTables,
        _ log: PostgreSQLLog,
        _ events: StoreEvents? = nil
    ) {
        (self.pool, self.tables, self.log, self.events) = (pool, tables, log, events)
        others =
            pool.options.mode == .portable
            ? nil : PostgreSQLOthers(pool, tables, log, tokens, observers, events)
        notifier = PostgreSQLNotifier(pool, log, tokens, events)
    }

    deinit { others?.end() }

    public func perform(_ writes: [RecordWrite]) -> Promise<[RecordReceipt]> {
        if writes.isEmpty { return write { _ in [] } }
        return write(isRepeated: true) { [self] connection in
            try roundTrip(of: writes, connection)
        } otherwise: { [self] connection in
            let made = try commit(writes, connection)
            report(made.changes)
            return made.receipts
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

    private func answer<Value: Sendable>(
        _ query: RecordQuery,
        of schema: ModelSchema,
        for aggregate: RecordAggregate? = nil,
        _ body: @escaping @Sendable (PostgreSQLQuery) throws -> Value
    ) -> Promise<Value> {
        do {
            try aggregate?.check(of: schema)
            try query.check(of: schema)
        } catch {
            return .failed(error)
        }
        return following { [self] end in
            read(until: end) { [tables] connection in
                let find = tables.opening(for: connection)
                return try body(PostgreSQLQuery(query, of: schema, connection, find))
            }
        }
    }

    public func record(_ identifier: Identifier, of schema: ModelSchema) -> Promise<Record?> {
        following { [self] end in
            read(until: end) { [tables] in
                guard let table = try tables.find(schema),
                    let statement = try table.selection(of: identifier)
                else { return nil }
                return (statement, { try table.record(in: $0) })
            } otherwise: { [tables] connection in
                try tables.open(schema, for: connection).record(identifier, connection)
            }
        }
    }

    /// Runs the body in a serializable transaction, on a thread of the store's.
    ///
    /// Where the server gives it up for the sake of another one, the body runs again, up to ten times: what it does
    /// beside the transaction is to be such that it may be done again.
    public func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordTransaction) throws -> Result
    ) -> Promise<Result> {
        write(isRepeated: true) { [self] connection in
            let (result, changes) = try commit(body, connection)
            if !changes.isEmpty { report(RecordChanges(changes)) }
            return result
        }
    }

    /// Notifies of what was committed: those who judge it by the log, if there is one.
    func report(_ changes: @autoclosure () -> RecordChanges) {
        notifier.note()
        let isLogRead = others?.noteOwn() ?? false
        observers.notify(changes(), judged: isLogRead ? [] : nil)
    }

    /// Calls the handler after each commit of the store, on the thread that has the answer: that on which the write
    /// ran, or of a write of one record the one that waits for all answers; and after those of others, soon, on a
    /// thread of its own, once for all that have come meanwhile.
    ///
    /// - Parameter handler: What to do, without waiting.
    /// - Returns: What ends it; nil from a store that only reads.
    public func observeChanges(
        _ handler: @escaping @Sendable (RecordChanges) -> Void
    ) -> RecordObservation? {
        let observation = observers.add(handler)
        return beginJudging() ? observation : nil
    }

    // MARK: Running

    /// So often a write is done again whose process has ended, as it may be the write that ends it.
    private static let mostEnds = 5

    /// - Parameters:
    ///   - isCancellable: Whether it is cancelled with the promise once it has begun.
    ///   - isRepeated: Whether it is done again, within the same time, where its connection ends and nothing of it is
    ///     there, as when a server is started again, or a pooler reports that it is away.
    ///   - roundTrip: What it sends where it is one round trip.
    ///   - body: What it does.
    /// - Returns: What that gives.
    func write<Value: Sendable>(
        isCancellable: Bool = false,
        isRepeated: Bool = false,
        sending roundTrip: (
            @Sendable (PostgreSQLConnection) throws -> PostgreSQLRoundTrip<Value>?
        )? = nil,
        otherwise body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) -> Promise<Value> {
        if pool.options.isReadOnly {
            return .failed(StoreError.unsupported("the store is open for reading only"))
        }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let end = UseDeadline.end(within: pool.options.deadline)
        @Sendable func run(after pause: Duration, ends: Int = 0) {
            let use = pool.run(
                deadline: end - .now,
                isCancellable: isCancellable,
                sending: roundTrip,
                body
            )
            settle(resolver, by: use) { error in
                guard isRepeated, let lost = error as? PostgreSQLNotApplied, .now + pause < end
                else { return false }
                let ends = ends + (lost.error.isOfProcess ? 1 : 0)
                if ends > Self.mostEnds { return false }
                let wait = PostgreSQLCancellation()
                resolver.whenCancelled { wait.cancel() ? StoreError.cancelled(.notApplied) : nil }
                Promise<Void>.timer(pause, SuspendingClock()).observe { _ in
                    // It may have been cancelled by what decided about that before.
                    guard wait.close(), !resolver.promise.isSettled else { return }
                    run(after: min(pause * 2, .milliseconds(500)), ends: ends)
                }
                return true
            }
        }
        run(after: .milliseconds(20))
        return promise
    }

    /// Runs a read, once more if the connection turns out to be broken, within the same time.
    ///
    /// - Parameters:
    ///   - end: Until when.
    ///   - statement: The one statement by which it is made, and what its answer is; nil where there is more to do.
    ///   - read: What is done where there is.
    /// - Returns: What that gives.
    func read<Value: Sendable>(
        until end: ContinuousClock.Instant? = nil,
        sending statement: (
            @Sendable () throws -> (
                PostgreSQLStatement, @Sendable (PostgreSQLResult) throws -> Value
            )?
        )? = nil,
        otherwise read: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) -> Promise<Value> {
        // Some servers give up a read as well.
        let body: @Sendable (PostgreSQLConnection) throws -> Value = { connection in
            try connection.repeating { try read(connection) }
        }
        let end = end ?? .now + pool.options.deadline
        let roundTrip = statement.map { statement in
            { @Sendable (_: PostgreSQLConnection) throws -> PostgreSQLRoundTrip<Value>? in
                guard let (statement, value) = try statement() else { return nil }
                return PostgreSQLRoundTrip(statements: [statement]) { results in
                    try results.last.map(value)
                } otherwise: { connection, error in
                    if let error, error.isLost || error.isEnd { throw error }
                    if error?.sqlState == "26000" { try connection.checkBackend() }
                    return try body(connection)
                }
            }
        }
        let run = pool.run(
            deadline: end - .now,
            isCancellable: true,
            sending: roundTrip,
            body
        ).recoverWith {
            [self] error in
            guard let error = error as? PostgreSQLError, error.kind == .connectionLost else {
                return .failed(error)
            }
            return again(body, until: end, after: .milliseconds(20))
        }
        return mapping(run, isRead: true)
    }

    /// Runs a read once more; and where a pooler reports that its server is away, until the end.
    private func again<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value,
        until end: ContinuousClock.Instant,
        after pause: Duration
    ) -> Promise<Value> {
        pool.run(deadline: end - .now, isCancellable: true, body).recoverWith { [self] error in
            guard let error = error as? PostgreSQLError, error.kind == .connectionLost,
                error.sqlState != nil, pool.options.mode != .direct, .now + pause < end
            else { return .failed(error) }
            return Promise<Void>.timer(pause, SuspendingClock()).then { [self] in
                again(body, until: end, after: min(pause * 2, .milliseconds(500)))
            }
        }
    }

    /// Runs a read, but not before it is known from where on others are followed: of what it does not see whoever
    /// observes is notified.
    private func following<Value>(
        _ read: @escaping @Sendable (_ end: ContinuousClock.Instant?) -> Promise<Value>
    ) -> Promise<Value> {
        guard let beginning = others?.beginning else { return read(nil) }
        // It is known of the caller alone.
        if let refusal = pool.refusalOfUse { return mapping(.failed(refusal)) }
        let end = ContinuousClock.now + pool.options.deadline
        let (promise, resolver) = Promise<Value>.withResolvers()
        resolver.whenCancelled { StoreError.cancelled(.notApplied) }
        // It is over when that is known, too.
        let timer = Promise<Void>.timer(pool.options.deadline, SuspendingClock())
        timer.observe { _ in if !resolver.promise.isSettled { resolver.follow(read(end)) } }
        beginning.observe { _ in timer.cancel() }
        return mapping(promise)
    }

    private func mapping<Value>(
        _ promise: Promise<Value>,
        isRead: Bool = false
    ) -> Promise<Value> {
        let (mapped, resolver) = Promise<Value>.withResolvers()
        settle(resolver, by: promise, isRead: isRead)
        return mapped
    }

    /// Settles a promise by the outcome of a use.
    ///
    /// - Parameters:
    ///   - resolver: That of the promise.
    ///   - use: The use.
    ///   - isRead: Whether it has only read.
    ///   - again: Whether it is done again after an error, which settles the promise later.
    private func settle<Value>(
        _ resolver: Resolver<Value>,
        by use: Promise<Value>,
        isRead: Bool = false,
        orAgain again: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        resolver.whenCancelled { use.cancelled().map { StoreError($0) } }
        use.observe { result in
            if case .failure(let error) = result, again(error) { return }
            resolver.resolve(
                result.mapError { error in
                    if let failure = error as? PostgreSQLBodyFailure { return failure.error }
                    // A read has left nothing behind in any case.
                    if isRead, let error = error as? PostgreSQLError, error.isLost {
                        return StoreError(error, .notApplied)
                    }
                    return StoreError(error)
                }
            )
        }
    }

    func close() -> Promise<Void> {
        let closed = pool.close().then { [others, notifier, tables] in
            zip(others?.end() ?? .value(()), notifier.close(), tables.settled()).map { _ in }
        }
        // It is refused in the body of a transaction.
        closed.observe { [observers] in if case .success = $0 { observers.close() } }
        return mapping(closed)
    }
}

extension PostgreSQLRecordStore: JudgedRecords {
    package var areJudgedLater: Bool { others != nil }

    package func read<Note: Sendable, Value: Sendable>(
        _ types: [ModelSchema],
        noting note: @escaping @Sendable () -> Note,
        _ body: @escaping @Sendable (Note, inout any RecordReading) throws -> Value
    ) -> Promise<Value> {
        following { [self] end in
            read(until: end) { [self] connection in
                for type in types { _ = try tables.open(type, for: connection) }
                defer { connection.endTransaction() }
                let begin = {
                    let note = note()
                    // The moment is that of the first statement.
                    try connection.run([.snapshot, PostgreSQLStatement("SELECT 1")])
                    return note
                }
                let note = try others?.atOneMoment(until: connection.deadline, begin) ?? begin()
                let find = tables.opening(for: connection)
                var reading: any RecordReading = SQLReading {
                    try PostgreSQLQuery($0, of: $1, connection, find)
                }
                return try body(note, &reading)
            }
        }
    }

    package func beginJudging() -> Bool {
        // What it reads may be a copy, which has no log that can be followed.
        if pool.options.isReadOnly { return false }
        others?.begin()
        return true
    }
}
