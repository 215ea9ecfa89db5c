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
        let promise: Promise<M> = create(model)
        return try await promise.value
    }

    /// Writes what was edited since the model last agreed with this store; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func update<M: Model>(_ model: M) async throws -> M {
        let promise: Promise<M> = update(model)
        return try await promise.value
    }

    /// Creates a model, or updates it; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func save<M: Model>(
        _ model: M,
        onConflict: OnConflict = .fail
    ) async throws -> M {
        let promise: Promise<M> = save(model, onConflict: onConflict)
        return try await promise.value
    }

    /// Removes a model, and those that go with it; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Model>(_ model: M) async throws -> M {
        let promise: Promise<M> = delete(model)
        return try await promise.value
    }

    /// Removes the model with an identifier, and those that go with it; `.notFound` when there is none.
    public nonisolated(nonsending) func delete<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) async throws {
        let promise: Promise<Void> = delete(type, identifier: identifier.identifier)
        try await promise.value
    }

    /// Adds several models, or none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func create<M: Model>(_ models: [M]) async throws -> [M] {
        let promise: Promise<[M]> = create(models)
        return try await promise.value
    }

    /// Writes what was edited in several models, or in none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func update<M: Model>(_ models: [M]) async throws -> [M] {
        let promise: Promise<[M]> = update(models)
        return try await promise.value
    }

    /// Creates or updates several models, or none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func save<M: Model>(
        _ models: [M],
        onConflict: OnConflict = .fail
    ) async throws -> [M] {
        let promise: Promise<[M]> = save(models, onConflict: onConflict)
        return try await promise.value
    }

    /// Removes several models, or none of them if one fails.
    @discardableResult
    public nonisolated(nonsending) func delete<M: Model>(_ models: [M]) async throws -> [M] {
        let promise: Promise<[M]> = delete(models)
        return try await promise.value
    }

    /// Makes all writes in their order, or none of them; see the form that gives a promise.
    public nonisolated(nonsending) func perform(_ writes: [ModelWrite]) async throws {
        let promise: Promise<Void> = perform(writes)
        try await promise.value
    }

    /// Makes writes each on its own; see the form that gives a promise.
    public nonisolated(nonsending) func perform(
        independently writes: [ModelWrite]
    ) async throws -> [Result<Void, any Error>] {
        let promise: Promise<[Result<Void, any Error>]> = perform(independently: writes)
        return try await promise.value
    }

    /// The model with an identifier; `.notFound` when there is none.
    public nonisolated(nonsending) func lookup<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) async throws -> M {
        let promise: Promise<M> = lookup(type, identifier: identifier.identifier)
        return try await promise.value
    }

    /// The models that fulfil a condition; see the form that gives a promise.
    public nonisolated(nonsending) func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) async throws -> [M] {
        let query = RecordQuery(
            filter: condition?.filter,
            order: orderings.map { $0.order },
            limit: limit
        )
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
        let query = RecordQuery(
            filter: condition?.filter,
            order: orderings.map { $0.order },
            limit: limit,
            after: cursor
        )
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
        let promise: Promise<M> = update(model, onConflict: resolution)
        return try await promise.value
    }

    /// What a model and this store agree on now, to be kept for `resume`.
    public nonisolated(nonsending) func agreement<M: Model>(
        of model: M
    ) async throws -> Agreement {
        let promise: Promise<Agreement> = agreement(of: model)
        return try await promise.value
    }

    /// Has a model stand for a record as it did when the agreement was taken; see the form that gives a promise.
    @discardableResult
    public nonisolated(nonsending) func resume<M: Model>(
        _ model: M,
        from agreement: Agreement
    ) async throws -> M {
        let promise: Promise<M> = resume(model, from: agreement)
        return try await promise.value
    }
}
