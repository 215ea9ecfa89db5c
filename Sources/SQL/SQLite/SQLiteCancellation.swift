import ModelKitStores

/// Whether something long on a connection is to be stopped, and can be.
final class SQLiteCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var isClosed = false
        var interrupter: SQLiteInterrupter?
    }

    private let state = Guarded(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Stops it.
    ///
    /// - Returns: False if it is too late.
    @discardableResult
    func cancel() -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.isCancelled = true
            state.interrupter?.interrupt()
            return true
        }
    }

    /// Has the statements that the body runs be interrupted when it is cancelled.
    func interrupting<Value>(
        _ connection: SQLiteConnection,
        _ body: () throws -> Value
    ) throws -> Value {
        let former = try state.withLock { state in
            if state.isCancelled { throw StoreError.cancelled(.notApplied) }
            defer { state.interrupter = SQLiteInterrupter(connection) }
            return state.interrupter
        }
        defer { state.withLock { $0.interrupter = former } }
        return try body()
    }

    /// Throws if it was cancelled, between two statements.
    func check() throws(StoreError) {
        if isCancelled { throw .cancelled(.notApplied) }
    }

    /// Takes no more cancellations; throws if there was one.
    func close() throws {
        try state.withLock { state in
            if state.isCancelled { throw StoreError.cancelled(.notApplied) }
            state.isClosed = true
        }
    }
}
