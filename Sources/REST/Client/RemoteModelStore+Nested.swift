public import ModelKitFields
public import ModelKitModels
public import ModelKitStores

extension RemoteModelStore {
    /// The models in a field of a model, which the server lists below that.
    ///
    /// ```swift
    /// let employees = try await store.list(company.employees).value   // GET /companies/10/employees
    /// ```
    ///
    /// Where the server does not say whose they are, they are that model's.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - owner: Whose it is, which a field without an inverse does not know.
    ///   - query: Which of them, in what order, and how many at most.
    /// - Returns: The models.
    public func list<M: Model>(
        _ field: ModelArrayField<M>,
        of owner: (any Model)? = nil,
        matching query: RecordQuery = RecordQuery()
    ) -> Promise<[M]> {
        let place = place(of: field, owner)
        return list(M.self) { [self] in
            RemoteOperation(RemoteRecordStore(self), isWrite: false).run { operation in
                let (path, others) = try place.get()
                return try operation.fetch(query, of: M.schema, at: path, others: others)
            }
        }
    }

    /// A model in a field of a model, by its identifier; `.notFound` when there is none.
    ///
    /// ```swift
    /// let ada = try await store.lookup(7, in: company.employees).value   // GET /companies/10/employees/7
    /// ```
    public func lookup<M: Model>(
        _ identifier: some IdentifierConvertible,
        in field: ModelArrayField<M>,
        of owner: (any Model)? = nil
    ) -> Promise<M> {
        let identifier = identifier.identifier
        let place = place(of: field, owner, identifier)
        let found = list(M.self) { [self] in
            RemoteOperation(RemoteRecordStore(self), isWrite: false).run { operation in
                let (path, others) = try place.get()
                return try operation.record(at: path, identifier, of: M.schema, others: others)
                    .map { $0.map { [$0] } ?? [] }
            }
        }
        return found.map { models in
            guard let model = models.first else {
                throw StoreError.notFound(type: M.schema.name, identifier: identifier)
            }
            return model
        }
    }

    /// Removes all models in a field of a model by one request: `DELETE /companies/10/employees`.
    ///
    /// The field has none of those afterwards that it has now; what is added meanwhile stays.
    public func deleteAll<M: Model>(
        _ field: ModelArrayField<M>,
        of owner: (any Model)? = nil
    ) -> Promise<Void> {
        let place = place(of: field, owner)
        let models = field.value ?? []
        return delete(models) { [self] in
            RemoteOperation(RemoteRecordStore(self), isWrite: true).run { operation in
                let request = RemoteRequest(.delete, try place.get().path, of: M.schema)
                return operation.exchange(request).map { answer in
                    let isGone = answer.isMissing && answer.mayBeRepeated
                    guard answer.isSuccess || isGone else { throw operation.error(of: answer) }
                    operation.state.observers.notify(
                        RecordChanges([.init(type: M.schema.name, identifier: nil)])
                    )
                }
            }
        }
        .map {
            let deleted = Set(models.map { ObjectIdentifier($0) })
            field.value = (field.value ?? []).filter { !deleted.contains(ObjectIdentifier($0)) }
        }
    }

    /// Where the models in a field are, and what that says of them; it is found out at the call.
    private func place<M: Model>(
        of field: ModelArrayField<M>,
        _ owner: (any Model)?,
        _ identifier: Identifier? = nil
    ) -> Result<(path: String, others: [FieldKey: AttributeValue]), any Error> {
        Result {
            var route = try router.route(to: field, owner, Swift.max(0, router.maxPathDepth - 1))
            route.identifier = identifier
            var others: [FieldKey: AttributeValue] = [:]
            let owner = owner ?? field.relationOwner as? any Model
            // What is found is of this object, and not of another one of its identifier.
            if let owner {
                session.identities.insert(owner)
                let schema = type(of: owner).schema
                if router.identifierKey(of: schema) != nil, let identifier = owner.identifier,
                    let last = route.owners.indices.last,
                    // What was edited since is not there yet.
                    let found = RemoteRecordStore(self).state[schema, identifier]?.pathIdentifier
                {
                    route.owners[last].identifier = found
                }
            }
            if let ownership = router.plan(of: M.schema).ownership, let last = route.owners.last,
                last.schema === ownership.schema, let inverse = ownership.inverse,
                inverse.key == last.field, let own = owner?.identifier
            {
                others[ownership.entry.key] = own.attributeValue
            }
            return (try router.path(of: route), others)
        }
    }
}
