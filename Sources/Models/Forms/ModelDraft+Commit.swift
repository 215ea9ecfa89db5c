import ModelKitFields

extension ModelDraft {
    /// Sets the changed fields in the base, in one batch, and takes what it has got meanwhile.
    ///
    /// The draft is then clean. Fields that are not changed are not set in the base, so their
    /// observers are not told.
    ///
    /// - Parameters:
    ///   - overwriting: Whether a changed field is set although the base's was set to something else
    ///     since the draft began or was last rebased.
    ///   - validatingChangesOnly: Whether fields that are not changed may stay invalid.
    /// - Returns: The base.
    /// - Throws: A `DraftError` with all issues, if the draft is invalid; with one of code
    ///   "unanswered" for each field whose async rules are still to answer (`validated()` waits for
    ///   them); or with a conflict for each changed field that somebody else has changed. Neither base
    ///   nor draft is changed then. Only a field that is set by another thread in the very moment is
    ///   reported after the others were committed.
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
            batch { for baseline in baselines where !baseline.isDirty { baseline.rebase() } }
            let revisions = baselines.map(\.field.revision)
            let values = zip(base.ownSchema.allFields, baselines).filter { $0.1.isDirty }
                .map {
                    DraftChanges.Value(
                        path: path.appending($0.path),
                        baseline: $1,
                        start: $1.start,
                        value: $1.field.copy()
                    )
                }
            try requireNoIssues(of: validate) { path.appending(scratch.path(to: $0) ?? []) }
            guard revisions == baselines.map(\.field.revision) else { continue }
            let conflicts =
                overwriting ? [] : self.conflicts.map { DraftError.conflict(path.appending($0)) }
            if !conflicts.isEmpty { throw DraftError(issues: conflicts) }
            return DraftChanges(values: values, isOverwriting: overwriting)
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
        let value: AnyField
    }

    let values: [Value]
    let isOverwriting: Bool

    /// Sets the fields of the bases, in one batch.
    ///
    /// - Returns: A conflict for each that was set meanwhile; or for each that two drafts set to
    ///   different values, and then none is set.
    static func commit(_ all: [DraftChanges]) -> [Issue] {
        let conflicts = contradictions(all)
        if !conflicts.isEmpty { return conflicts }
        return batch {
            var own: Set<UInt64> = []
            return all.flatMap { draft in
                draft.values.compactMap { new in
                    let isMade = new.baseline.commit(
                        new.value,
                        since: new.start,
                        overwriting: draft.isOverwriting,
                        &own
                    )
                    return isMade ? nil : DraftError.conflict(new.path)
                }
            }
        }
    }

    private static func contradictions(_ all: [DraftChanges]) -> [Issue] {
        var seen: [ObjectIdentifier: AnyField] = [:]
        return all.flatMap { draft in
            draft.values.compactMap { new in
                let source = ObjectIdentifier(new.baseline.source)
                let other = seen.updateValue(new.value, forKey: source)
                let isSame = other.map { !new.value.isDifferent(from: $0) } ?? true
                return isSame || draft.isOverwriting ? nil : DraftError.conflict(new.path)
            }
        }
    }
}
