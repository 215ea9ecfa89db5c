import ModelKitFields

/// A draft of whatever type in a form.
protocol FormDraft: Sendable {
    func prepareCommit(
        _ overwriting: Bool,
        at path: FieldPath,
        validating validate: () -> [Issue]
    ) throws(DraftError) -> DraftChanges

    @discardableResult
    func rebase() -> [FieldPath]
}

extension ModelDraft: FormDraft {}

extension FormDraft {
    /// Throws what a validation finds, or an issue for each field whose async rules are still to answer.
    func requireNoIssues(
        of validate: () -> [Issue],
        locating paths: ([AnyField]) -> [FieldPath]
    ) throws(DraftError) {
        // What could not be asked blocks as the rule says, and is not asked for ever.
        let scope = CheckScope(askingAgain: false)
        let issues = scope.run { _ in validate() }
        if issues.isBlocking { throw DraftError(issues: issues) }
        let pending = scope.pending
        if !pending.isEmpty {
            throw DraftError(issues: paths(pending).map(DraftError.unanswered))
        }
    }
}

/// A draft of a value in a field, which has its base itself.
struct FieldDraft: FormDraft {
    let baseline: Baseline

    func prepareCommit(
        _ overwriting: Bool,
        at path: FieldPath,
        validating validate: () -> [Issue]
    ) throws(DraftError) -> DraftChanges {
        // As for drafts of models.
        for _ in 0..<8 {
            let start = Baseline.Start(copying: baseline.field)
            try requireNoIssues(of: validate) { $0.map { _ in path } }
            guard baseline.field.revision == start.revision else { continue }
            guard baseline.isDirty else { return DraftChanges(values: [], isOverwriting: false) }
            let value = start.origin.copy()
            if var draft = value.anyValue as? any ValueDraft {
                draft.commit()
                // A value of the field's own type.
                try? value.setAnyValue(draft)
            }
            return DraftChanges(
                values: [
                    // What is set from now on is newer than what was found valid, and not overwritten.
                    DraftChanges.Value(
                        path: path,
                        baseline: baseline,
                        start: start,
                        mine: value,
                        value: value
                    )
                ],
                isOverwriting: false
            )
        }
        throw DraftError(issues: [DraftError.conflict(path)])
    }

    /// Nobody else has the base.
    func rebase() -> [FieldPath] { [] }
}
