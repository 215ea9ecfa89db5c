import ModelKitModels

extension StoreSession {
    /// Notes what a write has made, and when each of that was asked for.
    func note(
        _ write: PendingWrite,
        _ made: ArraySlice<MadeWrite>,
        asked: (MadeWrite) -> UInt64
    ) {
        for made in made {
            let (record, receipt) = (made.write, made.receipt)
            guard let snapshot = write.snapshot else {
                noteDeleted(
                    record.schema,
                    receipt.identifier,
                    record.source?.model,
                    asked: asked(made)
                )
                continue
            }
            let (model, expected) = (write.model, record.target?.revision)
            let (isNew, asked) = (made.isNew, asked(made))
            if case .save = write.write.action {
                note(model, snapshot, savedAs: receipt, isNew: isNew, over: expected, asked: asked)
            } else {
                note(model, snapshot, as: receipt, isNew: isNew, over: expected, asked: asked)
            }
        }
    }

    /// Ends writes that were made, and cannot be taken back.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - made: What each of them has made.
    func finish(_ writes: [PendingWrite], _ made: [ArraySlice<MadeWrite>]) {
        var touched = TouchedRelations()
        for (prepared, made) in zip(writes, made) {
            prepared.finish(self, made)
            for made in made {
                guard made.write.schema.hasRelations, let source = made.write.source else {
                    continue
                }
                settleTaken(source.model, source.agreements, made.write.keyValues, &touched)
                if made.write.isDeletion { source.model.dropTaken() }
                if made.isNew { source.model.keepTaken() }
            }
        }
        touched.forgetUnstored(self)
    }

    /// Reports models that are written while members of their relations are in no store.
    func reportUnsavedMembers(of writes: [PendingWrite]) {
        lazy var written = Set(writes.flatMap(\.models).map { ObjectIdentifier($0) })
        for write in writes
        where write.deleted.isEmpty && !write.isOfGraph && !write.schema.derivedFields.isEmpty {
            reportUnsavedMembers(of: write.model) { written.contains(ObjectIdentifier($0)) }
        }
    }

    /// The same of one model.
    func reportUnsavedMembers(
        of model: any Model,
        except isWritten: (any Model) -> Bool = { _ in false }
    ) {
        for relation in model.classSchema.derivedRelations {
            guard let field = relation.field(of: model), field.isLoaded else { continue }
            let count = field.members.count {
                known($0) == nil && !$0.hasGaps && !isWriting($0) && !isWritten($0)
            }
            if count == 0 { continue }
            let name = relation.entry.name
            ModelKitDiagnostics.report(
                .unsavedMembers,
                "\(model.classSchema.name) is written, but \(count) of its \(name) were "
                    + "never stored; save it including: \\.\(name)",
                field: name
            )
        }
    }
}
