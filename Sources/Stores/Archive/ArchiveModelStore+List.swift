import ModelKitFields
public import ModelKitModels

extension ArchiveModelStore {
    /// Puts models in the place of all that the group has of their type, in this order.
    ///
    /// Models that they have by a foreign key are saved, too: what is known of them is added to what the
    /// group has, and nothing is taken away. All is written, or nothing.
    ///
    /// ```swift
    /// try await favourites.saveList(Person.self, people).value
    /// let same = try await favourites.list(Person.self).value
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - models: The models, which must keep their rules and have different identifiers; those without
    ///     one are given one.
    ///   - includeRelated: Whether models that they have by a foreign key are saved.
    /// - Returns: The same instances.
    @discardableResult
    public func saveList<M: Model>(
        _ type: M.Type,
        _ models: [M],
        includeRelated: Bool = true
    ) -> Promise<[M]> {
        let schema = M.schema
        let related = includeRelated ? Self.related(to: models) : []
        let issues = models.enumerated().flatMap { index, model in
            model.validationIssues().map { $0.prefixed(by: [.index(index)]) }
        }
        if issues.isBlocking { return .failed(StoreError.validation(issues)) }
        let list: [SavedModel]
        let others: [SavedModel]
        do {
            list = try models.map { try SavedModel($0) }
            others = try related.map { try SavedModel(opening: $0) }
        } catch {
            return .failed(error)
        }
        return session.sequence(models + related) { [archive, session] in
            archive.change { (state) throws(StoreError) in
                // The others first: one of them may be of the same type, and is taken out of the list.
                for model in others { try model.merge(&state) }
                let before = try state.table(of: schema)
                var table = before
                table.removeAll()
                var receipts: [RecordReceipt] = []
                for model in list {
                    receipts.append(try model.add(&table, before))
                }
                try state.put(table)
                return receipts
            }
            .map { (receipts: [RecordReceipt]) in
                for (model, receipt) in zip(list, receipts) { model.note(receipt, session) }
                return models
            }
        }
    }

    /// The models of a type, with what the group has of those that they have by a foreign key, and so
    /// on.
    ///
    /// Of a model that the group has not only the identifier is known: its `loadState` stays
    /// `.incomplete`.
    public func listWithRelated<M: Model>(_ type: M.Type) -> Promise<[M]> {
        list(type).then { [self] models in
            load(models.flatMap { $0.incompleteChildModels(recursive: true) }).map { models }
        }
    }

    /// Fills models of which only the identifier is known, and those that they bring.
    private func load(_ shells: [any Model]) -> Promise<Void> {
        var seen: Set<ObjectIdentifier> = []
        let promises = shells.filter { seen.insert(ObjectIdentifier($0)).inserted }
            .map { fill($0) }
        return Promise<[any Model]?>.all(promises).then { [self] found in
            let next = found.compactMap { $0 }.flatMap { $0 }
            return next.isEmpty ? .value(()) : load(next)
        }
    }

    /// Fills a model.
    ///
    /// - Returns: A promise of the models that it has, of which only the identifier is known.
    private func fill(_ shell: any Model) -> Promise<[any Model]?> {
        func open<M: Model>(_ model: M) -> Promise<[any Model]?> {
            guard let identifier = model.identifier else { return .value(nil) }
            return lookup(M.self, identifier: identifier)
                .map { $0.incompleteChildModels(recursive: true) }
                .recover { error in
                    if case StoreError.notFound = error { return nil }
                    throw error
                }
        }
        return open(shell)
    }

    /// The models that others have by foreign keys, themselves or what they have, and of which more is
    /// known than the identifier.
    private static func related(to models: [any Model]) -> [any Model] {
        var seen = Set(models.map { ObjectIdentifier($0) })
        var found: [any Model] = []
        var waiting = models
        while let model = waiting.popLast() {
            for (other, isForeignKey) in model.modelsInRelations
            where seen.insert(ObjectIdentifier(other)).inserted {
                waiting.append(other)
                if isForeignKey, other.loadState == .loaded { found.append(other) }
            }
        }
        return found
    }
}
