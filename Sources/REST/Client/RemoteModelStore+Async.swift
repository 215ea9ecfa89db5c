public import ModelKitModels
public import ModelKitStores

// The same uses in async code, without `.value`.

extension RemoteModelStore {
    /// The models in a field of a model, which the server lists below that; see the form that gives a promise.
    ///
    /// ```swift
    /// let employees = try await store.list(company.employees)
    /// ```
    public nonisolated(nonsending) func list<M: Model>(
        _ field: ModelArrayField<M>,
        of owner: (any Model)? = nil,
        matching query: RecordQuery = RecordQuery()
    ) async throws -> [M] {
        let promise: Promise<[M]> = list(field, of: owner, matching: query)
        return try await promise.value
    }

    /// A model in a field of a model, by its identifier; `.notFound` when there is none.
    public nonisolated(nonsending) func lookup<M: Model>(
        _ identifier: some IdentifierConvertible,
        in field: ModelArrayField<M>,
        of owner: (any Model)? = nil
    ) async throws -> M {
        let promise: Promise<M> = lookup(identifier, in: field, of: owner)
        return try await promise.value
    }

    /// Removes all models in a field of a model by one request; see the form that gives a promise.
    public nonisolated(nonsending) func deleteAll<M: Model>(
        _ field: ModelArrayField<M>,
        of owner: (any Model)? = nil
    ) async throws {
        let promise: Promise<Void> = deleteAll(field, of: owner)
        try await promise.value
    }
}
