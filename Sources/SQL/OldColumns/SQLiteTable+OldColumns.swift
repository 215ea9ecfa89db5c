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
