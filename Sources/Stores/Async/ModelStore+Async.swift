public import ModelKitModels
import ModelKitPromises

// The same uses in async code, without `.value`. They begin at the call, on the caller's actor, and what a cancelled
// task says is that of `Promise.value`.
//
// In async code these are chosen. A promise is asked for by its type: `let saving: Promise = store.save(person)`.
// The compiler (6.3) does not count the top level of a main.swift as async when it chooses. A `transaction` gives a
// promise alone: of two functions that take a closure, it chooses the one that is not async.

extension ModelStore {
    /// Adds a model; see the form that gives a promise.
    ///
    /// ```swift
    /// try await store.create(person)
    /// ```
    @discardableResult
    public nonisolated(nonsending) func create<M: Model>(_ model: M) async throws -> M {
        try await (create(model) as Promise<M>).value
    }

    /// Writes what was edited since the model last agreed with this store; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func update<M: Model>(_ model: M) async throws -> M {
        try await (update(model) as Promise<M>).value
    }

    /// Creates a model, or updates it; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func save<M: Model>(
        _ model: M,
        onConflict: OnConflict = .fail
    ) async throws -> M {
        try await (save(model, onConflict: onConflict) as Promise<M>).value
    }

    /// Removes a model, and those that go with it; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Model>(_ model: M) async throws -> M {
        try await (delete(model) as Promise<M>).value
    }

    /// Removes the model with an identifier, and those that go with it; `.notFound` when there is none.
    public nonisolated(nonsending) func delete<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) async throws {
        try await (delete(type, identifier: identifier.identifier) as Promise<Void>).value
    }

    /// Removes the model with an identifier, also one that is written as `.int(5)`.
    public nonisolated(nonsending) func delete<M: Model>(
        _ type: M.Type,
        identifier: Identifier
    ) async throws {
        try await (delete(type, identifier: identifier) as Promise<Void>).value
    }

    /// Adds several models, or none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func create<M: Model>(_ models: [M]) async throws -> [M] {
        try await (create(models) as Promise<[M]>).value
    }

    /// Writes what was edited in several models, or in none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func update<M: Model>(_ models: [M]) async throws -> [M] {
        try await (update(models) as Promise<[M]>).value
    }

    /// Creates or updates several models, or none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func save<M: Model>(
        _ models: [M],
        onConflict: OnConflict = .fail
    ) async throws -> [M] {
        try await (save(models, onConflict: onConflict) as Promise<[M]>).value
    }

    /// Removes several models, or none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Model>(_ models: [M]) async throws -> [M] {
        try await (delete(models) as Promise<[M]>).value
    }

    /// Makes all writes in their order, or none of them; see the form that gives a promise.
    public nonisolated(nonsending) func perform(_ writes: [ModelWrite]) async throws {
        try await (perform(writes) as Promise<Void>).value
    }

    /// Makes writes each on its own; see the form that gives a promise.
    public nonisolated(nonsending) func perform(
        independently writes: [ModelWrite]
    ) async throws -> [Result<Void, any Error>] {
        try await (perform(independently: writes) as Promise<[Result<Void, any Error>]>).value
    }

    /// The model with an identifier; `.notFound` when there is none.
    public nonisolated(nonsending) func lookup<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) async throws -> M {
        try await (lookup(type, identifier: identifier.identifier) as Promise<M>).value
    }

    /// The model with an identifier, also one that is written as `.int(5)`.
    public nonisolated(nonsending) func lookup<M: Model>(
        _ type: M.Type,
        identifier: Identifier
    ) async throws -> M {
        try await (lookup(type, identifier: identifier) as Promise<M>).value
    }

    /// The models that fulfil a condition; see the form that gives a promise.
    public nonisolated(nonsending) func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) async throws -> [M] {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return try await list(type, matching: query).value
    }

    /// Some of the models that fulfil a condition, and where the next ones begin; see the form that gives a
    /// promise.
    public nonisolated(nonsending) func page<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int,
        after cursor: PageCursor? = nil
    ) async throws -> Page<M> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit, after: cursor)
        return try await page(type, matching: query).value
    }
}

extension RecordModelStore {
    /// Writes what was edited, also where somebody else has written the record since; see the form that gives a
    /// promise.
    @discardableResult
    public nonisolated(nonsending) func update<M: Model>(
        _ model: M,
        onConflict resolution: ConflictResolution<M>
    ) async throws -> M {
        try await (update(model, onConflict: resolution) as Promise<M>).value
    }

    /// What a model and this store agree on now, to be kept for `resume`.
    public nonisolated(nonsending) func agreement<M: Model>(
        of model: M
    ) async throws -> Agreement {
        try await (agreement(of: model) as Promise<Agreement>).value
    }

    /// Has a model stand for a record as it did when the agreement was taken; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func resume<M: Model>(
        _ model: M,
        from agreement: Agreement
    ) async throws -> M {
        try await (resume(model, from: agreement) as Promise<M>).value
    }
}
