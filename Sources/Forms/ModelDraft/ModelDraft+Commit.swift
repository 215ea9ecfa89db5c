import ModelKitFields
import ModelKitModels

extension ModelDraft {
    /// Sets the changed fields in the base, in one batch, and takes what it has got meanwhile.
    ///
    /// The draft is then clean. Fields that are not changed are not set in the base, so their
    /// observers are not notified.
    ///
    /// Models that the base embeds stay the same objects, and get what was changed in their drafts. One
    /// that was put into the draft is now the base's, and is edited by a draft of its own from here on.
    ///
    /// - Parameters:
    ///   - overwriting: Whether a changed field is set although the base's was set to something else
    ///     since the draft began or was last rebased. Members that others have added stay.
    ///   - validatingChangesOnly: Whether fields that are not changed may stay invalid.
    /// - Returns: The base.
    /// - Throws: A `DraftError` with all issues, if the draft is invalid; with one of code
    ///   "unanswered" for each field whose async rules are still to answer (`validated()` waits for
    ///   them); of code "standIn" for what another draft edits in place of a model of its own; or with a
    ///   conflict for each changed field that somebody else has changed. The base is not changed then, nor what is
    ///   changed in the draft, and conflicts stay known. Only a field that is set by another thread in the very
    ///   moment is reported after the others were committed.
    @discardableResult
    public func commit(
        overwriting: Bool = false,
        validatingChangesOnly: Bool = false
    ) throws(DraftError) -> M {
        let changes = try prepareCommit(overwriting, at: []) {
            validatingChangesOnly ? changeIssues() : validationIssues()
        }
        let conflicts = DraftChanges.commit([changes])
        if !conflicts.isEmpty { throw DraftError(issues: conflicts) }
        rebase()
        return base
    }

    /// The changes that may be committed: valid, and as they were when they were found so.
    func prepareCommit(
        _ overwriting: Bool,
        at path: FieldPath,
        validating validate: () -> [Issue]
    ) throws(DraftError) -> DraftChanges {
        // A text may be typed while it is validated; rules that set fields themselves never end it.
        for _ in 0..<8 {
            // What others have set goes with what is changed here, as the base has to be valid then.
            models.drafting {
                batch {
                    models.visit(fields) { field in
                        field.baseline.rebaseForCommit(overwriting)
                        return true
                    }
                }
            }
            let all = models.all(fields)
            let revisions = all.map(\.baseline.field.revision)
            let values = all.filter { $0.baseline.isChanged || $0.baseline.isConflict }.map {
                field in
                let mine = field.baseline.field.snapshot()
                return DraftChanges.Value(
                    path: path.appending(field.path),
                    baseline: field.baseline,
                    start: field.baseline.start,
                    mine: mine,
                    value: models.real(mine)
                )
            }
            try requireNoIssues(of: validate) {
                scratch.paths(to: $0).map(path.appending)
            }
            guard revisions == models.all(fields).map(\.baseline.field.revision) else { continue }
            let standIns = values.filter(\.baseline.isDrafted)
                .flatMap { models.standIns(in: $0.value, at: $0.path) }
            if !standIns.isEmpty { throw DraftError(issues: standIns.map(DraftError.standIn)) }
            let conflicts = paths { $0.isConflict && (!overwriting || $0.lacksMembers) }
                .map { DraftError.conflict(path.appending($0)) }
            if !conflicts.isEmpty { throw DraftError(issues: conflicts) }
            return DraftChanges(values: values, isOverwriting: overwriting, models: models)
        }
        throw DraftError(issues: [DraftError.conflict(path)])
    }
}

/// What a draft brings to its base.
struct DraftChanges {
    struct Value {
        let path: FieldPath
        let baseline: Baseline
        let start: Baseline.Start
        let mine: AnyField
        /// The same as the source is to have it.
        let value: AnyField
    }

    let values: [Value]
    let isOverwriting: Bool
    /// What the draft edits, of a model.
    var models: DraftedModels?

    /// Sets the fields of the bases, in one batch.
    ///
    /// - Returns: A conflict for each that was set meanwhile; or for each that two drafts set to
    ///   different values, and then none is set.
    static func commit(_ all: [DraftChanges]) -> [Issue] {
        let conflicts = contradictions(all)
        if !conflicts.isEmpty { return conflicts }
        return batch {
            for draft in all {
                draft.models?.makeReal(
                    draft.values.filter(\.baseline.isDrafted).flatMap { $0.value.modelsInField }
                )
            }
            var own: Set<UInt64> = []
            return all.flatMap { draft in
                draft.values.compactMap { new in
                    let isMade = new.baseline.commit(
                        new.mine,
                        as: new.value,
                        since: new.start,
                        overwriting: draft.isOverwriting,
                        &own
                    )
                    return isMade ? nil : DraftError.conflict(new.path)
                }
            }
        }
    }

    /// Relations that were set meanwhile, too: when one is set in the base, others are.
    private static func contradictions(_ all: [DraftChanges]) -> [Issue] {
        var seen: [ObjectIdentifier: AnyField] = [:]
        return all.flatMap { draft in
            draft.values.compactMap { new in
                let baseline = new.baseline
                if !draft.isOverwriting, baseline.source.isRelated,
                    baseline.isMoved(since: new.start),
                    baseline.source.isDifferent(from: new.value)
                {
                    return DraftError.conflict(new.path)
                }
                let source = ObjectIdentifier(new.baseline.source)
                let other = seen.updateValue(new.value, forKey: source)
                let isSame = other.map { !new.value.isDifferent(from: $0) } ?? true
                return isSame || draft.isOverwriting ? nil : DraftError.conflict(new.path)
            }
        }
    }
}
