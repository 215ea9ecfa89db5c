import ModelKitFields
import ModelKitStores

/// Whether something long on a connection is to be stopped, and can be.
// Safe: the variables are guarded by the lock.
final class SQLiteCancellation: @unchecked Sendable {
    private let lock = Lock()
    private var cancelled = false
    private var isClosed = false
    private var interrupter: SQLiteInterrupter?

    var isCancelled: Bool { lock.withLock { cancelled } }

    func cancel() {
        lock.withLock {
            if isClosed { return }
            cancelled = true
            interrupter?.interrupt()
        }
    }

    /// Has the statements that the body runs be interrupted when it is cancelled.
    func interrupting<Value>(
        _ connection: SQLiteConnection,
        _ body: () throws -> Value
    ) throws -> Value {
        try lock.withLock {
            if cancelled { throw StoreError.cancelled(.notApplied) }
            interrupter = SQLiteInterrupter(connection)
        }
        defer { lock.withLock { interrupter = nil } }
        return try body()
    }

    /// Throws if it was cancelled, between two statements.
    func check() throws(StoreError) {
        if isCancelled { throw .cancelled(.notApplied) }
    }

    /// Takes no more cancellations; throws if there was one.
    func close() throws {
        try lock.withLock {
            if cancelled { throw StoreError.cancelled(.notApplied) }
            isClosed = true
        }
    }
}
