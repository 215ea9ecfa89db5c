public import ModelKitFields
public import ModelKitModels
import ModelKitStores

extension SQLiteMigration {
    /// Makes rows of the models that are in the column of a relation alone, which is the other side of a key by
    /// now.
    ///
    /// Before that was so, a record held the models of such a relation, whether they had records of their own
    /// or not. Its column stays, so that an older version of the program still works with the file, but is
    /// neither read nor written any more. What the store finds there alone it reports, as
    /// `Diagnostic.Code.oldColumn`.
    ///
    /// ```swift
    /// let store = try SQLiteModelStore(
    ///     path: "accounts.db",
    ///     migrations: [.moveChildren(of: \Account.entries)]
    /// )
    /// ```
    ///
    /// Rows that are there stay as they are. Of the others each gets a row with its owner as its key, a new
    /// identifier if it has none, and the same is done with the models of relations inside of it. A model
    /// without an identifier counts as there if a row of the owner has its values. Where the column has
    /// identifiers alone, no rows are made; those rows whose key has no owner get the owner, or all of several. A
    /// model that cannot be stored fails the migration, with an error that names it and its owner.
    ///
    /// The migration is called `moveChildren(of: Account.entries)`, after the type and the property. Where these
    /// get other names later, put one in its place that is called so and does nothing, and add this one for
    /// the new names at the end.
    public static func moveChildren<Owner: Model, Child: Model>(
        of relation: KeyPath<Owner, ModelArrayField<Child>>
    ) -> SQLiteMigration {
        moveChildren(of: Owner.self) { $0[keyPath: relation] }
    }

    /// The same of a relation to one model.
    public static func moveChildren<Owner: Model, Child: Model>(
        of relation: KeyPath<Owner, ModelField<Child>>
    ) -> SQLiteMigration {
        moveChildren(of: Owner.self) { $0[keyPath: relation] }
    }

    private static func moveChildren<Owner: Model>(
        of owner: Owner.Type,
        _ field: (Owner) -> AnyField
    ) -> SQLiteMigration {
        let schema = Owner.schema
        let entry = schema.relationEntry { ($0 as? Owner).map(field) }
        let label = "\(schema.name).\(entry?.name ?? "?")"
        let relation = schema.derivedRelations.first { $0.entry === entry }
        return SQLiteMigration("moveChildren(of: \(label))") { migration in
            guard let relation else {
                throw StoreError.schema("\(label) is not the other side of a key")
            }
            try migration.moveChildren(of: relation, schema)
        }
    }
}

extension SQLiteMigration.Context {
    fileprivate func moveChildren(of relation: DerivedRelation, _ owner: ModelSchema) throws {
        guard let column = try SQLiteOldColumn(relation, of: owner, connection) else { return }
        try column.note()
        try SQLiteChildren(connection).move(column, run)
    }
}
