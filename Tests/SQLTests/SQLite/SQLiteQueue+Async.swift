import ModelKitSQL

extension SQLiteQueue {
    /// Runs a body on the queue, and waits until it has run.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            run { (connection: Result<SQLiteConnection, any Error>) in
                continuation.resume(with: Result { try body(connection.get()) })
            }
        }
    }
}
