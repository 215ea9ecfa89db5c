public import ModelKitModels
import ModelKitPromises

extension RecordModelStore {
    public func observe<M: Model>(
        _ type: M.Type,
        matching query: RecordQuery
    ) -> LiveQuery<M> {
        let partners = query.filter?.partners(of: M.schema) ?? []
        let types = Set(partners.map(\.name))
        return LiveQuery { [records] handler in
            records.observeChanges { changes in
                let found = changes.types
                // A class may be used for the first time.
                let own = ClassHierarchy(of: type).schemas.map(\.name)
                // When the store is closed, the query is notified by its next answer.
                if changes.changes.isEmpty || own.contains(where: found.contains)
                    || !found.isDisjoint(with: types)
                {
                    handler()
                }
            }
        } fetch: { [records, session] in
            // Writes and transactions that were made are noted before: their models are the ones in use.
            if let refusal = query.limitRefusal { return .failed(refusal) }
            return session.settled().then {
                let asked = session.now
                return records.find(query, below: M.schema).map { found in
                    try records.models(of: found) { found in
                        LiveQuery.Row(
                            model: try session.model(type, from: found, asked: asked),
                            revision: found.record.revision,
                            place: found.record.place
                        )
                    }
                }
            }
        }
    }
}

extension ModelStore {
    /// The models that fulfil a condition, now and after every commit that changes them.
    ///
    /// ```swift
    /// for try await result in store.observe(Person.self, where: \.age >= 18) {
    ///     print(result.models.map { $0.name.value ?? "nobody" })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - condition: The condition; nil for all models.
    ///   - orderings: The fields to sort by, and then by identifier. Without any, the models come in
    ///     the order of their creation; for those of several classes see `ModelObject.subclasses`.
    ///   - limit: So many at most.
    /// - Returns: The query, which does nothing until it is iterated or observed.
    public func observe<M: Model>(
        _ type: M.Type,
        where condition: Condition<M>? = nil,
        orderBy orderings: Ordering<M>...,
        limit: Int? = nil
    ) -> LiveQuery<M> {
        let query = RecordQuery(where: condition, orderBy: orderings, limit: limit)
        return observe(type, matching: query)
    }
}
