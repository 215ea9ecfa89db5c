import ModelKitFields

/// Fields that were added to a form together.
struct FormPart: Sendable {
    struct Entry: Sendable {
        let path: FieldPath
        let baseline: Baseline

        var field: AnyField { baseline.field }
    }

    /// What a validation found.
    struct Findings {
        var all: [Issue] = []
        /// Those that no field keeps.
        var general: [Issue] = []
    }

    /// Where the part is in the form.
    let path: FieldPath
    let entries: [Entry]
    /// Validates the fields at the paths that are to be.
    let validate: @Sendable (_ isEnabled: (FieldPath) -> Bool) -> Findings
    /// Whether the fields may be checked against each other: what an object does that has asked its
    /// superclass first, only a validation tells.
    let isChecked: Bool
    var draft: (any FormDraft)?

    /// The revision of the last change of any of the fields, also of models in them.
    var revision: UInt64 { entries.lazy.map(\.field).lastRevision }
}

extension FormPart {
    init(_ field: AnyField, at path: FieldPath, _ marker: Field<Bool>) {
        self.path = path
        let baseline = Baseline(field, source: field, marker)
        entries = [Entry(path: path, baseline: baseline)]
        isChecked = false
        validate = { isEnabled in
            guard isEnabled(path) else { return Findings() }
            let issues =
                ValidationPath.keepsNothing ? field.currentIssues() : field.validate(adding: [])
            return Findings(all: issues.map { $0.prefixed(by: path) })
        }
        if baseline.holdsDraft { draft = FieldDraft(baseline: baseline) }
    }

    init<M: Model>(_ model: M, at path: FieldPath, baselines: [Baseline]) {
        self.path = path
        entries = zip(M.schema.allFields, baselines).map { entry, baseline in
            Entry(path: path.appending(entry.path), baseline: baseline)
        }
        isChecked = model is ModelObject || !model.report().isUnchecked
        validate = { isEnabled in
            var findings = Findings()
            findings.all = model.validationIssues { entry, found in
                guard let entry else {
                    guard isEnabled(path) else { return nil }
                    findings.general = found.map { $0.prefixed(by: path) }
                    return found
                }
                return isEnabled(path.appending(entry.path)) ? found : nil
            }
            .map { $0.prefixed(by: path) }
            return findings
        }
    }
}
