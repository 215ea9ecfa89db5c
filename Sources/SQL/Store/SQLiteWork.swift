import ModelKitFields
import ModelKitStores

/// Something to do on a connection: it waits, runs and ends.
protocol SQLiteWork: AnyObject, Sendable {
    var kind: SQLiteWorkKind { get }

    /// Runs it, unless it was cancelled.
    func run(on connection: SQLiteConnection)

    /// Settles the promise, unless it was cancelled.
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
        /// With what settles the promise, if it has run.
        case ended(settle: (@Sendable () -> Void)?)
    }

    let kind: SQLiteWorkKind
    private let body: @Sendable (SQLiteConnection) throws -> Value
    private let resolver: Resolver<Value>
    private let phase = Guarded(Phase.waiting)

    var promise: Promise<Value> { resolver.promise }

    init(_ kind: SQLiteWorkKind, _ body: @escaping @Sendable (SQLiteConnection) throws -> Value) {
        self.kind = kind
        self.body = body
        resolver = Promise<Value>.withResolvers().resolver
        // What is not cancelled is settled by its queue, so the circle is opened at the end.
        resolver.whenCancelled { [self] in cancel() }
    }

    func run(on connection: SQLiteConnection) {
        let begun = phase.withLock { phase in
            guard case .waiting = phase else { return false }
            phase = .running(SQLiteInterrupter(connection))
            return true
        }
        guard begun else { return }
        let result = Result { try body(connection) }
        let ended = Phase.ended { [resolver] in resolver.settle(with: result) }
        // From here on nobody interrupts the connection because of it.
        phase.withLock { $0 = ended }
        // Also the end of a transaction may have been interrupted, which would then be that of all others.
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
    }

    /// Drops it while it waits, and interrupts a read; a write that has begun goes on.
    ///
    /// - Returns: The error to fail with; nil if it is too late.
    private func cancel() -> StoreError? {
        phase.withLock { phase in
            switch phase {
            case .waiting: phase = .ended(settle: nil)
            case .running(let interrupter) where kind == .read: interrupter.interrupt()
            case .running, .ended: return nil
            }
            return .cancelled(.notApplied)
        }
    }

    func settle() {
        if case .ended(let settle?) = phase.withLock({ $0 }) { settle() }
    }

    func fail(_ error: any Error) {
        resolver.reject(StoreError(error))
    }
}

extension Resolver {
    fileprivate func settle(with result: Result<Value, any Error>) {
        switch result {
        case .success(let value): fulfill(value)
        case .failure(let failure as SQLiteBodyFailure): reject(failure.error)
        case .failure(let error): reject(StoreError(error))
        }
    }
}

/// What the body of a transaction has thrown, which is handed on as it is.
struct SQLiteBodyFailure: Error {
    let error: any Error
}
