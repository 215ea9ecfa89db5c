import Dispatch
import ModelKitModels
import ModelKitPromises
import ModelKitSQL
import ModelKitStores

/// Finds out what was written, by the change log, while somebody observes what is stored.
///
/// Those who judge commits get all of them by it, as only the log has them in an order, with their records as they are
/// at the moment that was read; others get those of others.
///
/// It reads on a connection of its own, once for all who observe: when it is notified that there is something, and now
/// and then, as who writes may have ended before it could notify.
final class PostgreSQLOthers: Sendable {
    /// From the first who observes to the last one.
    private final class Run: Sendable {
        /// Ends when it is known from where to read.
        let beginning = Promise<Void>.withResolvers()
        let end = Promise<Void>.withResolvers()
        let cancellation = PostgreSQLCancellation()
        let wakeUp = PostgreSQLWakeUp()
        let stop = DispatchSemaphore(value: 0)
    }

    private struct State {
        var run: Run?
        var isClosed = false
        /// Whether what is committed is seen by the log.
        var isReading = false
    }

    private let pool: PostgreSQLPool
    private let tables: PostgreSQLTables
    private let log: PostgreSQLLog
    private let tokens: PostgreSQLTokens
    private let observers: RecordObservers
    private let events: StoreEvents?
    private let state = Guarded(State())
    private let gate = PostgreSQLReadingGate()
    private let queue = DispatchQueue(label: "ModelKitPostgreSQL others")

    /// After so much time it reads if nobody has notified it.
    private let interval: Duration
    /// The least time between two reads: after what others have written, and after what the store has.
    private static let pauses = (others: Duration.milliseconds(20), own: Duration.milliseconds(1))
    /// For the end of a transaction that only reads.
    private static let endingTime = Duration.seconds(5)
    private static let backoff = PromiseBackoff.exponential(
        from: .milliseconds(50),
        upTo: .seconds(2)
    ).jittered()

    init(
        _ pool: PostgreSQLPool,
        _ tables: PostgreSQLTables,
        _ log: PostgreSQLLog,
        _ tokens: PostgreSQLTokens,
        _ observers: RecordObservers,
        _ events: StoreEvents?
    ) {
        (self.pool, self.tables, self.log, self.tokens) = (pool, tables, log, tokens)
        (self.observers, self.events) = (observers, events)
        interval = pool.options.mode == .direct ? .milliseconds(500) : .milliseconds(50)
    }

    /// Begins to read, unless it has; it ends by itself when nobody observes any more.
    ///
    /// Whoever observes was added before.
    func begin() {
        let run = state.withLock { state -> Run? in
            if state.isClosed || state.run != nil { return nil }
            state.run = Run()
            return state.run
        }
        if let run { queue.async { [self] in follow(run) } }
    }

    /// Ends when who observes is notified of all that is committed from then on; nil if that is so, or nobody observes.
    var beginning: Promise<Void>? {
        let promise = state.withLock { $0.run?.beginning.promise }
        return promise.flatMap { $0.isSettled ? nil : $0 }
    }

    /// Ends it for good.
    @discardableResult
    func end() -> Promise<Void> {
        let run = state.withLock { state in
            state.isClosed = true
            return state.run
        }
        guard let run else { return .value(()) }
        run.cancellation.cancel()
        run.stop.signal()
        run.wakeUp.send()
        return run.end.promise
    }

    /// Notes that the store itself has committed something.
    ///
    /// - Returns: Whether the log is read for those who judge it.
    func noteOwn() -> Bool {
        let (run, isReading) = state.withLock { ($0.run, $0.isReading) }
        if isReading, observers.isStillJudged { run?.wakeUp.send() }
        return isReading
    }

    /// Runs what takes the moment of a read, while nothing is read that is judged later.
    func atOneMoment<Value>(
        until end: ContinuousClock.Instant?,
        _ body: () throws -> Value
    ) throws -> Value {
        try gate.entering(until: end, body)
    }

    // MARK: Reading

    /// Whether somebody observes; if not, the run has ended.
    private func goesOn() -> Bool {
        state.withLock { state in
            // Under the lock, so that one who comes now begins another run.
            if !state.isClosed, observers.isForOthers { return true }
            (state.run, state.isReading) = (nil, false)
            return false
        }
    }

    private func follow(_ run: Run) {
        var session: (connection: PostgreSQLConnection, reader: PostgreSQLLogReader)?
        var cursor: PostgreSQLLogReader.Cursor?
        var failures = 0
        var event = events?.begin(.follow)
        while goesOn() {
            do {
                let current = try session ?? connect(run)
                session = current
                current.connection.deadline = .now + pool.options.deadline
                let start = ContinuousClock.now
                let (news, judges) = try gate.passing {
                    let (news, judged) = try read(after: cursor, current.reader, current.connection)
                    let isWhole =
                        news.isIncomplete || failures > 0 && (cursor == nil || failures > 1)
                    return (news, observers.judge(isWhole ? nil : judged))
                }
                current.connection.deadline = nil
                if news.isOther { try makeLog() }
                event = event ?? events?.begin(.follow)
                report(news, isFirst: cursor == nil, after: failures)
                for judge in judges { judge.notify() }
                cursor = news.cursor
                failures = 0
                state.withLock { $0.isReading = true }
                _ = run.beginning.resolver.fulfill()
                try wait(current.connection, since: start, or: run.wakeUp)
            } catch {
                session?.connection.close()
                session = nil
                if run.cancellation.isCancelled { continue }
                event?.end(.failure(StoreError(error)))
                event = nil
                // Too much has come meanwhile.
                if (error as? PostgreSQLError)?.kind == .timedOut { cursor = nil }
                failures += 1
                // Whoever asks now gets the reason.
                _ = run.beginning.resolver.fulfill()
                let wasReading = state.withLock { state in
                    defer { state.isReading = failures < 2 && state.isReading }
                    return state.isReading
                }
                // What the store itself commits is not seen by the log any more.
                if failures == 2, wasReading { observers.noteOthers() }
                let pause = Self.backoff.pause(after: failures)
                _ = run.stop.wait(timeout: .now() + .milliseconds(Int(pause.milliseconds)))
            }
        }
        event?.end(.success(nil))
        session?.connection.close()
        run.beginning.resolver.fulfill()
        run.end.resolver.fulfill()
    }

    /// Has the log begin anew if it is a copy, unless that is for others to do.
    private func makeLog() throws {
        do {
            try tables.makeLog()
        } catch let error as PostgreSQLError where error.isRefusal {}
    }

    private func connect(
        _ run: Run
    ) throws -> (connection: PostgreSQLConnection, reader: PostgreSQLLogReader) {
        let connection = try pool.connectBeside()
        connection.cancellation = run.cancellation
        connection.deadline = .now + pool.options.deadline
        // What is kept of a connection behind a pooler is another one's.
        if pool.options.mode == .direct {
            try connection.execute("LISTEN \(quoted(name: log.channel))")
        }
        return (connection, try PostgreSQLLogReader(log, tokens, connection))
    }

    /// Reads what is new, with the records that are judged, all of one moment; without records where nobody judges it.
    private func read(
        after cursor: PostgreSQLLogReader.Cursor?,
        _ reader: PostgreSQLLogReader,
        _ connection: PostgreSQLConnection
    ) throws -> (news: PostgreSQLLogReader.News, judged: RecordChanges?) {
        guard observers.isStillJudged else {
            let news = try reader.read(after: cursor, by: connection)
            // Whoever has begun meanwhile may have missed something of the store's own.
            return (news, observers.isStillJudged ? nil : RecordChanges([]))
        }
        defer {
            connection.deadline = .now + Self.endingTime
            connection.endTransaction()
        }
        let news = try reader.read(after: cursor, isWhole: true, by: connection)
        return (news, try withRows(changes(news.entries), connection))
    }

    /// Adds to changes the records that are judged.
    private func withRows(
        _ changes: RecordChanges,
        _ connection: PostgreSQLConnection
    ) throws -> RecordChanges {
        if changes.changes.count > RecordChanges.mostRows { return changes }
        var found: [ObjectIdentifier: [Identifier: Record]] = [:]
        for (table, identifiers) in changes.identifiers(tables)
        where observers.needsNewRows(of: table.schema) {
            do {
                let records = try table.records(identifiers, connection)
                found[ObjectIdentifier(table.schema)] = Dictionary(
                    records.map { ($0.identifier, $0) }
                ) { $1 }
            } catch let error as PostgreSQLError where !error.isRefusal || error.kind == .timedOut {
                throw error
            } catch {
                // Whoever asks for everything gets the reason.
            }
        }
        return observers.readingRows(changes) { [found] schema, identifier in
            guard let records = found[ObjectIdentifier(schema)] else {
                throw StoreError.notFound(type: schema.name, identifier: identifier)
            }
            return records[identifier]
        }
    }

    /// Notifies of what was read.
    private func report(
        _ news: PostgreSQLLogReader.News,
        isFirst: Bool,
        after failures: Int
    ) {
        if news.isIncomplete || isFirst && failures > 0 {
            return observers.noteEverything(of: tables)
        }
        observers.notify(
            changes(news.entries.filter { !$0.isOwn }),
            judged: [],
            ofOthers: true
        )
    }

    private func changes(_ entries: [PostgreSQLLogReader.Entry]) -> RecordChanges {
        let changes = entries.flatMap { entry in
            // What the keys of other types are is not known.
            guard let keys = entry.keys, let table = tables.find(named: entry.type),
                let identifiers = try? keys.map(table.identifier(ofText:)),
                // One that is written in another way would not be found.
                identifiers.allSatisfy(table.identifierColumn.canHold),
                identifiers.count == entry.revisions.count
            else { return [RecordChanges.Change(type: entry.type, identifier: nil)] }
            return zip(identifiers, entry.revisions).map { identifier, revision in
                RecordChanges.Change(
                    LoggedWrite(
                        schema: table.schema,
                        identifier: identifier,
                        revision: revision,
                        isDeletion: entry.isDeletion
                    )
                )
            }
        }
        return RecordChanges(merging: changes)
    }

    /// Waits until there may be something to read.
    private func wait(
        _ connection: PostgreSQLConnection,
        since start: ContinuousClock.Instant,
        or wakeUp: PostgreSQLWakeUp
    ) throws {
        let end = ContinuousClock.now + interval
        var (isNotified, isWoken) = (false, false)
        repeat {
            let rest = max(.zero, end - .now)
            let notifications = try connection.notifications(waiting: rest, or: wakeUp)
            isNotified = notifications.contains { $0.payload != tokens.name }
            isWoken = notifications.isEmpty && end > .now
        } while !isNotified && !isWoken && end > .now && observers.isForOthers
        let pause = start + (isNotified ? Self.pauses.others : Self.pauses.own) - .now
        if isNotified || isWoken, pause > .zero { sleep(forSeconds: pause / .seconds(1)) }
    }
}

extension RecordChanges {
    /// The records that were written, by their tables.
    fileprivate func identifiers(
        _ tables: PostgreSQLTables
    ) -> [(table: PostgreSQLTable, identifiers: [Identifier])] {
        Dictionary(grouping: changes.filter { $0.identifier != nil }, by: \.type)
            .compactMap { type, changes in
                tables.find(named: type).map { ($0, changes.compactMap(\.identifier)) }
            }
    }
}

extension RecordObservers {
    /// Notifies of any change of every type, where it is not known what was written, or whether it was.
    func noteEverything(of tables: PostgreSQLTables, isOwn: Bool = false) {
        noteOthers()
        let types = tables.types.map { RecordChanges.Change(type: $0, identifier: nil) }
        notify(RecordChanges(types), judged: [], ofOthers: !isOwn)
    }
}
