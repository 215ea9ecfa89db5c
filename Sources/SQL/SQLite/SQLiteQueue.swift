import Dispatch
import ModelKitValues

/// A connection and the serial queue on which alone it is used.
///
/// SQLite blocks the thread that calls it, which the threads of Swift's tasks must not be; the queue
/// brings its own.
///
/// ```swift
/// let queue = try SQLiteQueue(path: "people.db")
/// let count = try queue.runNow { connection in
///     try connection.withStatement("SELECT count(*) FROM people") { count in
///         _ = try count.step()
///         return count.int64(at: 0)
///     }
/// }
/// ```
///
/// Bodies run one at a time in the order in which they were given. The file is closed when the last
/// reference is gone and what was given has run, or by `close()`.
package final class SQLiteQueue: Sendable {
    /// What is done with the connection, or where there is none, with the reason.
    package typealias Body = @Sendable (Result<SQLiteConnection, any Error>) -> Void

    private let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()
    private let path: String
    private let open: @Sendable () throws -> SQLiteConnection

    private enum State {
        case waiting
        case open(SQLiteConnection)
        case closed

        var connection: SQLiteConnection? {
            if case .open(let connection) = self { connection } else { nil }
        }
    }

    /// Of `queue`, whose blocks the connection cannot leave: bodies are @Sendable, so they can neither return it nor keep
    /// it, as it is not Sendable.
    private let confined = Confined(State.waiting)

    /// Opens the database on the calling thread.
    ///
    /// Throws `SQLiteError`, `SQLiteLibraryError`, and what the check throws, which is made before the
    /// file is changed.
    package convenience init(
        path: String,
        configuration: SQLiteConfiguration = SQLiteConfiguration(),
        library: SQLiteLibrary? = nil,
        check: @escaping @Sendable (SQLiteConnection) throws -> Void = { _ in }
    ) throws {
        self.init(path: path) {
            try SQLiteConnection(
                path: path,
                configuration: configuration,
                library: library,
                check: check
            )
        }
        _ = try opened()
    }

    /// A queue that opens the database on its own thread when it is first needed; what is given to it
    /// meets the error, if that fails, and the next one tries again.
    init(path: String, opening open: @escaping @Sendable () throws -> SQLiteConnection) {
        self.path = path
        self.open = open
        queue = DispatchQueue(label: "ModelKitSQL \(path)")
        queue.setSpecific(key: key, value: true)
    }

    deinit {
        // The block is the last one, since each block keeps `self`.
        queue.async { [confined] in confined.state.connection?.close() }
    }

    private var state: State {
        get { confined.state }
        set { confined.state = newValue }
    }

    private func opened() throws -> SQLiteConnection {
        switch state {
        case .open(let connection): return connection
        // What comes too late must not open the file again, which somebody knows to be closed.
        case .closed: throw misuse("it is closed")
        case .waiting: break
        }
        let connection = try open()
        state = .open(connection)
        return connection
    }

    private func misuse(_ message: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLiteError.Code.misuse, message: message, path: path)
    }

    /// Runs the body on the queue, with the connection or why there is none.
    package func run(_ body: @escaping Body) {
        queue.async { [self] in body(Result { try opened() }) }
    }

    /// Closes the file after everything that was given before, and then calls the closure on the queue.
    package func close(_ completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            state.connection?.close()
            state = .closed
            completion()
        }
    }

    /// Runs the body on the queue and blocks the calling thread until it has run.
    ///
    /// Inside a body of the same queue it would wait for itself: it throws `SQLiteError` instead.
    @available(*, noasync, message: "use run(_:)")
    package func runNow<Value: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws -> Value
    ) throws -> Value {
        guard DispatchQueue.getSpecific(key: key) == nil else {
            throw misuse("runNow inside a body of the same queue would wait for itself")
        }
        return try queue.sync { try body(opened()) }
    }
}
