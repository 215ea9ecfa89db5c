import ModelKitFields
import ModelKitModels
import ModelKitStores

extension SQLiteTable {
    /// Reports models that are in columns of relations alone which are derived by now, and so in no relation.
    func reportOldColumns(_ connection: SQLiteConnection, isReadOnly: Bool = false) throws {
        if schema.derivedFields.isEmpty { return }
        for relation in schema.derivedRelations {
            guard let column = try SQLiteOldColumn(relation, of: schema, connection) else {
                continue
            }
            var isNoted = false
            if !isReadOnly {
                do {
                    try column.note()
                    isNoted = true
                } catch let error as SQLiteError where error.kind == .readOnly {
                    // Then they are counted each time.
                }
            }
            let (models, keys) = try column.counts(noted: isNoted)
            if models == 0, keys == 0 { continue }
            var found: [String] = []
            if models > 0 { found.append("\(models) models without a row of their own") }
            if keys > 0 { found.append("the owners of \(keys) rows without a key") }
            ModelKitDiagnostics.report(
                Diagnostic(
                    code: .oldColumn,
                    message: "the column of \(column.label), which is not read any more, has "
                        + found.joined(separator: " and ")
                        + ": the migration .moveChildren(of: \\\(column.label)) makes rows of them",
                    field: column.label
                )
            )
        }
    }
}

extension SQLiteMigration.Context {
    /// Lets what is noted of old columns follow a type to its new name, or go with it.
    func moveNotes(of type: String, to newName: String?) throws {
        if try columns(of: SQLiteOldColumn.notesName).isEmpty { return }
        let isOfType = "WHERE \"type\" = ?1 COLLATE NOCASE"
        if let newName {
            try execute(
                "UPDATE \(SQLiteOldColumn.notes) SET \"type\" = ?2 \(isOfType)",
                [.string(type), .string(newName)]
            )
        } else {
            try execute("DELETE FROM \(SQLiteOldColumn.notes) \(isOfType)", [.string(type)])
        }
    }

    /// The same of a field.
    func moveNotes(of column: String, in type: String, to newName: String?) throws {
        if try columns(of: SQLiteOldColumn.notesName).isEmpty { return }
        let isOfField = "WHERE \"type\" = ?1 COLLATE NOCASE AND \"field\" = ?2 COLLATE NOCASE"
        if let newName {
            try execute(
                "UPDATE \(SQLiteOldColumn.notes) SET \"field\" = ?3 \(isOfField)",
                [.string(type), .string(column), .string(newName)]
            )
        } else {
            try execute(
                "DELETE FROM \(SQLiteOldColumn.notes) \(isOfField)",
                [.string(type), .string(column)]
            )
        }
    }
}
