public import ModelKitFields
public import ModelKitModels
public import ModelKitPromises

extension ModelStore {
    /// Loads a relation of a model: the members that are stored, and those in use that are not yet.
    ///
    /// ```swift
    /// let entries = try await store.load(account, \.entries).value
    /// print(account.total.value ?? 0)
    /// ```
    ///
    /// While it is loading, the field's `loadState` is `.loading`, and `.error` if that fails. A loaded
    /// relation follows what this store commits, until it is unloaded; a second load reads it again.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - relation: Its field: the other side of a key, or keys, of which those are read that are not.
    /// - Returns: The members.
    public func load<M: Model, Other: Model>(
        _ model: M,
        _ relation: any KeyPath<M, ModelArrayField<Other>> & Sendable
    ) -> Promise<[Other]> {
        loadMembers(of: [model], Other.self) { $0[keyPath: relation] }.cancelling(with: .notApplied)
    }

    /// Loads a relation of a model with one member; nil if there is none.
    public func load<M: Model, Other: Model>(
        _ model: M,
        _ relation: any KeyPath<M, ModelField<Other>> & Sendable
    ) -> Promise<Other?> {
        loadMembers(of: [model], Other.self) { $0[keyPath: relation] }
            .map { _ in model[keyPath: relation].value }
            .cancelling(with: .notApplied)
    }

    /// Loads a relation of several models by one query.
    ///
    /// - Returns: All members, in the order of their creation.
    public func load<M: Model, Relation: ModelRelation>(
        _ models: [M],
        _ relation: any KeyPath<M, Relation> & Sendable
    ) -> Promise<[Relation.Member]> {
        loadMembers(of: models, Relation.Member.self) { $0[keyPath: relation] }
            .cancelling(with: .notApplied)
    }

    /// Loads a relation of several models for the duration of a closure, and lets it go at its end.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - relation: Their field.
    ///   - body: What to do while the members are there.
    /// - Returns: What the body returns.
    /// - Throws: What the load fails with, or the body throws.
    public func load<M: Model, Other: Model, Result>(
        _ models: [M],
        _ relation: any KeyPath<M, ModelArrayField<Other>> & Sendable,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let members = try await load(models, relation).value
        defer {
            for model in models { unload(model, relation) }
            withExtendedLifetime(members) {}
        }
        return try await body()
    }

    /// Lets go of the members of a relation, which is not loaded afterwards; they keep their keys.
    ///
    /// Observers are notified of nil.
    public func unload<M: Model>(
        _ model: M,
        _ relation: any KeyPath<M, some ModelRelation> & Sendable
    ) {
        let field = model[keyPath: relation]
        model.classSchema.derivedRelation(of: field, in: model)?.field(of: model)?.unload()
    }

    /// The members of a relation that fulfil a condition, without loading it.
    ///
    /// ```swift
    /// let large = try await store.list(account.entries, where: \.amount > 100).value
    /// ```
    ///
    /// - Parameters:
    ///   - relation: The field of a model: the other side of a key.
    ///   - condition: The condition; nil for all members.
    ///   - orderings: The fields to sort by, and then by identifier; without any, they come in the order of
    ///     their creation.
    ///   - limit: So many at most.
    /// - Returns: The members that are stored.
    public func list<Other: Model>(
        _ relation: ModelArrayField<Other>,
        where condition: Condition<Other>? = nil,
        orderBy orderings: Ordering<Other>...,
        limit: Int? = nil
    ) -> Promise<[Other]> {
        .trying {
            let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
            return list(Other.self, matching: try query.adding(membersOf: relation))
        }
    }

    /// The models that fulfil a condition, with some of their relations: one query for each relation.
    ///
    /// ```swift
    /// let accounts = try await store.list(Account.self, including: \.entries).value
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier.
    ///   - limit: So many at most.
    ///   - first: A relation that is loaded, too.
    ///   - others: More of them.
    /// - Returns: The models.
    public func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) -> Promise<[M]> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return list(type, query, ([first] + others).map { Including($0) })
    }

    /// The models that fulfil a condition, with some of their relations, and relations of these.
    public func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil,
        including first: Including<M>,
        _ others: Including<M>...
    ) -> Promise<[M]> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return list(type, query, [first] + others)
    }

    func list<M: Model>(
        _ type: M.Type,
        _ query: RecordQuery,
        _ relations: [Including<M>]
    ) -> Promise<[M]> {
        list(type, matching: query).then { models in relations.load(models, self).map { models } }
            .cancelling(with: .notApplied)
    }

    /// The model with an identifier, with some of its relations; `.notFound` when there is none.
    public func lookup<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) -> Promise<M> {
        let relations = ([first] + others).map { Including<M>($0) }
        return lookup(type, identifier: identifier.identifier).then { model in
            relations.load([model], self).map { model }
        }
        .cancelling(with: .notApplied)
    }
}
