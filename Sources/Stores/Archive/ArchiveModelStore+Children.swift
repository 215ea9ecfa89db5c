public import ModelKitFields
public import ModelKitModels
public import ModelKitPromises

extension ArchiveModelStore {
    /// Makes records of the models that records of a file of before have by a relation alone, which is the other
    /// side of a key by now.
    ///
    /// Before that was so, a record held the models of such a relation. They stay in the file, but are not
    /// read any more. Those that have no record of their own are reported when the type is first used, as
    /// `Diagnostic.Code.oldColumn`. Records that are there stay as they are, but for a key without an owner where
    /// the relation had identifiers alone. A model without an identifier counts as there if a record of the owner
    /// has its values.
    ///
    /// ```swift
    /// try await store.moveChildren(of: \Account.entries).value
    /// ```
    ///
    /// - Returns: How many records were made or got a key; none where it was done before.
    @discardableResult
    public func moveChildren<Owner: Model, Child: Model>(
        of relation: KeyPath<Owner, ModelArrayField<Child>>
    ) -> Promise<Int> {
        moveChildren(of: Owner.self) { $0[keyPath: relation] }
    }

    /// The same of a relation to one model.
    @discardableResult
    public func moveChildren<Owner: Model, Child: Model>(
        of relation: KeyPath<Owner, ModelField<Child>>
    ) -> Promise<Int> {
        moveChildren(of: Owner.self) { $0[keyPath: relation] }
    }

    private func moveChildren<Owner: Model>(
        of owner: Owner.Type,
        _ field: (Owner) -> AnyField
    ) -> Promise<Int> {
        let schema = Owner.schema
        let entry = schema.relationEntry { ($0 as? Owner).map(field) }
        guard let relation = schema.derivedRelations.first(where: { $0.entry === entry }) else {
            let label = "\(schema.name).\(entry?.name ?? "?")"
            return .failed(StoreError.schema("\(label) is not the other side of a key"))
        }
        session.follow(records)
        return archive.change { state in
            // Nothing stays of it if it fails.
            var new = state
            let moved = try new.moveChildren(of: relation, schema)
            state = new
            var changes = moved.made.flatMap(\.changes.changes)
            // So that it is written what was done.
            if changes.isEmpty { changes = [.init(type: schema.name, identifier: nil)] }
            return (moved.count, RecordChanges(changes))
        }
    }
}
