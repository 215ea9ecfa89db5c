import ModelKitFields
import ModelKitModels

/// Fields that were added to a form together.
struct FormPart: Sendable {
    /// What a validation found.
    struct Findings {
        var all: [Issue] = []
        /// Those that no field keeps.
        var general: [Issue] = []
    }

    /// Where the part is in the form.
    let path: FieldPath
    let entries: [DraftedField]
    /// Validates the fields at the paths that are to be.
    let validate: @Sendable (_ isEnabled: (FieldPath) -> Bool, _ reads: ReadFollower?) -> Findings
    /// Calls the `check` of the model again, and gives what no field keeps of what it finds.
    ///
    /// Nil of a part without one.
    let checkAgain: (@Sendable (_ isEnabled: (FieldPath) -> Bool, ReadFollower) -> [Issue])?
    /// Whether the fields may be checked against each other: what an object does that has asked its
    /// superclass first, only a validation finds out.
    let isChecked: Bool
    /// The drafts among the fields, or the one that the fields are of, each with its path.
    var drafts: [(path: FieldPath, draft: any FormDraft)]

    /// What the draft edits that the fields are of.
    var models: DraftedModels?

    /// The revision of the last change of any of the fields, also of models in them.
    var revision: UInt64 { entries.lazy.map(\.field).lastRevision }

    /// Issues of the part in the order of its fields, and of those of models in them.
    func ordered(_ issues: [Issue]) -> [Issue] {
        guard entries.contains(where: \.field.holdsModels) else { return issues }
        return issues.ordered { issue in
            guard let index = entries.index(leading: issue.path) else { return [.max] }
            let (path, field) = (entries[index].path, entries[index].field)
            if !field.holdsModels { return [index] }
            let rest = issue.path.dropping(path)
            return [index] + FieldPlace(field, at: path, rest: rest).innermost.order
        }
    }
}

extension FormPart {
    init(_ field: AnyField, at path: FieldPath, _ marker: Field<Bool>) {
        self.path = path
        let baseline = Baseline(field, source: field, marker)
        entries = [DraftedField(path: path, baseline: baseline)]
        isChecked = false
        checkAgain = nil
        validate = { isEnabled, _ in
            guard isEnabled(path) else { return Findings() }
            let issues =
                ValidationPath.keepsNothing ? field.currentIssues() : field.validate(adding: [])
            let (name, holdsModels) = (field.name, field.holdsModels)
            return Findings(
                all: issues.map { $0.prefixed(by: path, of: name, holdsModels: holdsModels) }
            )
        }
        drafts = entries.drafts
    }

    init(
        _ model: some Model,
        at path: FieldPath,
        _ fields: [DraftedField]
    ) {
        self.path = path
        entries = fields.map {
            DraftedField(path: path.appending($0.path), baseline: $0.baseline)
        }
        drafts = entries.drafts
        isChecked = model is ModelObject || !model.report().isUnchecked
        checkAgain = { isEnabled, reads in
            let report = reads.follow { model.report() }
            for entry in model.allEntries where isEnabled(path.appending(entry.path)) {
                let field = entry.field(in: model)
                field.askAgain(adding: report.issues(of: field))
            }
            return isEnabled(path) ? report.general.map { $0.prefixed(by: path) } : []
        }
        validate = { isEnabled, reads in
            var findings = Findings()
            findings.all = model.validationIssues(following: reads) { entry, found in
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

extension [DraftedField] {
    /// The drafts of values in the fields.
    fileprivate var drafts: [(path: FieldPath, draft: any FormDraft)] {
        filter(\.baseline.holdsDraft).map { ($0.path, FieldDraft(baseline: $0.baseline)) }
    }
}

extension Array {
    /// The elements by numbers of which the first that differs decides; those of the same stay in their
    /// order.
    func ordered(by order: (Element) -> [Int]) -> Self {
        if count < 2 { return self }
        return map { (order: order($0), element: $0) }
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }
            .map(\.element)
    }
}
