import Dispatch
import ModelKitStores
import Synchronization

/// The connections of a store: one that writes, on a queue of its own, and others that read beside it.
///
/// Writes run in the order in which they were asked for. A read that is asked for while a write waits or
/// runs waits for it on the same queue, so it sees what was asked for before, awaited or not; all others
/// run side by side. A database in memory, and one without a log, has the one connection for everything.
///
/// Under its locks a body is only kept, taken out, or handed to a queue, and a connection is made that opens nothing:
/// bodies run, and are released, outside.
package final class SQLitePool: Sendable {
    let path: String
    /// Nil for a database that is only read.
    package let writer: SQLiteQueue?
    /// What finds out that others have committed: the writer, or a connection of its own, beside those that read; nil
    /// where nobody looks.
    let watcher: SQLiteQueue?
    /// Nil for a database in memory.
    let file: SQLiteFile?
    private let fileLock: SQLiteFileLock?
    /// Whether others may write to the file.
    let isShared: Bool
    /// Nil where one connection has to do.
    private let readers: Guarded<SQLiteReaders?>
    private let hasReaders: Bool

    /// The writes that were asked for last, as long as nothing else was since.
    private let group = Guarded<SQLiteGroup?>(nil)
    /// How many writes wait or run.
    private let writes = Atomic<Int>(0)
    /// The body of a transaction, in which the store itself must not be used.
    let body = TransactionBody()

    /// When the file was last where it was opened, in nanoseconds of uptime.
    private let placeSeen = Atomic<UInt64>(0)
    /// Whether somebody has found out that it was not, since that was last asked.
    let hasBeenLost = Atomic<Bool>(false)
    /// How big the log may grow before everybody has to wait until it is empty.
    private let logLimit = Atomic(SQLitePool.logStep)

    /// Those that were asked for, which have connections of their own.
    let backups = DispatchGroup()

    private let isClosing = Atomic<Bool>(false)
    private let closing = Promise<Void>.withResolvers()

    init(
        path: String,
        writer: SQLiteQueue? = nil,
        watcher: SQLiteQueue? = nil,
        file: SQLiteFile? = nil,
        fileLock: SQLiteFileLock? = nil,
        isShared: Bool = false,
        readers: SQLiteReaders? = nil
    ) {
        (self.path, self.writer, self.watcher, self.file) = (path, writer, watcher, file)
        (self.fileLock, self.isShared) = (fileLock, isShared)
        self.readers = Guarded(readers)
        hasReaders = readers != nil
    }

    deinit { close {} }

    /// Whether everything has to be read on other connections than the writer's.
    var isReadOnly: Bool { writer == nil }

    // MARK: Running

    /// Runs a write after everything that was asked for before on the same queue.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) -> Promise<Value> {
        write(delayingReads: true) { connection, cancellation in
            // One that has begun goes on.
            try cancellation.close()
            return try body(connection)
        }
    }

    /// The same.
    ///
    /// - Parameters:
    ///   - delaysReads: Whether reads that are asked for from now on wait for it, where they can be made beside it.
    ///   - body: What is to be done, which closes the cancellation once it goes on whatever comes.
    /// - Returns: What the body gives.
    func write<Value: Sendable>(
        delayingReads delaysReads: Bool,
        _ body: @escaping @Sendable (SQLiteConnection, SQLiteCancellation) throws -> Value
    ) -> Promise<Value> {
        if let refusal = refusal ?? TransactionFeed.refusal(by: self) { return .failed(refusal) }
        guard let writer else {
            return .failed(StoreError.unsupported("\(path) is open for reading only"))
        }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let cancellation = SQLiteCancellation(of: resolver)
        let count = delaysReads ? 1 : 0
        writes.add(count, ordering: .relaxed)
        enqueue(on: writer) { [self] connection in
            let result = Result {
                let connection = try connection.get()
                defer { connection.endTransaction() }
                try cancellation.check()
                // What is written to a file without a name is lost when it is closed.
                try checkPlace()
                return try body(connection, cancellation)
            }
            // Before the promise is settled: what its handlers read need not wait here.
            writes.subtract(count, ordering: .relaxed)
            resolver.settle(with: result, cancellation)
            if case .success(let connection) = connection { keepLogShort(connection) }
        }
        return promise
    }

    /// Makes writes after everything that was asked for before on the same queue, in one transaction with those that
    /// wait beside them, if there are any.
    ///
    /// - Parameters:
    ///   - records: The writes.
    ///   - commit: Makes the first of some, and returns how many, and what settles them.
    /// - Returns: What was made of them.
    func write(
        _ records: [RecordWrite],
        by commit: @escaping SQLiteGroup.Commit
    ) -> Promise<[RecordReceipt]> {
        if let refusal = refusal ?? TransactionFeed.refusal(by: self) { return .failed(refusal) }
        guard let writer else {
            return .failed(StoreError.unsupported("\(path) is open for reading only"))
        }
        let (promise, resolver) = Promise<[RecordReceipt]>.withResolvers()
        let cancellation = SQLiteCancellation(of: resolver)
        let write = SQLiteGroup.Write(
            writes: records,
            cancellation: cancellation,
            resolver: resolver
        )
        writes.add(1, ordering: .relaxed)
        // Enqueued under the lock, so that what is added comes after nothing that was asked for later.
        group.withLock { group in
            if group?.append(write) ?? false { return }
            let new = SQLiteGroup(write)
            group = new
            writer.run { [self] in run(new, $0, commit) }
        }
        return promise
    }

    private func run(
        _ group: SQLiteGroup,
        _ connection: Result<SQLiteConnection, any Error>,
        _ commit: SQLiteGroup.Commit
    ) {
        var rest = group.begin()[...]
        while !rest.isEmpty {
            let made = Result {
                let connection = try connection.get()
                defer { connection.endTransaction() }
                // What is written to a file without a name is lost when it is closed.
                try checkPlace()
                return commit(rest, connection)
            }
            let count = (try? made.get().count) ?? rest.count
            // Before the promises are settled: what their handlers read need not wait here.
            writes.subtract(count, ordering: .relaxed)
            switch made {
            case .success(let made): made.settle()
            case .failure(let error):
                for write in rest { write.settle(with: .failure(error)) }
            }
            rest = rest.dropFirst(count)
            if case .success(let connection) = connection { keepLogShort(connection) }
        }
    }

    /// Runs something after everything that was asked for before, writes among them.
    private func enqueue(on writer: SQLiteQueue, _ body: @escaping SQLiteQueue.Body) {
        group.withLock { group in
            group = nil
            writer.run(body)
        }
    }

    /// Runs a read that sees every write which was asked for before; on the connection that writes if it
    /// may have to, as at the first use of a table.
    func read<Value: Sendable>(
        onWriter: Bool,
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Value>.withResolvers()
        let cancellation = SQLiteCancellation(of: resolver)
        let read: SQLiteQueue.Body = { [self] connection in
            let result = Result {
                let connection = try connection.get()
                defer { connection.endTransaction() }
                let value = try cancellation.interrupting(connection) {
                    try checkPlaceSometimes()
                    return try body(connection)
                }
                // What has been read is given, whoever cancels it now.
                try cancellation.close()
                return value
            }
            resolver.settle(with: result, cancellation)
        }
        // What a transaction reads from must not wait for writes, which come after it.
        let waits = writes.load(ordering: .relaxed) > 0 && !TransactionFeed.isWaiting(self)
        if hasReaders, writer == nil || !onWriter && !waits {
            let (isTaken, queue) = readers.withLock { $0?.take(read) ?? (false, nil) }
            if let queue { serve(read, on: queue) }
            if isTaken { return promise }
        }
        if let refusal = TransactionFeed.refusal(by: self) { return .failed(refusal) }
        if let writer { enqueue(on: writer, read) } else { read(.failure(closed)) }
        return promise
    }

    /// Runs a read on one of the connections that only read, and then those that wait for it.
    private func serve(_ read: @escaping SQLiteQueue.Body, on queue: SQLiteQueue) {
        queue.run { [self] connection in
            var next: SQLiteQueue.Body? = read
            while let read = next {
                // What they cannot read, as when there is no descriptor for another one.
                if case .failure = connection, let writer {
                    writer.run(read)
                } else {
                    read(connection)
                }
                let paused: (@Sendable () -> Void)?
                (next, paused) = readers.withLock { $0?.next(for: queue) ?? (nil, nil) }
                paused?()
            }
        }
    }

    var isClosed: Bool { isClosing.load(ordering: .acquiring) }

    /// Why nothing is run now.
    private var refusal: StoreError? {
        isClosed ? closed : body.refusal
    }

    private var closed: StoreError { .unavailable("\(path): it is closed", .notApplied) }

    // MARK: The file

    /// For how long a file that is in its place is taken to stay there, as a read costs only some times more than
    /// asking.
    private static let placeInterval: UInt64 = 100_000_000

    /// Throws if the file is not where it was opened: an open one can be read and written after it was removed, or
    /// another one was put in its place.
    func checkPlace() throws(StoreError) {
        guard let file, !file.isInPlace else { return }
        // The next read finds out at once.
        placeSeen.store(0, ordering: .relaxed)
        hasBeenLost.store(true, ordering: .relaxed)
        throw .unavailable("\(path) was moved or removed", .notApplied)
    }

    /// A connection to a file that is where it was opened, or else the reason.
    func inPlace(
        _ connection: Result<SQLiteConnection, any Error>
    ) -> Result<SQLiteConnection, any Error> {
        do { try checkPlace() } catch { return .failure(error) }
        return connection
    }

    /// The same as `checkPlace`, but that it may have been there a tenth of a second ago.
    private func checkPlaceSometimes() throws(StoreError) {
        if file == nil { return }
        let now = DispatchTime.now().uptimeNanoseconds
        let seen = placeSeen.load(ordering: .relaxed)
        if now &- seen < Self.placeInterval { return }
        try checkPlace()
        // Not if somebody else has found out meanwhile that it is gone.
        _ = placeSeen.compareExchange(expected: seen, desired: now, ordering: .relaxed)
    }

    /// How much the log may grow at a time.
    private static let logStep = 64 << 20

    /// Empties the log if it is too big, between two transactions of the one who writes.
    ///
    /// It grows without end where somebody reads all the time: only what nobody reads any more can be written over.
    /// After every thousand pages SQLite copies it back as far as readers let it, and then begins at its start.
    /// Where they never do, they are held back once.
    private func keepLogShort(_ connection: SQLiteConnection) {
        guard hasReaders, let file else { return }
        let size = file.logSize
        guard size > logLimit.load(ordering: .relaxed) else { return }
        var isEmpty = (try? connection.emptyLog()) ?? false
        if !isEmpty {
            let isPaused = readers.withLock { readers in
                readers?.pause { [self] in
                    writer?.run { [self] connection in
                        if case .success(let connection) = connection { keepLogShort(connection) }
                    }
                }
            }
            if isPaused ?? false { return }
            // Those that were in the way may have ended meanwhile.
            isEmpty = (try? connection.emptyLog()) ?? false
        }
        // If not, somebody else reads; it is tried again when there is as much again.
        logLimit.store(isEmpty ? Self.logStep : size + Self.logStep, ordering: .relaxed)
    }

    // MARK: Closing

    /// Closes all connections after everything that was asked for before.
    func close() -> Promise<Void> {
        if let refusal = body.refusal { return .failed(refusal) }
        if !isClosing.exchange(true, ordering: .acquiringAndReleasing) {
            close { [resolver = closing.resolver] in resolver.fulfill() }
        }
        return closing.promise.map {}
    }

    /// The writer is closed last, as the last one copies the log back.
    private func close(_ completion: @escaping @Sendable () -> Void) {
        let (writer, fileLock) = (writer, fileLock)
        let watcher = writer == nil ? watcher : nil
        let readers = (readers.withLock { $0?.close() } ?? []) + [watcher].compactMap { $0 }
        backups.notify(queue: .global()) {
            let group = DispatchGroup()
            for queue in readers {
                group.enter()
                queue.close { group.leave() }
            }
            group.notify(queue: .global()) {
                guard let writer else { return completion() }
                writer.close {
                    fileLock?.unlock()
                    completion()
                }
            }
        }
    }
}

extension SQLiteCancellation {
    /// What stops the work for a promise that is cancelled, unless it is too late.
    fileprivate convenience init(of resolver: Resolver<some Sendable>) {
        self.init()
        resolver.whenCancelled { [self] in cancel() ? StoreError.cancelled(.notApplied) : nil }
    }
}

extension SQLiteConnection {
    /// Ends a transaction that is still open, as its end may have been interrupted, too: it would be that of all who
    /// come after.
    fileprivate func endTransaction() {
        if isInTransaction { try? execute("ROLLBACK") }
    }
}

extension Resolver {
    /// What was cancelled fails by that, also where whoever did it is not yet there.
    func settle(with result: Result<Value, any Error>, _ cancellation: SQLiteCancellation) {
        if cancellation.isCancelled {
            reject(StoreError.cancelled(.notApplied))
        } else {
            resolve(result.mapError { ($0 as? SQLiteBodyFailure)?.error ?? StoreError($0) })
        }
    }
}

/// What the body of a transaction has thrown, which is handed on as it is.
struct SQLiteBodyFailure: Error {
    let error: any Error
}
