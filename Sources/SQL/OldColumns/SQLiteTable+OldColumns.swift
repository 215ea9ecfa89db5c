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
                } catch let error as SQLiteError where error.leavesWorkForLater {
                    // Then they are counted each time, until an opening can note them.
                }
            }
            let (models, keys) = try column.counts(noted: isNoted)
            let report = Diagnostic.oldColumn(
                of: column.label,
                models: models,
                keys: keys,
                remedy: "the migration .moveChildren(of: \\\(column.label))"
            )
            if let report { ModelKitDiagnostics.report(report) }
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
