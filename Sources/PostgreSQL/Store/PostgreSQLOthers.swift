import Dispatch
import ModelKitModels
import ModelKitPromises
import ModelKitSQL
import ModelKitStores

/// Finds out what others have written, by the change log, while somebody observes what is stored.
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
        let stop = DispatchSemaphore(value: 0)
    }

    private struct State {
        var run: Run?
        var isClosed = false
    }

    private let pool: PostgreSQLPool
    private let tables: PostgreSQLTables
    private let log: PostgreSQLLog
    private let tokens: PostgreSQLTokens
    private let observers: RecordObservers
    private let events: StoreEvents?
    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "ModelKitPostgreSQL others")

    /// After so much time it reads if nobody has notified it.
    private let interval: Duration
    /// It reads no more often.
    private static let pause = Duration.milliseconds(20)
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
        return run.end.promise
    }

    // MARK: Reading

    /// Whether somebody observes; if not, the run has ended.
    private func goesOn() -> Bool {
        state.withLock { state in
            // Under the lock, so that one who comes now begins another run.
            if !state.isClosed, observers.isForOthers { return true }
            state.run = nil
            return false
        }
    }

    private func follow(_ run: Run) {
        var session: (connection: PostgreSQLConnection, reader: PostgreSQLLogReader)?
        var cursor: PostgreSQLLogReader.Cursor?
        var (failures, hasRead) = (0, false)
        var event = events?.begin(.follow)
        while goesOn() {
            do {
                let current = try session ?? connect(run)
                session = current
                current.connection.deadline = .now + pool.options.deadline
                let news = try current.reader.read(after: cursor, by: current.connection)
                current.connection.deadline = nil
                if news.isOther { try makeLog() }
                event = event ?? events?.begin(.follow)
                report(news, isFirst: cursor == nil, after: failures)
                cursor = news.cursor
                (failures, hasRead) = (0, true)
                _ = run.beginning.resolver.fulfill()
                try wait(current.connection)
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
                if failures == 2, hasRead { observers.noteOthers() }
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

    /// Notifies of what was read.
    private func report(
        _ news: PostgreSQLLogReader.News,
        isFirst: Bool,
        after failures: Int
    ) {
        if news.isIncomplete || isFirst && failures > 0 {
            return observers.noteEverything(of: tables)
        }
        observers.notifyOfOthers(changes(news))
        // Who has got a failure asks again.
        if failures > 1 { observers.noteOthers() }
    }

    private func changes(_ news: PostgreSQLLogReader.News) -> RecordChanges {
        var seen: Set<RecordChanges.Change> = []
        let changes = news.entries.flatMap { type, keys in
            // What the keys of other types are is not known.
            guard let keys, let table = tables.find(named: type),
                let identifiers = try? keys.map(table.identifier(ofText:))
            else { return [RecordChanges.Change(type: type, identifier: nil)] }
            return identifiers.map { RecordChanges.Change(type: type, identifier: $0) }
        }
        return RecordChanges(changes.filter { seen.insert($0).inserted })
    }

    /// Waits until there may be something to read.
    private func wait(_ connection: PostgreSQLConnection) throws {
        let (earliest, end) = (ContinuousClock.now + Self.pause, ContinuousClock.now + interval)
        var isNotified = false
        repeat {
            let rest = max(.zero, end - .now)
            let notifications = try connection.notifications(waiting: rest)
            isNotified = notifications.contains { $0.payload != tokens.name }
        } while !isNotified && end > .now && observers.isForOthers
        let pause = earliest - .now
        if isNotified, pause > .zero { sleep(forSeconds: pause / .seconds(1)) }
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
