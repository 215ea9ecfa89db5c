import ModelKitModels
import ModelKitStores

/// Makes rows of models that were kept in columns of others.
///
/// Tables and columns are taken as they are in the file, as other migrations may follow: what a dictionary has
/// and no column is there for gets one.
final class SQLiteChildren {
    private let connection: SQLiteConnection
    private var tables: [String: SQLiteChildTable] = [:]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Makes rows of what was noted of a column.
    ///
    /// Rows that are there stay as they are, but for a key that is null where the column had identifiers alone;
    /// where it is of several owners, each of them is added.
    func move(_ column: SQLiteOldColumn, _ run: SQLMigrationRun) throws {
        // Numbers that were given are not made again.
        try column.forEachNote { note in
            if let element = try? note.element() { try followNumbers(element, column.relation) }
        }
        try run.countRows(of: column.noteCount()) { seen in
            try column.forEachNote { note in
                do {
                    try place(note.element(), column.relation, note.owner.identifier)
                } catch {
                    throw column.failure(error, of: note)
                }
                try seen()
            }
        }
        for table in tables.values { try table.finish() }
        try column.forgetNotes()
    }

    private func place(
        _ element: AttributeValue,
        _ relation: DerivedRelation,
        _ owner: AttributeValue
    ) throws {
        switch element {
        case .int, .string:
            for table in try tables(of: relation) {
                try table.setKey(of: relation, to: owner, of: element)
            }
        case .dictionary(let child):
            for table in try tables(of: relation) where try table.hasRow(of: child) {
                try table.addOwner(owner, to: child.identifier(table.schema), relation)
                return
            }
            let table = try table(of: relation.partner.schema(of: child))
            var key = owner
            if relation.hasSeveralOwners {
                var owners: [AttributeValue] = []
                if case .array(let others)? = child.value(atKey: relation.key.key) {
                    owners = others
                }
                key = .array(owners.contains(owner) ? owners : owners + [owner])
            }
            let identifier = try table.insert(child, relation.key, key)
            try forEachChild(of: child, table.schema) { element, relation in
                try place(element, relation, identifier)
            }
        default: break
        }
    }

    private func followNumbers(_ element: AttributeValue, _ relation: DerivedRelation) throws {
        guard case .dictionary(let child) = element else { return }
        let table = try table(of: relation.partner.schema(of: child))
        table.followNumber(of: child)
        try forEachChild(of: child, table.schema, followNumbers)
    }

    /// Calls a closure with what is inside of a model by relations that are derived.
    private func forEachChild(
        of model: AttributeDictionary,
        _ schema: ModelSchema,
        _ body: (AttributeValue, DerivedRelation) throws -> Void
    ) throws {
        for relation in schema.derivedRelations {
            let value = model.value(atKey: relation.entry.key) ?? .null
            let elements = if case .array(let elements) = value { elements } else { [value] }
            for element in elements { try body(element, relation) }
        }
    }

    /// Forgets notes of models without an identifier of which a row was made since: one with their key and
    /// their values.
    func forgetKnown(_ column: SQLiteOldColumn) throws {
        if column.relation.hasSeveralOwners { return }
        let found = try tables(of: column.relation).filter(\.isThere)
        if found.isEmpty { return }
        var known: [Int64] = []
        try column.forEachNote { note in
            guard case .dictionary(let child)? = try? note.element(),
                child.identifier(column.relation.partner).isNull
            else { return }
            for table in found where try table.takeRow(like: child, column, note.owner) {
                known.append(note.number)
                break
            }
        }
        for note in known { try column.forget(note: note) }
        for table in found { try table.dropIndex() }
    }

    private func tables(of relation: DerivedRelation) throws -> [SQLiteChildTable] {
        try relation.partners.map(table(of:))
    }

    private func table(of schema: ModelSchema) throws -> SQLiteChildTable {
        if let known = tables[schema.name] { return known }
        let table = try SQLiteChildTable(of: schema, connection)
        tables[schema.name] = table
        return table
    }
}

extension AttributeDictionary {
    /// The identifier of a model; null if it has none.
    func identifier(_ schema: ModelSchema) -> AttributeValue {
        schema.identifier.flatMap { value(atKey: $0.key) } ?? .null
    }
}
