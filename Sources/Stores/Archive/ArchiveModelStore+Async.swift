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
        try await (close() as Promise<Void>).value
    }

    /// Forgets all models of a type and its subclasses; see the form that gives a promise.
    public nonisolated(nonsending) func deleteAll<M: Model>(_ type: M.Type) async throws {
        try await (deleteAll(type) as Promise<Void>).value
    }

    /// Forgets all models of the group.
    public nonisolated(nonsending) func deleteAll() async throws {
        try await (deleteAll() as Promise<Void>).value
    }

    /// Goes back to what the file held before the last write; see the form that gives a promise.
    public nonisolated(nonsending) func restorePreviousVersion() async throws {
        try await (restorePreviousVersion() as Promise<Void>).value
    }

    /// Makes the models of a type what a list has; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func saveList<M: Model>(
        _ type: M.Type,
        _ models: [M],
        includeRelated: Bool = true
    ) async throws -> [M] {
        try await (saveList(type, models, includeRelated: includeRelated) as Promise<[M]>).value
    }

    /// The models of a type with all that they lead to by foreign keys; see the form that gives a promise.
    public nonisolated(nonsending) func listWithRelated<M: Model>(
        _ type: M.Type
    ) async throws -> [M] {
        try await (listWithRelated(type) as Promise<[M]>).value
    }
}
