public import ModelKitModels
public import ModelKitPromises

/// Where models are kept.
///
/// Every store gives the same answers and the same errors, all `StoreError`.
///
/// ```swift
/// let store = MemoryModelStore()
/// try await store.create(person).value
/// let adults = try await store.list(Person.self, where: \.age >= 18).value
/// ```
///
/// A store hands out one live object per identifier: a lookup gives the instance that is in use, if
/// there is one. What is written is taken from the model at the call, so that edits made afterwards
/// belong to the next update. Answers overwrite only fields that were not edited since. Writes of
/// one model are made in the order of the calls.
///
/// A write that is cancelled fails with `.cancelled`, whose outcome says whether it may have been made: what
/// had not begun is not done, what had goes on to its end, and the models are updated. So does a read.
///
/// A write says only what the model knows: what was never read of it, or was unloaded, is left as it is in the
/// store, and no rule of it is evaluated. A new model whose creation may have been made, though nobody knows, has
/// the identifier that it was sent with, so that a second creation is `.alreadyExists` and no other model.
public protocol ModelStore: Sendable {
    /// Adds a model.
    ///
    /// An identifier that it has is kept, otherwise it is given one.
    ///
    /// - Parameter model: The model, which must keep its rules.
    /// - Returns: The same instance.
    func create<M: Model>(_ model: M) -> Promise<M>

    /// Writes what was edited since the model last agreed with this store; nothing, if nothing was.
    ///
    /// - Parameter model: The model, which must keep its rules.
    /// - Returns: The same instance.
    func update<M: Model>(_ model: M) -> Promise<M>

    /// Creates a model, or updates it: what was edited where it agreed with this store before, else as
    /// it is said for the case that its identifier is taken.
    ///
    /// - Parameters:
    ///   - model: The model, which must keep its rules. Without an identifier it is created.
    ///   - onConflict: What happens to another model of its identifier.
    /// - Returns: The same instance. Where another object in use has its identifier, that one stays the
    ///   one which agrees with the store.
    func save<M: Model>(_ model: M, onConflict: OnConflict) -> Promise<M>

    /// Removes a model, and those that its fields with `cascadeDelete: true` have, all or none.
    ///
    /// Of what is only known by its identifier, as a foreign key, what goes with it is read before; such a
    /// deletion comes after all writes that were asked for before, and before all later ones. One on a server
    /// that makes no batches reads nothing: what the store does not know is the server's to delete.
    /// The instance keeps its identifier and values, but for its relations: models that are left lose
    /// it, and it them.
    func delete<M: Model>(_ model: M) -> Promise<M>

    /// Removes the model with an identifier, and those that go with it; `.notFound` when there is none.
    ///
    /// It is deleted as an object is: as the one in use, if there is one, and else whatever its revision.
    func delete<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<Void>

    /// Makes all writes in their order, or none of them.
    ///
    /// Issues have the index of their write. A model may come once, and what goes with one that is deleted
    /// comes with it. A store that cannot do it fails with `.unsupported`.
    ///
    /// - Parameter writes: The writes, of models that must keep their rules, unless they are deleted.
    /// - Returns: A promise that is there when all are made.
    func perform(_ writes: [ModelWrite]) -> Promise<Void>

    /// Runs the body as if it were alone, and all that it writes is kept at its end, or nothing of it, if it throws.
    ///
    /// ```swift
    /// try await store.transaction { transaction in
    ///     let from = try transaction.lookup(Account.self, identifier: "a")
    ///     let to = try transaction.lookup(Account.self, identifier: "b")
    ///     from.balance.value = (from.balance.value ?? 0) - 10
    ///     to.balance.value = (to.balance.value ?? 0) + 10
    ///     try transaction.update(from)
    ///     try transaction.update(to)
    /// }.value
    /// ```
    ///
    /// It comes after all writes that were asked for before. The body is called on a thread of the store's
    /// choice and uses the transaction: reads and writes by this store itself, which would wait for the end of the
    /// body, fail there with `.unsupported`. Where it fails, what was set in models since the body has read them is taken
    /// back; other edits stay pending for the next write: see `StoreTransaction`.
    ///
    /// - Parameter body: What to do, with the transaction, which ends with it.
    /// - Returns: What the body returns; it fails with what the body throws, and with `.unsupported` in a
    ///   store that has no transactions.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Result
    ) -> Promise<Result>

    /// The model with an identifier; `.notFound` when there is none.
    func lookup<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<M>

    /// The models that a query asks for.
    func list<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<[M]>

    /// So many of the models that a query asks for as its limit says, and where the next ones begin.
    func page<M: Model>(_ type: M.Type, matching query: RecordQuery) -> Promise<Page<M>>

    /// The models that a query asks for, now and after every commit that changes them.
    func observe<M: Model>(_ type: M.Type, matching query: RecordQuery) -> LiveQuery<M>

    /// What is read of what the records of a type and its subclasses make together; by default the count of the
    /// models that are listed, and `.unsupported` for all else.
    func totals<M: Model, Value>(
        _ type: M.Type,
        of aggregate: RecordAggregate,
        reading read: @escaping @Sendable (RecordTotals) throws -> Value
    ) -> Promise<Value>

    /// What is read of the totals, now and after every commit that changes it; by default `.unsupported`.
    func observe<M: Model, Value>(
        _ type: M.Type,
        totals aggregate: RecordAggregate,
        reading read: @escaping @Sendable (RecordTotals) throws -> Value
    ) -> LiveValue<Value>
}

extension ModelStore {
    public func totals<M: Model, Value>(
        _ type: M.Type,
        of aggregate: RecordAggregate,
        reading read: @escaping @Sendable (RecordTotals) throws -> Value
    ) -> Promise<Value> {
        guard aggregate.function == .count, aggregate.groupKey == nil else {
            return .failed(aggregate.refusal(of: M.schema, "the store can only list"))
        }
        return list(type, matching: RecordQuery(filter: aggregate.filter)).map { models in
            var totals = RecordTotals(aggregate, of: M.schema)
            totals.add(.null, of: models.count, to: nil)
            return try read(totals)
        }
    }

    public func observe<M: Model, Value>(
        _ type: M.Type,
        totals aggregate: RecordAggregate,
        reading read: @escaping @Sendable (RecordTotals) throws -> Value
    ) -> LiveValue<Value> {
        LiveValue(aggregate: aggregate, schema: M.schema, read: read)
    }

    /// Creates a model, or updates it if it agreed with this store before.
    ///
    /// Another model of its identifier is an `.alreadyExists` error.
    public func save<M: Model>(_ model: M) -> Promise<M> { save(model, onConflict: .fail) }

    public func delete<M: Model>(_ type: M.Type, identifier: Identifier) -> Promise<Void> {
        let found: Promise<M> = lookup(type, identifier: identifier)
        return found.then { delete($0) }.giving(())
    }

    /// Removes the model with an identifier, and those that go with it; `.notFound` when there is none.
    public func delete<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) -> Promise<Void> {
        delete(type, identifier: identifier.identifier)
    }

    /// The model with an identifier; `.notFound` when there is none.
    public func lookup<M: Model>(
        _ type: M.Type,
        identifier: some IdentifierConvertible
    ) -> Promise<M> {
        lookup(type, identifier: identifier.identifier)
    }

    /// Some of the models that fulfil a condition, and where the next ones begin.
    ///
    /// ```swift
    /// let first = try await store.page(Person.self, orderBy: .ascending(\.name), limit: 50).value
    /// let next = try await store.page(
    ///     Person.self, orderBy: .ascending(\.name), limit: 50, after: first.next
    /// ).value
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation; for those of several classes see `ModelObject.subclasses`.
    ///   - limit: So many at most.
    ///   - cursor: Where the page before ends, of the same query; nil for the first page.
    /// - Returns: The page. A cursor of another query is an `.unsupported` error.
    public func page<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int,
        after cursor: PageCursor? = nil
    ) -> Promise<Page<M>> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit, after: cursor)
        return page(type, matching: query)
    }

    /// The models that fulfil a condition.
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation; for those of several classes see `ModelObject.subclasses`.
    ///   - limit: So many at most.
    /// - Returns: The models.
    public func list<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) -> Promise<[M]> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return list(type, matching: query)
    }
}
