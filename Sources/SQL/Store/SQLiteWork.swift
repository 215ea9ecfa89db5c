import ModelKitFields
import ModelKitStores

/// Something to do on a connection: it waits, runs and ends.
// Safe: the state is guarded by the lock; what subclasses add is only touched by who runs it.
class SQLiteWork: @unchecked Sendable {
    enum Kind { case read, write }

    private enum State {
        case waiting
        case running(SQLiteInterrupter)
        case ended
    }

    let kind: Kind
    private let lock = Lock()
    private var state = State.waiting

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Runs it, unless it was cancelled.
    final func run(on connection: SQLiteConnection) {
        let begun = lock.withLock {
            guard case .waiting = state else { return false }
            state = .running(SQLiteInterrupter(connection))
            return true
        }
        guard begun else { return }
        perform(connection)
        // From here on nobody interrupts the connection because of it.
        lock.withLock { state = .ended }
        // Also the end of a transaction may have been interrupted, which would then be that of all others.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }

    /// Drops it while it waits, and interrupts a read; a write that has begun goes on.
    ///
    /// - Returns: The error to fail with; nil if it is too late.
    final func cancel() -> StoreError? {
        lock.withLock {
            switch state {
            case .waiting: state = .ended
            case .running(let interrupter) where kind == .read: interrupter.interrupt()
            case .running, .ended: return nil
            }
            return .cancelled(.notApplied)
        }
    }

    func perform(_ connection: SQLiteConnection) {}

    /// Tells what has come of it; nothing, if it was cancelled.
    func settle() {}

    /// Fails without having run.
    func fail(_ error: any Error) {}
}

/// The same with the promise of what comes of it.
// Safe: the result is written and read by who runs it, one block after the other on a queue.
final class SQLiteTask<Value: Sendable>: SQLiteWork, @unchecked Sendable {
    private let body: @Sendable (SQLiteConnection) throws -> Value
    private let resolver: Resolver<Value>
    private var result: Result<Value, any Error>?

    var promise: Promise<Value> { resolver.promise }

    init(_ kind: Kind, _ body: @escaping @Sendable (SQLiteConnection) throws -> Value) {
        self.body = body
        resolver = Promise<Value>.withResolvers().resolver
        super.init(kind)
        // What is not cancelled is settled by its queue, so the circle is opened at the end.
        resolver.whenCancelled { [self] in cancel() }
    }

    override func perform(_ connection: SQLiteConnection) {
        result = Result { try body(connection) }
    }

    override func settle() {
        switch result {
        case .success(let value)?: resolver.fulfill(value)
        case .failure(let failure as SQLiteBodyFailure)?: resolver.reject(failure.error)
        case .failure(let error)?: resolver.reject(StoreError(error))
        case nil: break
        }
    }

    override func fail(_ error: any Error) {
        resolver.reject(StoreError(error))
    }
}

/// What the body of a transaction has thrown, which is handed on as it is.
struct SQLiteBodyFailure: Error {
    let error: any Error
}
