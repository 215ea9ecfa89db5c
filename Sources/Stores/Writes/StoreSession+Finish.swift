import ModelKitFields
import ModelKitModels

extension StoreSession {
    /// Ends a write that was made, and cannot be rolled back.
    func finish(_ write: PreparedWrite, _ made: [MadeWrite]) {
        write.finish(made)
        for made in made {
            guard let source = made.write.source, made.write.schema.hasRelations else { continue }
            settleTaken(source.model, source.agreements, made.write.keyValues)
            if made.isNew { source.model.keepTaken() }
        }
    }

    /// Reports models that are written while members of their relations are in no store.
    func reportUnsavedMembers(of writes: [PreparedWrite]) {
        for write in writes where write.deleted.isEmpty && !write.isOfGraph {
            for model in write.models {
                for relation in model.classSchema.derivedRelations {
                    reportUnsavedMembers(of: relation, in: model, writes)
                }
            }
        }
    }

    private func reportUnsavedMembers(
        of relation: DerivedRelation,
        in model: any Model,
        _ writes: [PreparedWrite]
    ) {
        guard let field = relation.field(of: model), field.isLoaded else { return }
        let unsaved = field.members.filter {
            known($0) == nil && !$0.hasGaps && !isWriting($0)
        }
        if unsaved.isEmpty { return }
        let written = Set(writes.flatMap(\.models).map { ObjectIdentifier($0) })
        let count = unsaved.count { !written.contains(ObjectIdentifier($0)) }
        if count == 0 { return }
        let name = relation.entry.name
        ModelKitDiagnostics.report(
            Diagnostic(
                code: .unsavedMembers,
                message:
                    "\(model.classSchema.name) is written, but \(count) of its \(name) were never "
                    + "stored; save it including: \\.\(name)",
                field: name
            )
        )
    }
}
