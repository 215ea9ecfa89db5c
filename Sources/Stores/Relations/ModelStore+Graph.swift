public import ModelKitModels
public import ModelKitPromises

extension ModelStore {
    /// Creates or updates a model together with members of its relations, or none of them.
    ///
    /// ```swift
    /// order.lines.append(line)
    /// order.lines.remove(at: 0)
    /// try await store.save(order, including: \.lines).value
    /// ```
    ///
    /// New members are created, and those that were edited are updated; what was not edited is left alone. Members
    /// that were taken out since the relation was loaded are deleted where it has `cascadeDelete: true` and nobody
    /// else has them; else they are updated. Of a relation that is not loaded, only the members in use are written.
    /// Issues have the path from the model: `lines[2].amount`. Where the record of an owner is gone, its members are
    /// not written, which fails with `.notFound`, also if the owner itself was not edited; a server decides that.
    /// A relation of embedded models is `.unsupported`.
    ///
    /// Where an identifier is a number that the store makes, all is written in a transaction, with the values that
    /// the models have by then; a store without transactions fails with `.unsupported`. A server that makes such
    /// numbers, or no batches, is sent one write after the other, the owner before its members: what was written
    /// before a failure stays, and is left alone the next time.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - onConflict: What happens to another model of an identifier, also of a member.
    ///   - first: A relation: the other side of a key, or a key.
    ///   - others: More of them.
    /// - Returns: The same instance.
    public func save<M: Model>(
        _ model: M,
        onConflict: OnConflict = .fail,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) -> Promise<M> {
        let relations = ([first] + others).map { Including<M>($0) }
        return write(.save(model, onConflict: onConflict), relations, giving: model)
    }

    /// Creates or updates a model together with members of its relations, and relations of these.
    public func save<M: Model>(
        _ model: M,
        onConflict: OnConflict = .fail,
        including first: Including<M>,
        _ others: Including<M>...
    ) -> Promise<M> {
        write(.save(model, onConflict: onConflict), [first] + others, giving: model)
    }

    /// Adds a model together with members of its relations, as `save(_:including:)` does.
    public func create<M: Model>(
        _ model: M,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) -> Promise<M> {
        write(.create(model), ([first] + others).map { Including($0) }, giving: model)
    }

    /// Adds a model together with members of its relations, and relations of these.
    public func create<M: Model>(
        _ model: M,
        including first: Including<M>,
        _ others: Including<M>...
    ) -> Promise<M> {
        write(.create(model), [first] + others, giving: model)
    }

    /// Writes what was edited in a model and in members of its relations, as `save(_:including:)` does.
    public func update<M: Model>(
        _ model: M,
        including first: any PartialKeyPath<M> & Sendable,
        _ others: any (PartialKeyPath<M> & Sendable)...
    ) -> Promise<M> {
        write(.update(model), ([first] + others).map { Including($0) }, giving: model)
    }

    /// Writes what was edited in a model, in members of its relations, and relations of these.
    public func update<M: Model>(
        _ model: M,
        including first: Including<M>,
        _ others: Including<M>...
    ) -> Promise<M> {
        write(.update(model), [first] + others, giving: model)
    }

    func write<M: Model>(
        _ write: ModelWrite,
        _ relations: [Including<M>],
        giving model: M
    ) -> Promise<M> {
        let store = self as? any RecordModelStore
        if let store { store.session.follow(store.records) }
        let graph = GraphWrites(write, relations.map(\.graph), store?.session)
        if let refusal = graph.refusal { return .failed(refusal) }
        let writes = graph.writes
        let needsNumber = writes.count > 1 && writes.contains(where: \.needsNumber)
        let records = store?.records
        if records?.deletesCascades ?? false || needsNumber && records?.isElsewhere ?? false {
            return writes.reduce(Promise.value(())) { before, write in
                before.then { perform([write]) }
            }
            .map { model }
            // Some may be made.
            .cancelling(with: .unknown)
        }
        if needsNumber {
            return transaction { transaction in
                // Each owner is looked for once.
                var owners: Set<ObjectIdentifier> = []
                for var write in writes {
                    if let owner = write.owner, !owners.insert(ObjectIdentifier(owner)).inserted {
                        write.owner = nil
                    }
                    try transaction.perform(alone: write)
                }
            }
            .giving(model)
        }
        return perform(writes).giving(model)
    }
}

extension ModelWrite {
    /// Whether its model is given a number by the store.
    fileprivate var needsNumber: Bool {
        if case .delete = action { return false }
        guard model.identifier == nil else { return false }
        return (try? Identifier.make(for: model.classSchema)) == nil
    }
}
