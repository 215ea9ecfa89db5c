import ModelKitFields
public import ModelKitModels
public import ModelKitPromises

extension ArchiveModelStore {
    /// Puts models in the place of all that the group has of their type and its subclasses, in this order.
    ///
    /// Models of other types that they have by a foreign key are saved, too, and need identifiers: what
    /// is known of them is added to what the group has, whatever their rules say, and nothing is taken
    /// away. Nor is it of a model of the list that was unloaded, or of which nothing was read: what it does
    /// not know stays. To models of other types that lead by foreign keys to those that the list has not, and that
    /// are not saved here, happens what would if these were deleted one by one; where one needs them, it fails with
    /// `.validation`. All is written, or nothing.
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
        .trying {
            let related = includeRelated ? Self.related(to: models).filter { !($0 is M) } : []
            for model in models { try model.beforeSave() }
            let issues = models.enumerated().flatMap { index, model in
                let found = model.hasGaps ? model.loadedIssues() : model.validationIssues()
                return found.map { $0.prefixed(by: [.index(index)]) }
            }
            if issues.isBlocking { throw StoreError.validation(issues) }
            let name = M.schema.name
            if Set(models).count < models.count {
                throw StoreError.unsupported("the same \(name) is to be saved twice in a list")
            }
            let list = models.enumerated().map { SavedModel($1, $0) }
            let others = related.map { SavedModel($0) }
            let label = StoreEvent.Label(operation: .save, type: name, count: models.count)
            session.follow(records)
            return run(label) { archive in
                archive.change { state in
                    try state.save(list, of: ClassHierarchy(of: type).schemas, others)
                }
            } finish: { receipts, asked, session in
                let listed = zip(list, receipts.suffix(list.count))
                for schema in ClassHierarchy(of: type).schemas {
                    let own = Set(listed.filter { $0.0.schema === schema }.map(\.1.identifier))
                    let gone = session.forgetAll(schema.modelType, asked: asked) {
                        !own.contains($0)
                    }
                    session.leaveRelations(gone)
                }
                for (model, receipt) in zip(others + list, receipts) {
                    model.note(receipt, session, asked: asked)
                }
                for (model, receipt) in zip(models, receipts.suffix(list.count))
                where receipt.isNew {
                    model.afterCreate()
                }
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
        let loaded = list(type).then { [self] models in
            load(from: models, seen: Set(models.map { ObjectIdentifier($0) })).map { models }
        }
        return loaded.map(cancelledBy: readCancellation) { $0 }
    }

    /// Fills those that models have, and those have, of which only the identifier is known; each once.
    private func load(from models: [any Model], seen: Set<ObjectIdentifier>) -> Promise<Void> {
        var seen = seen
        let shells = Self.reached(from: models, &seen).map { $0.model }
            .filter { $0.loadState == .incomplete }
        if shells.isEmpty { return .value(()) }
        return Promise<Void>.all(shells.map { fill($0) })
            .then { [self, shells, seen] _ in load(from: shells, seen: seen) }
    }

    private func fill(_ shell: any Model) -> Promise<Void> {
        func open<M: Model>(_ model: M) -> Promise<Void> {
            guard let identifier = model.identifier else { return .value(()) }
            return lookup(M.self, identifier: identifier).map { _ in }
                .recover { error in
                    if case StoreError.notFound = error { return }
                    throw error
                }
        }
        return open(shell.opened)
    }

    /// The models that others have by foreign keys, themselves or what they have, and of which more is
    /// known than the identifier.
    private static func related(to models: [any Model]) -> [any Model] {
        var seen = Set(models.map { ObjectIdentifier($0) })
        return reached(from: models, &seen)
            .filter { $0.isForeignKey && $0.model.loadState == .loaded }
            .map { $0.model }
    }

    /// The models that others have, themselves or what they have, but for those that were seen.
    private static func reached(
        from models: [any Model],
        _ seen: inout Set<ObjectIdentifier>
    ) -> [(model: any Model, isForeignKey: Bool)] {
        var found: [(any Model, Bool)] = []
        var waiting = models
        while let model = waiting.popLast() {
            for (other, isForeignKey) in model.modelsInRelations
            where seen.insert(ObjectIdentifier(other)).inserted {
                waiting.append(other)
                found.append((other, isForeignKey))
            }
        }
        return found
    }
}

extension RecordTables {
    /// Puts a list in the place of the records of some types, and adds what is known of others.
    ///
    /// - Returns: The receipts of the others, then of the list.
    fileprivate mutating func save(
        _ list: [SavedModel],
        of schemas: [ModelSchema],
        _ others: [SavedModel]
    ) throws(StoreError) -> ([RecordReceipt], RecordChanges) {
        // Nothing stays of it if it fails.
        var new = self
        // The others first: of the types of the list only the list itself is left.
        var receipts: [RecordReceipt] = []
        var changes = schemas.map { RecordChanges.Change(type: $0.name, identifier: nil) }
        for model in others {
            let receipt = try model.merge(into: &new)
            changes.append(.init(type: model.schema.name, identifier: receipt.identifier))
            receipts.append(receipt)
        }
        var before: [String: MemoryTable] = [:]
        for schema in schemas { before[schema.name] = try new.opened(schema) }
        var after = before.mapValues { table in
            var table = table
            table.removeAll()
            return table
        }
        // Places in one order, whatever the classes.
        var place = before.values.map(\.lastPlace).max() ?? 0
        for model in list {
            let name = model.schema.name
            guard let old = before[name] else {
                throw .schema("\(name) inherits from a class that is no ModelObject")
            }
            after[name, default: old].notePlace(place)
            receipts.append(try model.add(to: &after[name, default: old], after: old))
            place += 1
        }
        for (name, var table) in after {
            // What is not in the list is deleted.
            if let old = before[name] { table.noteRevisions(ofMissing: old) }
            new.put(table)
        }
        let kept = Dictionary(
            zip(others, receipts).map { ($0.schema.name, [$1.identifier] as Set) },
            uniquingKeysWith: { $0.union($1) }
        )
        let old = schemas.compactMap { before[$0.name] }
        changes += try new.makeEffects(ofMissing: old) { schema, identifier in
            before[schema.name] != nil || kept[schema.name]?.contains(identifier) == true
        }
        self = new
        return (receipts, RecordChanges(changes))
    }
}
