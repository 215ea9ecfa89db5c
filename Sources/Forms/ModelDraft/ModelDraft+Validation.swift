public import ModelKitFields
import ModelKitModels

extension ModelDraft {
    /// Validates the fields by their rules and the model's `check`.
    ///
    /// The fields to edit keep what concerns them; those of the base do not notice.
    @discardableResult
    public func validate() -> ValidationState { scratch.validate() }

    /// Validates the fields and waits until their async rules have answered.
    ///
    /// As `validated()` of the model. A commit right after it asks none of them again.
    @discardableResult
    public func validated() async -> ValidationState { await scratch.validated() }

    /// Validates like `validate()`, and gives what was found with paths and codes, warnings too.
    public func validationIssues() -> [Issue] { scratch.validationIssues() }

    /// Validates the changed fields alone, and gives what was found with paths and codes.
    ///
    /// So what was wrong before, and was left as it is, does not keep anybody from changing something
    /// else. A field in whose models something is changed is validated whole. What `check` finds counts if it is about a changed field, or if it does not find the same
    /// in the base; the field that it then is about is validated, too.
    public func changeIssues() -> [Issue] {
        let known = base.report()
        let changed = Set(
            fields.map(\.baseline).filter(\.isDirty).map { ObjectIdentifier($0.field) }
        )
        return scratch.validationIssues { entry, found in
            guard let entry else { return found.filter { !known.general.contains($0) } }
            if changed.contains(ObjectIdentifier(entry.field(in: scratch))) { return found }
            let before = known.issues(of: entry.field(in: base))
            let new = found.filter { !before.contains($0) }
            return new.isEmpty ? nil : new
        }
    }

    /// Validates the changed fields alone.
    @discardableResult
    public func validateChanges() -> ValidationState {
        CheckScope(askingAgain: true).run { scope in
            let issues = changeIssues()
            return ValidationState(issues: issues, isPending: !scope.pending.isEmpty)
        }
    }
}
