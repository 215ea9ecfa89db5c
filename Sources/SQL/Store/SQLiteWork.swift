import ModelKitFields
import ModelKitStores

/// Something to do on a connection: it waits, runs and ends.
protocol SQLiteWork: AnyObject, Sendable {
    var kind: SQLiteWorkKind { get }

    /// Runs it, unless it was cancelled.
    func run(on connection: SQLiteConnection)

    /// Tells what has come of it; nothing, if it was cancelled.
    func settle()

    /// Fails without having run.
    func fail(_ error: any Error)
}

enum SQLiteWorkKind { case read, write }

/// The same with the promise of what comes of it.
final class SQLiteTask<Value: Sendable>: SQLiteWork {
    private enum Phase {
        case waiting
        case running(SQLiteInterrupter)
        case ended
    }

    private struct State: Sendable {
        var phase = Phase.waiting
        var result: Result<Value, any Error>?
    }

    let kind: SQLiteWorkKind
    private let body: @Sendable (SQLiteConnection) throws -> Value
    private let resolver: Resolver<Value>
    private let state = Guarded(State())

    var promise: Promise<Value> { resolver.promise }

    init(_ kind: SQLiteWorkKind, _ body: @escaping @Sendable (SQLiteConnection) throws -> Value) {
        self.kind = kind
        self.body = body
        resolver = Promise<Value>.withResolvers().resolver
        // What is not cancelled is settled by its queue, so the circle is opened at the end.
        resolver.whenCancelled { [self] in cancel() }
    }

    func run(on connection: SQLiteConnection) {
        let begun = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .running(SQLiteInterrupter(connection))
            return true
        }
        guard begun else { return }
        let result = Result { try body(connection) }
        // From here on nobody interrupts the connection because of it.
        state.withLock { ($0.phase, $0.result) = (.ended, result) }
        // Also the end of a transaction may have been interrupted, which would then be that of all others.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }

    /// Drops it while it waits, and interrupts a read; a write that has begun goes on.
    ///
    /// - Returns: The error to fail with; nil if it is too late.
    private func cancel() -> StoreError? {
        state.withLock { state in
            switch state.phase {
            case .waiting: state.phase = .ended
            case .running(let interrupter) where kind == .read: interrupter.interrupt()
            case .running, .ended: return nil
            }
            return .cancelled(.notApplied)
        }
    }

    func settle() {
        switch state.withLock({ $0.result }) {
        case .success(let value)?: resolver.fulfill(value)
        case .failure(let failure as SQLiteBodyFailure)?: resolver.reject(failure.error)
        case .failure(let error)?: resolver.reject(StoreError(error))
        case nil: break
        }
    }

    func fail(_ error: any Error) {
        resolver.reject(StoreError(error))
    }
}

/// What the body of a transaction has thrown, which is handed on as it is.
struct SQLiteBodyFailure: Error {
    let error: any Error
}
