import ModelKitStores

extension SQLiteModelStore {
    /// Closes the file after everything that was asked for before; see the form that gives a promise.
    ///
    /// ```swift
    /// try await store.close()
    /// ```
    public nonisolated(nonsending) func close() async throws {
        let promise: Promise<Void> = close()
        try await promise.value
    }

    /// Copies the database to another file while it is in use; see the form that gives a promise.
    public nonisolated(nonsending) func backup(to path: String) async throws {
        let promise: Promise<Void> = backup(to: path)
        try await promise.value
    }
}
