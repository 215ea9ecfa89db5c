import Dispatch
import ModelKitFields
import ModelKitStores
import Synchronization

/// The connections of a store: one that writes, on a queue of its own, and others that read beside it.
///
/// Writes run in the order in which they were asked for. A read that is asked for while a write waits or
/// runs waits for it on the same queue, so it sees what was asked for before, awaited or not; all others
/// run side by side. A database in memory, and one without a log, has the one connection for everything.
package final class SQLitePool: Sendable {
    /// What the pool is made of.
    struct Parts {
        let path: String
        /// Nil for a database that is only read.
        var writer: SQLiteQueue?
        /// Nil where one connection has to do.
        var readers: SQLiteReaders?
        /// Nil for a database in memory.
        var file: SQLiteFile?
        var fileLock: SQLiteFileLock?
        /// Whether others may write to the file.
        var isShared = false
    }

    let path: String
    package let writer: SQLiteQueue?
    let isShared: Bool
    private let readers: SQLiteReaders?
    let file: SQLiteFile?
    private let place: SQLitePlace?
    private let fileLock: SQLiteFileLock?
    private let log: SQLiteLog?

    /// How many writes wait or run.
    private let writes = Atomic<Int>(0)
    /// The body of a transaction, in which the store itself must not be used.
    let body = TransactionBody()

    /// Those that were asked for, which have connections of their own.
    let backups = DispatchGroup()

    private let closing = Guarded<Promise<Void>?>(nil)
    private let isClosing = Atomic<Bool>(false)

    init(_ parts: Parts) {
        path = parts.path
        writer = parts.writer
        isShared = parts.isShared
        readers = parts.readers
        file = parts.file
        place = parts.file.map { SQLitePlace(of: $0, parts.path) }
        fileLock = parts.fileLock
        log = parts.readers.flatMap { _ in parts.file }.map { SQLiteLog(of: $0) }
    }

    deinit { close {} }

    /// Whether everything has to be read on other connections than the writer's.
    var isReadOnly: Bool { writer == nil }

    // MARK: Running

    /// Runs a write after everything that was asked for before on the same queue.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        guard let writer else {
            return .failed(StoreError.unsupported("\(path) is open for reading only"))
        }
        let task = SQLiteTask(.write) { [place] connection in
            // What is written to a file without a name is lost when it is closed.
            try place?.check()
            return try body(connection)
        }
        writes.add(1, ordering: .relaxed)
        run(task, on: writer)
        return task.promise
    }

    /// Runs a read that sees every write which was asked for before; on the connection that writes if it
    /// may have to, as at the first use of a table.
    func read<Value: Sendable>(
        onWriter: Bool,
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) -> Promise<Value> {
        if let refusal { return .failed(refusal) }
        let task = SQLiteTask(.read) { [place] connection in
            try place?.checkSometimes()
            return try body(connection)
        }
        if let readers, writer == nil || !onWriter && writes.load(ordering: .relaxed) == 0,
            readers.run(task, else: { [self] in refused($0, $1) })
        {
            return task.promise
        }
        if let writer { run(task, on: writer) } else { task.fail(closed) }
        return task.promise
    }

    private func run(_ work: any SQLiteWork, on writer: SQLiteQueue) {
        writer.run { [self] connection in
            switch connection {
            case .success(let connection): work.run(on: connection)
            case .failure(let error): work.fail(error)
            }
            // Before the promise is settled: what its handlers read need not wait here.
            if work.kind == .write { writes.subtract(1, ordering: .relaxed) }
            work.settle()
            if work.kind == .write, case .success(let connection) = connection {
                keepLogShort(connection)
            }
        }
    }

    /// Reads elsewhere what the readers could not, as when there is no descriptor for another one.
    private func refused(_ work: any SQLiteWork, _ error: any Error) {
        if let writer { run(work, on: writer) } else { work.fail(error) }
    }

    /// Why nothing is run now.
    private var refusal: StoreError? {
        isClosing.load(ordering: .acquiring) ? closed : body.refusal
    }

    private var closed: StoreError { .unavailable("\(path): it is closed", .notApplied) }

    // MARK: The log

    private func keepLogShort(_ connection: SQLiteConnection) {
        guard let log, let readers else { return }
        log.keepShort(connection) { [self] in
            readers.pause { [self] in
                writer?.run { [self] connection in
                    if case .success(let connection) = connection { keepLogShort(connection) }
                }
            }
        }
    }

    // MARK: Closing

    /// Closes all connections after everything that was asked for before.
    func close() -> Promise<Void> {
        if let refusal = body.refusal { return .failed(refusal) }
        let (promise, resolver) = Promise<Void>.withResolvers()
        let before = closing.withLock { closing in
            let before = closing
            closing = before ?? promise
            isClosing.store(true, ordering: .releasing)
            return before
        }
        if let before {
            resolver.fulfill()
            return before.map {}
        }
        close { resolver.fulfill() }
        return promise.map {}
    }

    /// The writer is closed last, as the last one copies the log back.
    private func close(_ completion: @escaping @Sendable () -> Void) {
        let (writer, readers, fileLock) = (writer, readers, fileLock)
        let closeWriter: @Sendable () -> Void = {
            guard let writer else { return completion() }
            writer.close {
                fileLock?.unlock()
                completion()
            }
        }
        backups.notify(queue: .global()) {
            if let readers { readers.close(closeWriter) } else { closeWriter() }
        }
    }
}
