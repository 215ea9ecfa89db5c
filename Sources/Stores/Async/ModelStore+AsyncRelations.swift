public import ModelKitModels
import ModelKitPromises

// The same uses in async code, without `.value`.

extension ModelStore {
    /// Loads a relation of a model; see the form that gives a promise.
    ///
    /// ```swift
    /// try await store.load(account, \.entries)
    /// print(account.total.value ?? 0)
    /// ```
    @discardableResult
    public nonisolated(nonsending) func load<M: Model, Other: Model>(
        _ model: M,
        _ relation: any KeyPath<M, ModelArrayField<Other>> & Sendable
    ) async throws -> [Other] {
        try await (load(model, relation) as Promise<[Other]>).value
    }

    /// Loads a relation of a model with one member; nil if there is none.
    @discardableResult
    public nonisolated(nonsending) func load<M: Model, Other: Model>(
        _ model: M,
        _ relation: any KeyPath<M, ModelField<Other>> & Sendable
    ) async throws -> Other? {
        try await (load(model, relation) as Promise<Other?>).value
    }

    /// Loads a relation of several models by one query.
    @discardableResult
    public nonisolated(nonsending) func load<M: Model, Relation: ModelRelation>(
        _ models: [M],
        _ relation: any KeyPath<M, Relation> & Sendable
    ) async throws -> [Relation.Member] {
        try await (load(models, relation) as Promise<[Relation.Member]>).value
    }

    /// The members of a relation that fulfil a condition, without loading it.
    public nonisolated(nonsending) func list<Other: Model>(
        _ relation: ModelArrayField<Other>,
        where condition: Condition<Other>? = nil,
        orderBy orderings: Ordering<Other>...,
        limit: Int? = nil
    ) async throws -> [Other] {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return try await list(Other.self, matching: query.adding(membersOf: relation)).value
    }

    /// The models that fulfil a condition, with some of their relations: one query for each relation.
    public nonisolated(nonsending) func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) async throws -> [M] {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return try await list(type, query, ([first] + others).map { Including($0) }).value
    }

    /// The models that fulfil a condition, with some of their relations, and relations of these.
    public nonisolated(nonsending) func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil,
        including first: Including<M>,
        _ others: Including<M>...
    ) async throws -> [M] {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return try await list(type, query, [first] + others).value
    }

    /// The model with an identifier, with some of its relations; `.notFound` when there is none.
    public nonisolated(nonsending) func lookup<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) async throws -> M {
        let model = try await lookup(type, identifier: identifier)
        for relation in [first] + others {
            try await Including<M>(relation).load([model], self).value
        }
        return model
    }

    /// Creates or updates a model together with members of its relations, or none of them.
    @discardableResult
    public nonisolated(nonsending) func save<M: Model>(
        _ model: M,
        onConflict: OnConflict = .fail,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) async throws -> M {
        let relations = ([first] + others).map { Including<M>($0) }
        return try await write(.save(model, onConflict: onConflict), relations, giving: model).value
    }

    /// Creates or updates a model together with members of its relations, and relations of these.
    @discardableResult
    public nonisolated(nonsending) func save<M: Model>(
        _ model: M,
        onConflict: OnConflict = .fail,
        including first: Including<M>,
        _ others: Including<M>...
    ) async throws -> M {
        try await write(
            .save(model, onConflict: onConflict),
            [first] + others,
            giving: model
        ).value
    }

    /// Adds a model together with members of its relations, as `save(_:including:)` does.
    @discardableResult
    public nonisolated(nonsending) func create<M: Model>(
        _ model: M,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) async throws -> M {
        let relations = ([first] + others).map { Including<M>($0) }
        return try await write(.create(model), relations, giving: model).value
    }

    /// Writes what was edited in a model and in members of its relations, as `save(_:including:)` does.
    @discardableResult
    public nonisolated(nonsending) func update<M: Model>(
        _ model: M,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) async throws -> M {
        let relations = ([first] + others).map { Including<M>($0) }
        return try await write(.update(model), relations, giving: model).value
    }
}
