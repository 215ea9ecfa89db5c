public import ModelKitModels
import ModelKitPromises

// The same uses in async code, without `.value`.

extension ArchiveModelStore {
    /// Ends the use of the directory after everything that was asked for before; see the form that gives a promise.
    ///
    /// ```swift
    /// try await archive.close()
    /// ```
    public nonisolated(nonsending) func close() async throws {
        let promise: Promise<Void> = close()
        try await promise.value
    }

    /// Forgets all models of a type and its subclasses; see the form that gives a promise.
    public nonisolated(nonsending) func deleteAll<M: Model>(_ type: M.Type) async throws {
        let promise: Promise<Void> = deleteAll(type)
        try await promise.value
    }

    /// Forgets all models of the group.
    public nonisolated(nonsending) func deleteAll() async throws {
        let promise: Promise<Void> = deleteAll()
        try await promise.value
    }

    /// Goes back to what the file held before the last write; see the form that gives a promise.
    public nonisolated(nonsending) func restorePreviousVersion() async throws {
        let promise: Promise<Void> = restorePreviousVersion()
        try await promise.value
    }

    /// Makes the models of a type what a list has; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func saveList<M: Model>(
        _ type: M.Type,
        _ models: [M],
        includeRelated: Bool = true
    ) async throws -> [M] {
        let promise: Promise<[M]> = saveList(type, models, includeRelated: includeRelated)
        return try await promise.value
    }

    /// The models of a type with all that they lead to by foreign keys; see the form that gives a promise.
    public nonisolated(nonsending) func listWithRelated<M: Model>(
        _ type: M.Type
    ) async throws -> [M] {
        let promise: Promise<[M]> = listWithRelated(type)
        return try await promise.value
    }
}
