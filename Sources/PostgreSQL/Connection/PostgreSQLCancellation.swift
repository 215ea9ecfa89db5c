import ModelKitValues

/// Whether what is done on a connection is to be stopped, and can be.
package final class PostgreSQLCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var isClosed = false
        /// That of the connection, while a statement runs.
        var request: PostgreSQLCancelRequest?
    }

    private let state = Guarded(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Stops it; a statement that runs is cancelled on the server, and nothing waits for that.
    ///
    /// - Returns: False if it is too late.
    @discardableResult
    package func cancel() -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.isCancelled = true
            state.request?.send()
            return true
        }
    }

    /// Takes no more cancellations.
    ///
    /// - Returns: False if there was one.
    func close() -> Bool {
        state.withLock { state in
            state.isClosed = !state.isCancelled
            return state.isClosed
        }
    }

    /// Notes what has to be sent if it is cancelled from now on; nil when nothing runs.
    ///
    /// - Returns: False if it was cancelled.
    @discardableResult
    func attach(_ request: PostgreSQLCancelRequest?) -> Bool {
        state.withLock { state in
            if state.isCancelled {
                state.request = nil
                return false
            }
            state.request = request
            return true
        }
    }
}
